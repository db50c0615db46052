"""etcd, the API server, the controller manager and the scheduler."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from pathlib import Path

from harness import certificates, processes
from harness.config_files import lay
from harness.places import API_ADDRESS, API_URL, HOST_ADDRESS, SERVICE_SUBNET
from harness.state import State

ETCD = "http://127.0.0.1:2379"
ETCD_PEERS = "http://127.0.0.1:2380"


def up(state: State, programs: Path) -> None:
    """Start the four, and come back when the API server takes requests."""
    keys = state.folder / "pki"
    certificates.make(keys)
    for who in ("admin", "kubelet"):
        file = state.folder / f"{who}.kubeconfig"
        file.write_text(certificates.kubeconfig(keys, who))
        file.chmod(0o600)
    processes.start(state, "etcd", etcd(state, programs))
    processes.start(state, "kube-apiserver", api_server(state, programs))
    processes.wait_ready(state, "kube-apiserver", lambda: api_ready(keys), seconds=120)
    processes.start(state, "kube-controller-manager", controller_manager(state, programs))
    scheduler = lay(state, "scheduler.yaml", state.folder / "scheduler.yaml")
    processes.start(
        state,
        "kube-scheduler",
        [programs / "kube-scheduler", f"--config={scheduler}", "--bind-address=127.0.0.1"],
    )


def etcd(state: State, programs: Path) -> list[str | Path]:
    """The command of etcd: a test's data need not outlive the machine, so nothing is synced."""
    return [
        programs / "etcd",
        f"--data-dir={state.folder / 'etcd'}",
        f"--listen-client-urls={ETCD}",
        f"--advertise-client-urls={ETCD}",
        f"--listen-peer-urls={ETCD_PEERS}",
        f"--initial-advertise-peer-urls={ETCD_PEERS}",
        f"--initial-cluster=default={ETCD_PEERS}",
        "--unsafe-no-fsync",
    ]


def api_server(state: State, programs: Path) -> list[str | Path]:
    """The command of the API server, which listens at the very address that pods look for it.

    So no kube-proxy is needed; and by dialling the kubelet by address, no line in /etc/hosts.
    """
    keys = state.folder / "pki"
    return [
        programs / "kube-apiserver",
        f"--etcd-servers={ETCD}",
        f"--bind-address={API_ADDRESS}",
        "--secure-port=443",
        f"--advertise-address={HOST_ADDRESS}",
        f"--service-cluster-ip-range={SERVICE_SUBNET}",
        f"--tls-cert-file={keys / 'apiserver.crt'}",
        f"--tls-private-key-file={keys / 'apiserver.key'}",
        f"--client-ca-file={keys / 'ca.crt'}",
        f"--service-account-key-file={keys / 'sa.pub'}",
        f"--service-account-signing-key-file={keys / 'sa.key'}",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--authorization-mode=Node,RBAC",
        "--allow-privileged",
        f"--kubelet-client-certificate={keys / 'admin.crt'}",
        f"--kubelet-client-key={keys / 'admin.key'}",
        "--kubelet-preferred-address-types=InternalIP",
    ]


def controller_manager(state: State, programs: Path) -> list[str | Path]:
    """The command of the controller manager."""
    keys = state.folder / "pki"
    return [
        programs / "kube-controller-manager",
        f"--kubeconfig={state.folder / 'admin.kubeconfig'}",
        "--bind-address=127.0.0.1",
        "--leader-elect=false",
        f"--service-account-private-key-file={keys / 'sa.key'}",
        f"--root-ca-file={keys / 'ca.crt'}",
        "--use-service-account-credentials",
    ]


def api_ready(keys: Path) -> bool:
    """Whether the API server says that it is ready."""
    context = ssl.create_default_context(cafile=str(keys / "ca.crt"))
    context.load_cert_chain(keys / "admin.crt", keys / "admin.key")
    try:
        with urllib.request.urlopen(f"{API_URL}/readyz", context=context, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
