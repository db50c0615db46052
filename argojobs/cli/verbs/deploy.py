"""`argojobs deploy`: build the project's images, push them, and write down what was pushed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.formats import Format
from argojobs.errors import UsageError

if TYPE_CHECKING:
    from argojobs.images.deploying import Deployed, Step
    from argojobs.images.version import Raise
    from argojobs.runs.deployment import Deployment


def command(
    registry: Annotated[
        str,
        option(
            "-r",
            "--registry",
            metavar="NAME",
            help="A registry of creds.yaml, a context's, an address, or `none` to push nothing.",
        ),
    ] = "",
    directory: Annotated[
        Path,
        option(
            "-d",
            "--directory",
            metavar="FOLDER",
            help="The project, a folder with Dockerfiles, or a build file.",
            show_default=False,
        ),
    ] = Path(),
    only: Annotated[
        str,
        option("--only", metavar="NAME", help="This image, and what it is built on."),
    ] = "",
    builder: Annotated[
        str,
        option(
            "--builder",
            metavar="NAME",
            help="docker, podman, buildah or buildctl; the first that works otherwise.",
        ),
    ] = "",
    platform: Annotated[
        str,
        option(
            "--platform",
            metavar="OS/ARCH",
            help="What it runs on; that of the context's nodes otherwise, else of this machine.",
        ),
    ] = "",
    version: Annotated[
        str,
        option(
            "--version",
            metavar="patch|minor|major",
            help="Raise the version, commit it and tag the commit and the images.",
        ),
    ] = "",
    build_arg: Annotated[
        list[str] | None,
        option(
            "--build-arg",
            metavar="NAME=VALUE",
            help="A value for ARG NAME of the Dockerfiles that have it (repeatable).",
        ),
    ] = None,
    no_cache: Annotated[
        bool, option("--no-cache", help="Build everything again, without any cache.")
    ] = False,
    dry_run: Annotated[bool, option("--dry-run", help="Print the commands, and run none.")] = False,
    output: options.Output = None,
    context: options.ContextName = "",
    verbose: options.Verbose = False,
) -> int:
    """Build the project's images, push them, and pin them for runs.

    What has not changed is neither built nor pushed. The digests of what was pushed are in
    images.lock: commit it, and runs take exactly these images.

    \b
      ./deploy -r local
      ./deploy -r none --only train
      ./deploy -r lab --version patch
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.text import say, tell, warn
    from argojobs.config.image_lock import LOCK_FILE, Locked, read_lock, with_entries, write_lock
    from argojobs.images.build_secrets import secret_files, unknown_secrets
    from argojobs.images.deploying import carry_out, plan_deploy
    from argojobs.images.version import carry_out_raise, standing
    from argojobs.runs.deployment import deployment
    from argojobs.runs.progress import if_reached

    to_do = deployment(
        directory,
        registry=registry,
        context=context,
        only=only,
        builder=builder,
        platform=platform,
        arguments=build_arg or (),
    )
    lock_file = to_do.project / LOCK_FILE
    lock = read_lock(lock_file)
    references = to_do.settings.build_secrets
    if dry_run:
        to_do.registry = if_reached(
            lambda: to_do.registry, to_do.unasked(), "what it has already", tell
        )
    new = _raise(to_do, version) if version else None
    made = to_do.recipes
    warn(to_do.builds.notes, "note")
    warn([line for one in made for line in one.notes], "note")
    warn([line for one in made for line in unknown_secrets(one, to_do.project, references)])
    if new is not None and not dry_run:
        _check_free(to_do, new)
        carry_out_raise(to_do.project, new)
        say(f"version {new.new}: committed and tagged {new.tag}")
    commit, tagged = standing(to_do.project)
    said = new.new if new is not None else tagged
    steps = plan_deploy(
        made,
        host=to_do.host,
        registry=to_do.registry,
        lock=lock,
        builder=to_do.builder,
        tags=(f"git-{commit}",) if commit else (),
        version=said,
        no_cache=no_cache,
    )
    if dry_run:
        _show_commands(to_do, steps, new, output, no_cache=no_cache)
        return 0
    done = carry_out(
        steps,
        registry=to_do.registry,
        builder=to_do.builder,
        secrets=lambda recipe, folder: secret_files(recipe, folder, to_do.project, references),
        say=say,
        version=said,
        no_cache=no_cache,
    )
    entries = [
        Locked(
            to_do.host,
            one.step.name,
            one.digest,
            one.step.recipe.content,
            commit,
            to_do.platform,
        )
        for one in done
        if one.digest and one.step.does != "keep"
    ]
    if entries:
        write_lock(lock_file, with_entries(lock, entries))
    _show(to_do, done, output)
    if entries and output is None:
        say(f"{LOCK_FILE} is written: commit it, and every run of this commit takes these images")
    return 0


