"""Programs that print credentials: what they are told, and what they print.

Source: Kubernetes docs, client-go credential plugins (ExecCredential, v1 and v1beta1).
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from argojobs.client.answers import parsed
from argojobs.client.kube.kubeconfig import Cluster, Pem, Plugin
from argojobs.client.shapes import fault_of
from argojobs.errors import HostError

#: Seconds that a program may take: somebody may have to log in with a browser.
LONGEST = 300.0

_INFO = "KUBERNETES_EXEC_INFO"
_NEVER = datetime.max.replace(tzinfo=UTC)
_SHAPE = {
    "kind": str,
    "apiVersion": str,
    "status": {
        "token": str,
        "clientCertificateData": str,
        "clientKeyData": str,
        "expirationTimestamp": str,
    },
}


@dataclass(frozen=True, slots=True)
class Printed:
    """The credentials that a program printed, and when they end."""

    token: str
    certificate: tuple[Pem, Pem] | None
    ends: datetime


def printed_by(plugin: Plugin, cluster: Cluster, user: str, label: str) -> Printed:
    """Ask a program for credentials.

    Args:
        plugin: the program.
        cluster: what it is told of, where it wants that.
        user: the kubeconfig's user, for messages.
        label: what messages call the place.

    Raises:
        HostError: there is no such program, or it gave no credentials.
    """

    def failed(what: str, hint: str = "") -> HostError:
        return HostError(
            f"the program of the kubeconfig's user {user!r} gave no credentials: {what}",
            where=label,
            hint=hint
            or "log in as that program wants it, or run kubectl once: it shows what is asked",
        )

    interactive = plugin.interactive != "Never" and sys.stdin is not None and sys.stdin.isatty()
    if plugin.interactive == "Always" and not interactive:
        raise failed(f"{plugin.command[0]} needs a terminal", "run the command in one")
    try:
        ended = subprocess.run(
            plugin.command,
            env={**os.environ, **dict(plugin.env), _INFO: _told(plugin, cluster, interactive)},
            stdin=None if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if interactive else subprocess.PIPE,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise failed(f"{plugin.command[0]} has not ended after {LONGEST:g} s") from error
    except OSError as error:
        raise failed(f"{plugin.command[0]}: {error.strerror}", plugin.hint) from error
    if ended.returncode:
        said = (ended.stderr or b"").decode(errors="replace").strip()[-1000:]
        raise failed(said or f"{plugin.command[0]} ended with exit code {ended.returncode}")
    try:
        return _read(parsed(ended.stdout), plugin.version)
    except ValueError as error:
        raise failed(f"what {plugin.command[0]} prints is not an ExecCredential: {error}") from None


def _told(plugin: Plugin, cluster: Cluster, interactive: bool) -> str:
    """Return what the program finds in its environment, as JSON."""
    spec: dict[str, Any] = {"interactive": interactive}
    if plugin.with_cluster:
        known = {
            "server": cluster.server,
            "tls-server-name": cluster.server_name,
            "insecure-skip-tls-verify": cluster.insecure,
            "certificate-authority-data": _encoded(cluster.ca),
            "proxy-url": cluster.proxy,
            "config": cluster.config,
        }
        spec["cluster"] = {name: value for name, value in known.items() if value}
    return json.dumps({"apiVersion": plugin.version, "kind": "ExecCredential", "spec": spec})


def _encoded(ca: Pem | None) -> str:
    try:
        data = ca.data or Path(ca.path).read_bytes() if ca else b""
    except OSError:  # the connection says it
        data = b""
    return base64.b64encode(data).decode()


def _read(answer: Any, version: str) -> Printed:
    """Return the credentials in what a program printed. Raises ValueError for what holds none."""
    fault = fault_of(answer, _SHAPE)
    if fault:
        raise ValueError(fault)
    if answer.get("kind") != "ExecCredential" or answer.get("apiVersion") != version:
        raise ValueError(f"its kind or apiVersion is another one than {version}")
    status = answer.get("status", {})
    token = status.get("token") or ""
    certificate, key = status.get("clientCertificateData"), status.get("clientKeyData")
    if bool(certificate) != bool(key):
        raise ValueError("it has a certificate without its key, or a key alone")
    if not token and not certificate:
        raise ValueError("it has neither a token nor a certificate")
    if not (token.isascii() and token.isprintable()):
        raise ValueError("its token holds characters that no token has")
    return Printed(token, _pair(certificate, key), _moment(status.get("expirationTimestamp")))


def _pair(certificate: str | None, key: str | None) -> tuple[Pem, Pem] | None:
    if not certificate or not key:
        return None
    called = "that the kubeconfig's program printed"
    return (
        Pem(f"the certificate {called}", data=certificate.encode()),
        Pem(f"the key {called}", data=key.encode()),
    )


def _moment(text: str | None) -> datetime:
    if not text:
        return _NEVER
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"its expirationTimestamp {text!r} is not a time") from None
