"""`argojobs context add`: a context from options.

Each option is a row: the key of the context that it sets, in the part of the help where it stands.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple

import click

from argojobs.cli import options
from argojobs.cli.command import argument, as_command, option, parameter
from argojobs.cli.door import put
from argojobs.config.contexts import Context
from argojobs.errors import ConflictError, UsageError


class Row(NamedTuple):
    """One option: its key in the context's table (dotted), its names, and what help says of it."""

    key: str
    names: str
    metavar: str
    help: str
    kind: Any = str
    default: Any = ""
    minimum: int | None = None

    @property
    def parameter(self) -> str:
        """The name by which its value is handed over."""
        return self.key.replace(".", "_")


ROWS: Mapping[str, tuple[Row, ...]] = {
    "Server": (
        Row("server", "--server", "URL", "The Argo server; none: by kubeconfig."),
        Row("namespace", "--namespace -n", "NAME", "Where its runs live."),
        Row("token", "--token", "REFERENCE", "Where to find its token."),
        Row("ca", "--ca", "FILE", "The CA bundle for the server."),
        Row("insecure", "--insecure", "", "Do not check the server's certificate.", bool, False),
        Row("client_certificate", "--client-certificate", "FILE", "Our certificate."),
        Row("client_key", "--client-key", "FILE", "The key of our certificate."),
        Row("base_href", "--base-href", "PATH", "Under which path the server is."),
        Row("kubeconfig", "--kubeconfig", "FILE", "The kubeconfig; none: the usual."),
        Row("kube_context", "--kube-context", "NAME", "Which context in it."),
        Row("ui", "--ui", "URL", "Argo's pages, for people."),
    ),
    "Steps": (
        Row("image", "--image", "IMAGE", "For steps that name none."),
        Row("resources", "--resources", "TEXT", 'For steps that ask none: "cpu=4 gpu=1".'),
        Row("environment", "--env", "NAME=VALUE", "A variable; repeated.", list[str], None),
        Row(
            *("mounts", "--mount", "PATH=SOURCE"),
            "claim:NAME, hostPath:/DIR or nfs:HOST:/DIR, then :ro to only read; repeated.",
            *(list[str], None),
        ),
        Row("storage", "--storage", "PATH", "Where a claim is mounted: /storage."),
        Row("storage_size", "--storage-size --default_pvc_size", "SIZE", "Its size; else 40Gi."),
        Row("storage_claim", "--storage-claim", "NAME", "Its name; else storage."),
        Row("service_account", "--service-account", "NAME", "Whose rights steps have."),
        Row("max_parallel", "--max-parallel", "N", "More runs wait; 0: all run.", int, 0, 0),
    ),
    "Store": (
        Row("s3.endpoint", "--s3-endpoint", "HOST:PORT", "Where it is; http:// before it: no TLS."),
        Row("s3.bucket", "--s3-bucket", "NAME", "Its bucket."),
        Row("s3.prefix", "--s3-prefix", "TEXT", "What keys begin with."),
        Row("s3.region", "--s3-region", "NAME", "Its region."),
        Row("s3.style", "--s3-style", "path|host|auto", "Addressing: the bucket in path or host."),
        Row("s3.kind", "--s3-kind", "minio|aws|aistore", "What store it is."),
        Row("s3.access_key", "--s3-access-key", "REFERENCE", "Where its access key is."),
        Row("s3.secret_key", "--s3-secret-key", "REFERENCE", "Where its secret key is."),
        Row("s3.session_token", "--s3-session-token", "REFERENCE", "Where a token is."),
        Row("s3.key_format", "--s3-key-format", "TEXT", "As Argo's keyFormat."),
        Row("s3.secret_name", "--s3-secret-name", "NAME", "The Kubernetes Secret with its keys."),
        Row("storage_ui", "--storage-ui", "URL", "The store's pages, for people."),
    ),
    "Registry": (
        Row("registry.url", "--registry --registry-url --registry_url", "URL", "Where images go."),
        Row("registry.user", "--registry-user", "NAME", "Who we are there."),
        Row("registry.password", "--registry-password", "REFERENCE", "Where the password is."),
        Row("registry.pull_secret", "--pull-secret", "NAME", "The cluster's secret to pull with."),
    ),
}