def _raise(to_do: "Deployment", part: str) -> "Raise":
    from argojobs.images.version import PARTS, plan_raise

    for known in PARTS:
        if known == part:
            builds = to_do.builds
            return plan_raise(to_do.project, builds.version, builds.file, known)
    raise UsageError(
        f"{part!r} is not part of a version", where="--version", hint=f"one of {', '.join(PARTS)}"
    )


def _check_free(to_do: "Deployment", new: "Raise") -> None:
    """Raise ConflictError for a version that the registry has already: it would be another image."""
    from argojobs.images.deploying import check_version

    if to_do.registry is not None:
        for build in to_do.builds.builds:
            check_version(to_do.registry, build.name, new.new)


def _show_commands(
    to_do: "Deployment",
    steps: "tuple[Step, ...]",
    new: "Raise | None",
    output: Format | None,
    *,
    no_cache: bool,
) -> None:
    """Print what would be done: for programs as data, else as commands; folders are stand-ins."""
    import shlex

    from argojobs.cli.formats import print_text

    found = [(step, _commands(to_do, step, no_cache=no_cache)) for step in steps]
    if output is not None:
        data = [{**_data(to_do, step, step.digest), "commands": argvs} for step, argvs in found]
        _print(data, output)
        return
    if new is not None:
        print_text(f"# version {new.old} -> {new.new}: commit, git tag {new.tag}")
    for step, argvs in found:
        print_text(f"# {step.name}: {step.does} ({step.why})")
        for argv in argvs:
            print_text(shlex.join(argv))


def _commands(to_do: "Deployment", step: "Step", *, no_cache: bool) -> list[list[str]]:
    from argojobs.images.deploying import task_of

    if step.does not in ("build", "push"):
        return []
    task = task_of(
        step,
        context=Path("CONTEXT"),
        secrets={name: Path(f"SECRET-{name}") for name in step.recipe.secrets},
        registry=to_do.registry,
        no_cache=no_cache,
    )
    builder = to_do.builder()
    built = builder.build(task) if step.does == "build" else []
    pushed = builder.push(task) if to_do.registry is not None else []
    return [*built, *pushed]


#: What is said of an image when all is done.
_DONE = {
    "keep": ("unchanged", "dim"),
    "record": ("there already", ""),
    "push": ("pushed", "green"),
    "build": ("built", "green"),
}


def _show(to_do: "Deployment", done: "tuple[Deployed, ...]", output: Format | None) -> None:
    from argojobs.cli.text import columns, show

    if output is not None:
        _print([_data(to_do, one.step, one.digest) for one in done], output)
        return
    show(
        columns(
            [(one.step.name, "bold"), _DONE[one.step.does], (one.reference, "")] for one in done
        )
    )


def _data(to_do: "Deployment", step: "Step", digest: str) -> dict[str, object]:
    from argojobs.images.deploying import Deployed

    return {
        "name": step.name,
        "reference": Deployed(step, digest).reference,
        "digest": digest,
        "tags": list(step.tags),
        "does": step.does,
        "why": step.why,
        "content": step.recipe.content,
        "registry": to_do.host,
        "platform": step.recipe.platform,
    }


def _print(data: list[dict[str, object]], output: Format) -> None:
    from argojobs.cli.formats import print_json, print_text, print_yaml

    if output is Format.name:
        for one in data:
            print_text(str(one["reference"]))
    else:
        (print_json if output is Format.json else print_yaml)(data)
