"""Contexts: where runs live, and what every run there gets.

A context is a table of the user's config file; `context_reading.py` reads it. The context `local`
is this machine; it is always there and has no table.

    current_context = "abacus"

    [contexts.abacus]
    server = "https://abacus:2746"     # none: argo-server is reached through the kubeconfig
    namespace = "argo"
    token = "env:ARGO_TOKEN"           # secret_references.py
    resources = "cpu=4 gpu=1"          # for steps that ask for none
    storage = "/storage"               # a claim, mounted there; $STORAGE_DIR names it
    max_parallel = 4                   # more runs wait
    [contexts.abacus.s3]
    endpoint = "abacus:30991"
    bucket = "workflows"
    access_key = "env:S3_ACCESS_KEY"
    [contexts.abacus.registry]
    url = "localhost:32000"
    [contexts.abacus.environment]
    LEVEL = "info"
    [contexts.abacus.mounts]
    "/data" = "claim:datasets:ro"      # or hostPath:/srv, or nfs:HOST:/export
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LOCAL_NAME = "local"

#: The name and size of the claim behind `storage` unless they are given (mrunner: 40 GB).
STORAGE_CLAIM = "storage"
STORAGE_SIZE = "40Gi"

STYLES = ("auto", "path", "host")
S3_KINDS = ("minio", "aws", "aistore")
MOUNT_KINDS = ("claim", "hostPath", "nfs")

#: Keys of a context that name files of this machine; a kubeconfig can run programs.
FILES = ("ca", "client_certificate", "client_key", "kubeconfig")


@dataclass(frozen=True)
class S3:
    """An object store; access_key, secret_key and session_token are secret references.

    secret_name, access_key_field, secret_key_field: the Kubernetes Secret that manifests refer to,
    and its keys. key_format: as Argo's artifact repository has it; "" means Argo's own.
    """

    endpoint: str = ""
    bucket: str = ""
    prefix: str = ""
    region: str = ""
    style: str = "auto"
    tls: bool = True
    access_key: str = ""
    secret_key: str = ""
    session_token: str = ""
    key_format: str = ""
    secret_name: str = ""
    access_key_field: str = "accesskey"
    secret_key_field: str = "secretkey"  # noqa: S105 - the name of a key
    kind: str = ""


@dataclass(frozen=True)
class Registry:
    """Where images go and come from; password is a secret reference."""

    url: str = ""
    user: str = ""
    password: str = ""
    pull_secret: str = ""


@dataclass(frozen=True)
class Mount:
    """A folder that every step gets at `path`.

    source: the claim's name, the folder on the node, or `HOST:/export` for nfs.
    """

    path: str
    kind: str
    source: str
    read_only: bool = False


@dataclass(frozen=True)
class Context:
    """Where runs live. An empty value means: not said.

    chosen_by: what chose it where no command named it: `ARGOJOBS_CONTEXT`, or `file:line`.
    """

    name: str
    server: str = ""
    namespace: str = ""
    token: str = ""
    ca: str = ""
    insecure: bool = False
    client_certificate: str = ""
    client_key: str = ""
    base_href: str = ""
    kubeconfig: str = ""
    kube_context: str = ""
    image: str = ""
    resources: Mapping[str, str] = field(default_factory=dict)
    storage: str = ""
    storage_size: str = ""
    storage_claim: str = ""
    s3: S3 | None = None
    registry: Registry | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    max_parallel: int = 0
    ui: str = ""
    storage_ui: str = ""
    service_account: str = ""
    chosen_by: str = field(default="", compare=False)

    @property
    def built_in(self) -> bool:
        """Whether it needs no settings and takes none: this machine."""
        return self.name == LOCAL_NAME

    @property
    def has_store(self) -> bool:
        """Whether there is a place for code and results, so that neither travels in a manifest."""
        return self.built_in or self.s3 is not None

    @property
    def ends_unused_shells(self) -> bool:
        """Whether a job that waits for a shell ends after a time without use: others wait too."""
        return not self.built_in

    @property
    def way_back(self) -> str:
        """How to get to this machine from a context that no command named, for hints; else ""."""
        if not self.chosen_by:
            return ""
        return f"{self.chosen_by} chose the context {self.name}: --context local is this machine"

    def references(self) -> dict[str, str]:
        """Return the secret references in it by their keys: `token`, `s3.secret_key`, ..."""
        found = {"token": self.token}
        if self.s3 is not None:
            for key in ("access_key", "secret_key", "session_token"):
                found[f"s3.{key}"] = str(getattr(self.s3, key))
        if self.registry is not None:
            found["registry.password"] = self.registry.password
        return {key: reference for key, reference in found.items() if reference}


LOCAL = Context(LOCAL_NAME)


def table_of(context: Context) -> dict[str, object]:
    """Return a context as the table that says the same, without its name and what is default."""
    table = _said(context, Context(""))
    for key in ("name", "chosen_by"):
        table.pop(key, None)
    if context.s3 is not None:
        table["s3"] = _said(context.s3, S3())
    if context.registry is not None:
        table["registry"] = _said(context.registry, Registry())
    if context.mounts:
        table["mounts"] = {mount.path: mount_text(mount) for mount in context.mounts}
    for key in ("resources", "environment"):
        if key in table:
            table[key] = dict(table[key])  # type: ignore[call-overload]
    return table


def mount_text(mount: Mount) -> str:
    """Return a mount as a config file has it: `claim:datasets:ro`."""
    return f"{mount.kind}:{mount.source}{':ro' if mount.read_only else ''}"


def warnings_of(context: Context) -> list[str]:
    """Return what to tell of a context's secrets: files that others may read, one line each."""
    from argojobs.config.secret_references import warning_of

    found = [warning_of(reference) for reference in context.references().values()]
    return list(dict.fromkeys(filter(None, found)))


def _said(value: object, default: object) -> dict[str, object]:
    """Return the fields of a dataclass that are not at their default."""
    import dataclasses

    names = [one.name for one in dataclasses.fields(value)]  # type: ignore[arg-type]
    given = {name: getattr(value, name) for name in names}
    return {name: one for name, one in given.items() if one != getattr(default, name)}
