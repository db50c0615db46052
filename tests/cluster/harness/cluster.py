"""The whole cluster: up, down, and what tests need to know of it."""

from __future__ import annotations

import shutil
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import (
    argo,
    cleaning,
    control_plane,
    images,
    kubectl,
    lock,
    missing,
    network,
    node,
    node_offers,
    own_group,
    processes,
    programs,
    registry,
    s3,
    state,
)
from harness.errors import HarnessError
from harness.places import (
    ARGO_PORT,
    ARGO_TLS_PORT,
    NAMESPACE,
    REGISTRY,
    S3_ACCESS_KEY,
    S3_BUCKET,
    S3_ENDPOINT,
    S3_SECRET_KEY,
    STATE,
)
from harness.state import State

Say = Callable[[str], None]


@dataclass(frozen=True)
class Cluster:
    """A running cluster, as its users see it. The keys of the store are test values."""

    folder: Path = STATE
    argo_url: str = f"http://127.0.0.1:{ARGO_PORT}"
    argo_tls_url: str = f"https://127.0.0.1:{ARGO_TLS_PORT}"
    namespace: str = NAMESPACE
    s3_endpoint: str = S3_ENDPOINT
    s3_bucket: str = S3_BUCKET
    s3_access_key: str = S3_ACCESS_KEY
    s3_secret_key: str = S3_SECRET_KEY
    registry: str = REGISTRY

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self.folder / "admin.kubeconfig"

    @property
    def authority(self) -> Path:
        """The certificate of the authority that signed `argo_tls_url`'s."""
        return self.folder / "pki" / "ca.crt"

    @property
    def wrong_authority(self) -> Path:
        """The certificate of an authority that signed nothing here."""
        return self.folder / "pki" / "other-ca.crt"

    @property
    def programs(self) -> Path:
        """The folder with `argo`, `kubectl` and the others."""
        return self.folder / "programs"

    def token(self, user: str) -> str:
        """The bearer token of a service account of argo.USERS, good for a day from the start."""
        return (self.folder / "tokens" / f"{user}.token").read_text()

    def new_token(self, user: str, *, seconds: int = 600) -> str:
        """A new token of any service account; ten minutes is the shortest that Kubernetes gives."""
        return argo.token(self.folder, user, seconds=seconds)

    def kubectl(self, *words: str, text: str | None = None) -> str:
        """What `kubectl WORDS` prints, as administrator."""
        return kubectl.kubectl(self.folder, f"--namespace={self.namespace}", *words, text=text)

    def log(self, name: str) -> str:
        """What a program of the cluster has written so far."""
        return (self.folder / "log" / f"{name}.log").read_text(errors="replace")

    def stop_server(self, name: str = "argo-server") -> None:
        """End an Argo server, as a restart of its pod would; the cluster counts as whole without."""
        with lock.gate():
            record = _loaded()
            process = record.process(name)
            if process is not None:
                processes.stop(process)
                record.forget(process)

    def start_server(self, name: str = "argo-server") -> None:
        """Start an Argo server again, and come back when it answers."""
        with lock.gate():  # one at a time writes the record
            record = _loaded()
            argo.start_server(record, self.programs, name)
        argo.wait_server(record, name)

    @contextmanager
    def own_server(self) -> Iterator[tuple[str, str]]:
        """One more plain Argo server, to be stopped while others work: its name and address."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        name = f"argo-server-{port}"
        self.start_server(name)
        try:
            yield name, f"http://127.0.0.1:{port}"
        finally:
            self.stop_server(name)


def up(say: Say, *, keep: bool) -> Cluster:
    """Start the cluster, unless it runs; `keep`: it stays when its last user goes. Within the gate."""
    record = state.load(STATE)
    if record is not None and record.ready and usable(record) and (record.keep or lock.used()):
        if keep and not record.keep:
            record.keep = True
            record.save()
        return Cluster()
    missing.require(say)
    if record is not None:
        if lock.used():
            raise HarnessError(f"the cluster is broken and others use it: see {STATE}/log")
        say("removing what an earlier run left")
        cleaning.clean(record)
        keep = keep or record.keep
    record = State(folder=STATE, boot=state.boot_id(), keep=keep)
    try:
        start(record, say)
    except BaseException:
        # the logs are what one wants to see; the next start or `down` cleans
        say(f"the start failed; logs are in {STATE}/log")
        raise
    record.ready = True
    record.save()
    return Cluster()


def start(record: State, say: Say) -> None:
    """Everything in its order; what takes long goes on beside the rest."""
    kubernetes, workflows, archives = provide(say)
    began = time.monotonic()
    cleaning.note_absent(record)
    link_programs(record.folder, kubernetes, workflows)
    own_group.make()
    network.up(record)
    s3.up(record)
    registry.up(record)
    node.containerd_up(record)
    with ThreadPoolExecutor(1) as beside:
        imported = beside.submit(import_images, record.folder, archives)
        say("starting Kubernetes")
        control_plane.up(record, kubernetes)
        node.kubelet_up(record, kubernetes)
        argo.prepare(record, programs.module_folder())
        s3.wait_ready(record)
        registry.wait_ready(record)
        say("starting Argo")
        argo.up(record, workflows)
        node.wait_ready(record)
        node_offers.up(record)
        imported.result()
    say(f"the cluster is up after {time.monotonic() - began:.0f} s")


def provide(say: Say) -> tuple[Path, Path, list[Path]]:
    """The folders of programs and the archives of images, made where the cache lacks them."""
    with ThreadPoolExecutor(2) as beside:
        kubernetes: Future[Path] = beside.submit(programs.build, programs.KUBERNETES, say)
        made = {
            recipe.name: beside.submit(images.make, recipe, Path(), say)
            for recipe in images.RECIPES
            if not recipe.needs_argo
        }
        workflows = programs.build(programs.ARGO_WORKFLOWS, say)
        archives = [
            images.make(recipe, workflows, say) if recipe.needs_argo else made[recipe.name].result()
            for recipe in images.RECIPES
        ]
        found = kubernetes.result(), workflows, archives
    forget_older([found[0], workflows, *archives])
    return found


def forget_older(kept: list[Path]) -> None:
    """Remove from the cache what `kept` replaces: the same names with another key; it is large."""
    for path in kept:
        name, _, _ = path.name.rpartition("-")
        for other in path.parent.glob(f"{name}-*"):
            if other in kept:
                continue
            if other.is_dir():
                shutil.rmtree(other)
            else:
                other.unlink()


def import_images(folder: Path, archives: list[Path]) -> None:
    """Give containerd the images."""
    for archive in archives:
        node.ctr(folder, "images", "import", archive)


def link_programs(folder: Path, *built: Path) -> None:
    """Lay links to all programs into one folder."""
    target = folder / "programs"
    target.mkdir(parents=True)
    for each in built:
        for program in each.iterdir():
            (target / program.name).symlink_to(program)


def usable(record: State) -> bool:
    """Whether every program of the record still runs."""
    return record.boot == state.boot_id() and all(map(processes.alive, record.processes))


def down() -> list[str]:
    """End the cluster and all that is left of one; what could not be removed. Within the gate."""
    record = state.load(STATE)
    if record is None:
        return []
    cleaning.clean(record)
    return cleaning.traces(record)


@contextmanager
def session(say: Say) -> Iterator[Cluster]:
    """The cluster for the time of a test session; the last session ends one that nobody keeps."""
    with lock.gate():
        running = up(say, keep=False)
        use = lock.Use()
    try:
        yield running
    finally:
        with lock.gate():
            alone = use.end()
            record = state.load(STATE)
            if alone and record is not None and not record.keep:
                left = down()
                if left:
                    raise HarnessError(f"the cluster left behind: {', '.join(left)}")


def _loaded() -> State:
    record = state.load(STATE)
    if record is None:
        raise HarnessError("no cluster runs here: `python tests/cluster up` starts one")
    return record
