"""Argo Workflows on the cluster: its controller and servers, run beside it, and its users."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from pathlib import Path

from harness import kubectl, processes
from harness.images import ARGOEXEC
from harness.places import ARGO_PORT, ARGO_TLS_PORT, NAMESPACE
from harness.state import Process, State

MANIFESTS = Path(__file__).parent / "manifests"

#: The service accounts of users.yaml that get a token, as tokens/NAME.token in the state folder.
USERS = ("submitter", "reader", "nobody")

#: The secret with the certificate of the server with TLS, signed by the cluster's authority.
CERTIFICATE = "argo-server-certificate"

#: The servers: open to all that reach them or with a bearer token; and with TLS and tokens only.
SERVERS = {
    "argo-server": (ARGO_PORT, ["--secure=false", "--auth-mode=server", "--auth-mode=client"]),
    "argo-server-tls": (
        ARGO_TLS_PORT,
        ["--secure=true", f"--tls-certificate-secret-name={CERTIFICATE}", "--auth-mode=client"],
    ),
}


def prepare(state: State, sources: Path) -> None:
    """Put Argo's kinds, its settings and its users into the cluster; tokens into the state folder."""
    kinds = sources / "manifests" / "base" / "crds" / "minimal"
    texts = [file.read_text() for file in sorted(kinds.glob("argoproj.io_*.yaml"))]
    kubectl.apply(
        state.folder, [f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {NAMESPACE}}}", *texts]
    )
    kubectl.apply(state.folder, [file.read_text() for file in sorted(MANIFESTS.glob("*.yaml"))])
    kubectl.kubectl(
        state.folder,
        *("wait", "--for=condition=Established", "--timeout=60s", "crd"),
        *(
            "workflows.argoproj.io",
            "workflowtaskresults.argoproj.io",
            "workflowtemplates.argoproj.io",
        ),
    )
    keys = state.folder / "pki"
    kubectl.kubectl(
        state.folder,
        *("create", "secret", "tls", CERTIFICATE, f"--namespace={NAMESPACE}"),
        *(f"--cert={keys / 'argo.crt'}", f"--key={keys / 'argo.key'}"),
    )
    for user in USERS:
        write_token(state.folder, user)


def write_token(folder: Path, user: str) -> Path:
    """Make a token of a service account, good for a day, and keep it as a file of the state folder."""
    file = folder / "tokens" / f"{user}.token"
    file.parent.mkdir(exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(token(folder, user))
    return file


def token(folder: Path, user: str, *, seconds: int = 86400) -> str:
    """A new bearer token of a service account; Kubernetes gives none for less than ten minutes."""
    return kubectl.kubectl(
        folder, "create", "token", user, f"--namespace={NAMESPACE}", f"--duration={seconds}s"
    ).strip()


def up(state: State, programs: Path) -> None:
    """Start the controller and the servers, and come back when all work."""
    processes.start(
        state,
        "workflow-controller",
        [
            programs / "workflow-controller",
            f"--kubeconfig={state.folder / 'admin.kubeconfig'}",
            f"--namespace={NAMESPACE}",
            "--namespaced",
            f"--managed-namespace={NAMESPACE}",
            f"--executor-image={ARGOEXEC}",
            "--executor-image-pull-policy=IfNotPresent",
            "--configmap=workflow-controller-configmap",
            "--qps=200",
            "--burst=400",
            # with each look at a run the controller asks every pod that is ending to end, by a
            # process inside; side by side these take longer than the pods would by themselves
            "--pod-cleanup-workers=1",
        ],
        environment={"LEADER_ELECTION_DISABLE": "true", "DEFAULT_REQUEUE_TIME": "1s"},
    )
    for name in SERVERS:
        start_server(state, programs, name)
    for name in SERVERS:
        wait_server(state, name)


def start_server(state: State, programs: Path, name: str) -> Process:
    """Start the server `name`: one of SERVERS, or `argo-server-PORT`, a plain one more."""
    port, how = server(name)
    return processes.start(
        state,
        name,
        [
            programs / "argo",
            "server",
            f"--kubeconfig={state.folder / 'admin.kubeconfig'}",
            f"--namespace={NAMESPACE}",
            "--namespaced",
            f"--managed-namespace={NAMESPACE}",
            f"--port={port}",
            "--browser=false",
            "--kube-api-qps=200",
            "--kube-api-burst=400",
            *how,
        ],
        # for requests with a token, whose clients are made without the option
        environment={"KUBECONFIG": str(state.folder / "admin.kubeconfig")},
    )


def server(name: str) -> tuple[int, list[str]]:
    """The port and the options of the server `name`."""
    return SERVERS.get(name) or (int(name.rpartition("-")[2]), SERVERS["argo-server"][1])


def wait_server(state: State, name: str) -> None:
    """Wait until the server `name` answers."""
    processes.wait_ready(state, name, lambda: answers(server(name)[0], tls=name.endswith("tls")))


def answers(port: int, *, tls: bool) -> bool:
    """Whether an Argo server answers at `port`; with 401 too, which it says to who has no token."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    address = f"{'https' if tls else 'http'}://127.0.0.1:{port}/api/v1/info"
    try:
        with urllib.request.urlopen(address, timeout=3, context=context if tls else None) as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError as error:
        return error.code == 401
    except (urllib.error.URLError, OSError):
        return False
