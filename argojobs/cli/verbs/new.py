"""`argojobs new`: copy a pipeline to start from."""

from enum import Enum
from pathlib import Path
from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import argument
from argojobs.cli.door import put
from argojobs.errors import ConflictError, HostError


class Sample(str, Enum):
    """The pipelines that come with argojobs."""

    hello = "hello"
    demo = "demo"


#: What each sample needs beyond argojobs, and what it shows.
NEEDS = {
    Sample.hello: "",
    Sample.demo: "python3 -m pip install jax optax scikit-learn tensorboard",
}
PARAMETERS = {Sample.hello: "-p name=you", Sample.demo: "--params '{\"batch_size\":2}'"}


def command(
    sample: Annotated[
        Sample, argument(metavar="hello|demo", help="hello: two seconds, no extras. demo: a CNN.")
    ],
    folder: Annotated[Path, argument(metavar="FOLDER", help="The folder to write it to.")] = Path(),
    dry_run: options.DryRun = False,
    verbose: options.Verbose = False,
) -> int:
    """Copy a pipeline to start from.

    A file that is there already is never overwritten.
    """
    target = folder / f"{sample.value}.py"
    text = sample_text(sample.value)
    if target.exists() or target.is_symlink():
        raise ConflictError(
            f"{target} is there already, and is left as it is",
            hint=f"choose another folder: argojobs new {sample.value} FOLDER",
        )
    if dry_run:
        put(f"would write {target} ({len(text.splitlines())} lines)\n")
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    with target.open("x", encoding="utf-8") as file:
        file.write(text)
    lines = [f"wrote {target}", "", "next:"]
    lines += [f"  {NEEDS[sample]}"] if NEEDS[sample] else []
    lines += [
        f"  argojobs run {target}",
        f"  argojobs run {target} {PARAMETERS[sample]}",
        f"  argojobs compile {target}    # the Argo Workflow that it is",
    ]
    put("\n".join(lines) + "\n")
    return 0


def sample_text(name: str) -> str:
    """Return the text of a sample: from the wheel, or from the clone this runs in.

    Raises HostError when the installation lacks it.
    """
    from importlib.resources import files

    packed = files("argojobs").joinpath("data").joinpath(f"{name}.py")
    if packed.is_file():
        return packed.read_text(encoding="utf-8")
    cloned = Path(__file__).parents[3] / "workflows" / f"{name}.py"
    if cloned.is_file():
        return cloned.read_text(encoding="utf-8")
    raise HostError(f"this installation lacks the sample {name}.py", hint="install argojobs again")
