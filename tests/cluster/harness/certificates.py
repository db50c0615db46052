"""The cluster's own certificate authority and what it signs, made by openssl, good for a week."""

from __future__ import annotations

import json
from pathlib import Path

from harness.command import run
from harness.places import API_ADDRESS, API_URL, HOST_ADDRESS, NAMESPACE, NODE

DAYS = "7"

API_NAMES = ",".join(
    [
        *(f"DNS:{name}" for name in ("kubernetes", "kubernetes.default", "kubernetes.default.svc")),
        *(f"IP:{address}" for address in ("127.0.0.1", API_ADDRESS, HOST_ADDRESS)),
    ]
)

#: name -> (subject, extensions)
SIGNED = {
    "apiserver": (
        "/CN=kube-apiserver",
        f"subjectAltName={API_NAMES}\n",
    ),
    "admin": ("/O=system:masters/CN=admin", "extendedKeyUsage=clientAuth\n"),
    "kubelet": (
        f"/O=system:nodes/CN=system:node:{NODE}",
        f"subjectAltName=DNS:{NODE},IP:{HOST_ADDRESS}\nextendedKeyUsage=serverAuth,clientAuth\n",
    ),
    "argo": (
        "/CN=argo-server",
        f"subjectAltName=DNS:localhost,IP:127.0.0.1,IP:{HOST_ADDRESS}\nextendedKeyUsage=serverAuth\n",
    ),
}


def make(folder: Path) -> None:
    """Make ca, the signed pairs and the key pair of service accounts in `folder`, unless they are there."""
    if (folder / "sa.pub").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    authority(folder, "ca")
    authority(folder, "other-ca")  # which signed nothing, for tests of a wrong authority
    for name, (subject, extensions) in SIGNED.items():
        sign(folder, name, subject, extensions)
    _key(folder / "sa.key")
    _openssl("ec", "-in", folder / "sa.key", "-pubout", "-out", folder / "sa.pub")


def authority(folder: Path, name: str) -> None:
    """Make a certificate authority `name`.crt and `name`.key."""
    key, certificate = folder / f"{name}.key", folder / f"{name}.crt"
    _key(key)
    _openssl("req", "-x509", "-key", key, "-out", certificate, *_valid(f"/CN=argojobs-test-{name}"))


def sign(folder: Path, name: str, subject: str, extensions: str) -> None:
    """Make `name`.key and `name`.crt, signed by the folder's `ca`."""
    key, request, certificate = (folder / f"{name}.{end}" for end in ("key", "csr", "crt"))
    said = folder / f"{name}.ext"
    said.write_text(extensions)
    _key(key)
    _openssl("req", "-new", "-key", key, "-out", request, "-subj", subject)
    authority = ("-CA", folder / "ca.crt", "-CAkey", folder / "ca.key", "-CAcreateserial")
    made = ("-in", request, "-out", certificate, "-days", DAYS, "-extfile", said)
    _openssl("x509", "-req", *authority, *made)


def _valid(subject: str) -> tuple[str, ...]:
    return ("-days", DAYS, "-subj", subject)


def _openssl(*words: str | Path) -> None:
    run(["openssl", *words])


def _key(file: Path) -> None:
    _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file)
    file.chmod(0o600)


def kubeconfig(folder: Path, who: str) -> str:
    """The text of a kubeconfig of `admin` or `kubelet` (JSON, which is YAML)."""
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": "argojobs-test",
                    "cluster": {"server": API_URL, "certificate-authority": str(folder / "ca.crt")},
                }
            ],
            "users": [
                {
                    "name": who,
                    "user": {
                        "client-certificate": str(folder / f"{who}.crt"),
                        "client-key": str(folder / f"{who}.key"),
                    },
                }
            ],
            "contexts": [
                {
                    "name": who,
                    "context": {"cluster": "argojobs-test", "user": who, "namespace": NAMESPACE},
                }
            ],
            "current-context": who,
        },
        indent=1,
    )