def add(
    name: Annotated[str, argument(metavar="NAME", help="The new context's name.")] = "",
    name_option: Annotated[
        str, option("--name", metavar="NAME", help="The same, as an option.")
    ] = "",
    kind: Annotated[
        str, option("--type", metavar="kubernetes", help="As mrunner has it.", hidden=True)
    ] = "kubernetes",
    neptune: Annotated[
        str, option("--neptune", metavar="TEXT", help="As mrunner had it.", hidden=True)
    ] = "",
    use: Annotated[bool, option("--use", help="Use it where no other is named.")] = False,
    replace: Annotated[bool, option("--replace", help="Replace a context of this name.")] = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    verbose: options.Verbose = False,
    **given: Any,
) -> int:
    """Add a context to the config file.

    A REFERENCE says where a secret is: env:NAME, file:PATH, command:TEXT or keyring:SERVICE/USER.
    """
    from argojobs.cli.config_change import from_here

    _check_mrunners(kind, neptune)
    table: dict[str, Any] = {}
    for row in (row for rows in ROWS.values() for row in rows):
        value = given[row.parameter]
        if not value:
            continue
        outer, _, inner = row.key.rpartition(".")
        if row.kind == list[str]:
            table[row.key] = _pairs(value, f"{row.names} {row.metavar}")
        else:
            at = table.setdefault(outer, {}) if outer else table
            at[inner] = from_here(inner, value) if isinstance(value, str) else value
    return _add_context(
        _one_name(name, name_option),
        table,
        use=use,
        replace=replace,
        dry_run=dry_run,
        output=output,
    )


def _options() -> list[click.Parameter]:
    """Return the rows as options."""
    return [
        parameter(
            row.parameter,
            row.kind,
            option(
                *row.names.split(),
                metavar=row.metavar,
                help=row.help,
                part=part,
                minimum=row.minimum,
            ),
            row.default,
        )
        for part, rows in ROWS.items()
        for row in rows
    ]


def _add_context(
    name: str,
    table: dict[str, Any],
    *,
    use: bool,
    replace: bool,
    dry_run: bool,
    output: options.Output,
) -> int:
    """Put a context's table in the config file, and say so."""
    from argojobs.cli.config_change import change_config, tell
    from argojobs.cli.context_table import plain
    from argojobs.cli.formats import Format, print_json, print_text, print_yaml
    from argojobs.config.contexts import warnings_of
    from argojobs.config.editing import with_value
    from argojobs.config.files import config_file
    from argojobs.config.importing import read_table

    context = read_table(name, table, config_file())

    def change(text: str) -> str:
        text = _with_table(text, name, table, replace=replace)
        return with_value(text, ("current_context",), name) if use else text

    tell(warnings_of(context))
    path = change_config(change, dry_run=dry_run)
    if dry_run:
        return 0
    if output is None:
        put(f"{path}: added the context {name}\n")
        if not use:
            put(f"  argojobs context use {name}\n")
    elif output is Format.name:
        print_text(name)
    else:
        (print_json if output is Format.json else print_yaml)(plain(context))
    return 0


def with_contexts(text: str, contexts: Iterable[Context], *, replace: bool) -> str:
    """Return a config file's text with contexts in it.

    Args:
        text: of the file.
        contexts: what is added.
        replace: whether contexts of the same names go.

    Raises:
        ConflictError: the file has a name already.
    """
    from argojobs.config.files import config_file
    from argojobs.config.importing import written

    for context in contexts:
        table = written(context, config_file())
        text = _with_table(text, context.name, table, replace=replace)
    return text


def _with_table(text: str, name: str, table: Mapping[str, Any], *, replace: bool) -> str:
    import tomllib

    from argojobs.config.editing import with_value, without

    at = ("contexts", name)
    if name in (tomllib.loads(text).get("contexts") or {}):
        if not replace:
            raise ConflictError(
                f"there is a context {name} already",
                hint=f"argojobs context edit {name}, or add --replace",
            )
        text = without(text, at)
    return with_value(text, at, table)


def _one_name(argument: str, option: str) -> str:
    if argument and option and argument != option:
        raise UsageError(
            f"the context is named twice: {argument} and {option}", hint="leave one of them out"
        )
    if not (argument or option):
        raise UsageError("the new context has no name", hint="argojobs context add NAME ...")
    return argument or option


def _pairs(given: list[str], how: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{text!r} is not a pair", hint=f"write {how}")
        if name in found:
            raise UsageError(f"{name} is given twice", hint="keep one of them")
        found[name] = value
    return found


def _check_mrunners(kind: str, neptune: str) -> None:
    from argojobs.config.importing import check_type

    check_type(kind, "--type")
    if neptune and neptune.casefold() != "false":
        raise UsageError(
            "--neptune: there is no Neptune here",
            hint="leave it out: runs keep their metrics and TensorBoard logs themselves",
        )


ADD = as_command(add, "add", more=_options())
