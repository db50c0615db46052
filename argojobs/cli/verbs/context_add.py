"""`argojobs context add`: a context from options."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from argojobs.cli import options
from argojobs.cli.command import argument, option
from argojobs.cli.door import put
from argojobs.config.contexts import Context
from argojobs.errors import ConflictError, UsageError


def add(
    name: Annotated[str, argument(metavar="NAME", help="The new context's name.")] = "",
    name_option: Annotated[
        str, option("--name", metavar="NAME", help="The same, as an option.")
    ] = "",
    server: Annotated[
        str, option("--server", metavar="URL", help="The Argo server; none: by kubeconfig.")
    ] = "",
    namespace: Annotated[
        str, option("--namespace", "-n", metavar="NAME", help="Where its runs live.")
    ] = "",
    token: Annotated[str, option("--token", metavar="REFERENCE", help="Where its token is.")] = "",
    ca: Annotated[
        str,
        option("--ca", metavar="FILE", help="Certificates of those who sign the server's."),
    ] = "",
    insecure: Annotated[
        bool, option("--insecure", help="Do not check the server's certificate.")
    ] = False,
    client_certificate: Annotated[
        str, option("--client-certificate", metavar="FILE", help="Our certificate.")
    ] = "",
    client_key: Annotated[
        str, option("--client-key", metavar="FILE", help="The key of our certificate.")
    ] = "",
    base_href: Annotated[
        str, option("--base-href", metavar="PATH", help="Under which path the server is.")
    ] = "",
    kubeconfig: Annotated[
        str, option("--kubeconfig", metavar="FILE", help="The kubeconfig; none: the usual.")
    ] = "",
    kube_context: Annotated[
        str, option("--kube-context", metavar="NAME", help="Which context of it.")
    ] = "",
    image: Annotated[
        str, option("--image", metavar="IMAGE", help="For steps that name none.")
    ] = "",
    resources: Annotated[
        str,
        option("--resources", metavar="TEXT", help='For steps that ask none: "cpu=4 gpu=1".'),
    ] = "",
    storage: Annotated[
        str, option("--storage", metavar="PATH", help="Where a claim is mounted: /storage.")
    ] = "",
    storage_size: Annotated[
        str,
        option("--storage-size", "--default_pvc_size", metavar="SIZE", help="Its size; else 40Gi."),
    ] = "",
    storage_claim: Annotated[
        str, option("--storage-claim", metavar="NAME", help="Its name; else storage.")
    ] = "",
    s3_endpoint: Annotated[
        str,
        option("--s3-endpoint", metavar="HOST:PORT", help="The store; http:// before it: no TLS."),
    ] = "",
    s3_bucket: Annotated[str, option("--s3-bucket", metavar="NAME", help="Its bucket.")] = "",
    s3_prefix: Annotated[
        str, option("--s3-prefix", metavar="TEXT", help="What keys begin with.")
    ] = "",
    s3_region: Annotated[str, option("--s3-region", metavar="NAME", help="Its region.")] = "",
    s3_style: Annotated[
        str, option("--s3-style", metavar="path|host|auto", help="Where the bucket stands.")
    ] = "",
    s3_kind: Annotated[
        str, option("--s3-kind", metavar="minio|aws|aistore", help="What store it is.")
    ] = "",
    s3_access_key: Annotated[
        str, option("--s3-access-key", metavar="REFERENCE", help="Where its access key is.")
    ] = "",
    s3_secret_key: Annotated[
        str, option("--s3-secret-key", metavar="REFERENCE", help="Where its secret key is.")
    ] = "",
    s3_session_token: Annotated[
        str, option("--s3-session-token", metavar="REFERENCE", help="Where a token is.")
    ] = "",
    s3_key_format: Annotated[
        str, option("--s3-key-format", metavar="TEXT", help="As Argo's keyFormat.")
    ] = "",
    s3_secret_name: Annotated[
        str,
        option("--s3-secret-name", metavar="NAME", help="The Kubernetes Secret with its keys."),
    ] = "",
    registry: Annotated[
        str,
        option(
            "--registry", "--registry-url", "--registry_url", metavar="URL", help="Where images go."
        ),
    ] = "",
    registry_user: Annotated[
        str, option("--registry-user", metavar="NAME", help="Who we are there.")
    ] = "",
    registry_password: Annotated[
        str,
        option("--registry-password", metavar="REFERENCE", help="Where the password is."),
    ] = "",
    pull_secret: Annotated[
        str,
        option("--pull-secret", metavar="NAME", help="The cluster's secret to pull with."),
    ] = "",
    env: Annotated[
        list[str] | None,
        option("--env", metavar="NAME=VALUE", help="A variable of all steps; repeated."),
    ] = None,
    mount: Annotated[
        list[str] | None,
        option(
            "--mount",
            metavar="PATH=SOURCE",
            help="claim:NAME, hostPath:/DIR or nfs:HOST:/DIR, then :ro to only read; repeated.",
        ),
    ] = None,
    max_parallel: Annotated[
        int, option("--max-parallel", metavar="N", minimum=0, help="More runs wait; 0: all run.")
    ] = 0,
    ui: Annotated[str, option("--ui", metavar="URL", help="Argo's pages, for people.")] = "",
    storage_ui: Annotated[
        str, option("--storage-ui", metavar="URL", help="The store's pages, for people.")
    ] = "",
    service_account: Annotated[
        str, option("--service-account", metavar="NAME", help="Whose rights steps have.")
    ] = "",
    kind: Annotated[
        str, option("--type", metavar="kubernetes", help="As mrunner has it.", hidden=True)
    ] = "kubernetes",
    neptune: Annotated[
        str, option("--neptune", metavar="TEXT", help="As mrunner had it.", hidden=True)
    ] = "",
    use: Annotated[bool, option("--use", help="Use it where no other is named.")] = False,
    replace: Annotated[
        bool, option("--replace", help="Take the place of a context of this name.")
    ] = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    verbose: options.Verbose = False,
) -> int:
    """Add a context to the config file.

    A REFERENCE says where a secret is: env:NAME, file:PATH, command:TEXT or keyring:SERVICE/USER.
    """
    _check_mrunners(kind, neptune)
    table = {
        "server": server,
        "namespace": namespace,
        "token": token,
        "ca": ca,
        "insecure": insecure,
        "client_certificate": client_certificate,
        "client_key": client_key,
        "base_href": base_href,
        "kubeconfig": kubeconfig,
        "kube_context": kube_context,
        "image": image,
        "resources": resources,
        "storage": storage,
        "storage_size": storage_size,
        "storage_claim": storage_claim,
        "max_parallel": max_parallel,
        "ui": ui,
        "storage_ui": storage_ui,
        "service_account": service_account,
        "s3": {
            "endpoint": s3_endpoint,
            "bucket": s3_bucket,
            "prefix": s3_prefix,
            "region": s3_region,
            "style": s3_style,
            "kind": s3_kind,
            "access_key": s3_access_key,
            "secret_key": s3_secret_key,
            "session_token": s3_session_token,
            "key_format": s3_key_format,
            "secret_name": s3_secret_name,
        },
        "registry": {
            "url": registry,
            "user": registry_user,
            "password": registry_password,
            "pull_secret": pull_secret,
        },
        "environment": _pairs(env or [], "--env NAME=VALUE"),
        "mounts": _pairs(mount or [], "--mount PATH=SOURCE"),
    }
    return add_context(
        _one_name(name, name_option),
        _given(table),
        use=use,
        replace=replace,
        dry_run=dry_run,
        output=output,
    )


def add_context(
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
    """Return a config file's text with contexts in it. Raises ConflictError for names it has."""
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


def _given(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given, with whole paths of files."""
    from argojobs.cli.config_change import from_here

    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            inner = value if key in ("environment", "mounts") else _given(value)
            if inner:
                found[key] = dict(inner)
        elif value:
            found[key] = from_here(key, value) if isinstance(value, str) else value
    return found


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
