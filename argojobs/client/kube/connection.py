"""A Kubernetes API server as the user of a kubeconfig reaches it: requests as plain data.

An object is a plain dict, as in a manifest.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from argojobs.client.answers import parsed
from argojobs.client.kube.credentials import Credentials
from argojobs.client.kube.failures import answered, misshapen
from argojobs.client.kube.kubeconfig import Access, read
from argojobs.client.kube.shapes import answer_fault

if TYPE_CHECKING:
    from argojobs.client.kube.transport import Transport

KUBECONFIG_VARIABLE = "KUBECONFIG"
USUAL_KUBECONFIG = "~/.kube/config"

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
#: Who we are for server-side apply.
MANAGER = "argojobs"


class Kube:
    """A Kubernetes API server.

    kubeconfig: a file, or several as KUBECONFIG has them; "" means that variable, else the usual
    file. context: one of its contexts, "" the current one. label: what messages call it, the name
    of our context.
    """

    def __init__(self, kubeconfig: str = "", context: str = "", *, label: str = "") -> None:
        given = kubeconfig or os.environ.get(KUBECONFIG_VARIABLE, "") or USUAL_KUBECONFIG
        self.kubeconfig = os.pathsep.join(
            str(Path(part).expanduser()) for part in given.split(os.pathsep) if part
        )
        self.context = context
        self.label = label or context or "the kubeconfig"
        self._lock = threading.Lock()
        self._transport: Transport | None = None

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        kind: str = "application/json",
    ) -> dict[str, Any]:
        """Make one request and return the JSON object of its answer.

        Args:
            method: GET, for example.
            path: below the server's URL.
            query: the fields of the query.
            body: what is sent as JSON, None for nothing.
            kind: the media type of it.

        Raises:
            UsageError, NotFoundError, ConflictError: as the server answers.
            ServerError: it is out of reach.
            ForeignAnswerError: the answer is not one of Kubernetes.
        """
        text = self.text(method, path, query=query, body=body, kind=kind)
        try:
            answer: dict[str, Any] = parsed(text)
        except ValueError:
            raise misshapen("it is not JSON" if text else "it is empty", self) from None
        fault = answer_fault(answer)
        if fault:
            raise misshapen(fault, self)
        return answer

    def text(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        kind: str = "application/json",
    ) -> bytes:
        """Make one request and return its answer as it came, a log for example.

        Args:
            method: GET, for example.
            path: below the server's URL.
            query: the fields of the query.
            body: what is sent as JSON, None for nothing.
            kind: the media type of it.

        Raises:
            UsageError, NotFoundError, ConflictError: as the server answers.
            ServerError: it is out of reach.
        """
        shown = self.headers()
        status, content = self.transport().send(
            method, path, shown, query=query, sent=body, kind=kind
        )
        if status == 401 and self.credentials.renew(shown):
            shown = self.headers()
            status, content = self.transport().send(
                method, path, shown, query=query, sent=body, kind=kind
            )
        if status not in range(200, 300):
            raise answered(status, content, self, method, path)
        return content

    def close(self) -> None:
        """Let go of the connections; the next request opens new ones."""
        with self._lock:
            if self._transport is not None:
                self._transport.close()
            self._transport = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        """The server's URL."""
        return self.access.cluster.server

    @property
    def namespace(self) -> str:
        """The namespace that the kubeconfig's context names; "" where it names none."""
        return self.access.namespace

    @property
    def token(self) -> str:
        """The token of the kubeconfig's user, "" where it shows a certificate; read anew."""
        return self.credentials.authorization().removeprefix("Bearer ")

    @cached_property
    def access(self) -> Access:
        """What the kubeconfig says. Raises UsageError for one that cannot be used."""
        return read(self.kubeconfig, self.context, self.label)

    @cached_property
    def credentials(self) -> Credentials:
        """Who we are. Raises UsageError for a kubeconfig that cannot be used."""
        return Credentials(self.access, self.label)

    def headers(self) -> list[tuple[str, str]]:
        """Return the headers that say who we are. Raises UsageError, HostError."""
        return self.credentials.headers()

    def transport(self) -> Transport:
        """Return the transport to the server, a new one where our certificate has changed.

        Raises UsageError for certificates that cannot be used.
        """
        from argojobs.client.kube.transport import Transport

        certificate = self.credentials.certificate
        with self._lock:
            if self._transport is None or self._transport.certificate != certificate:
                if self._transport is not None:
                    self._transport.close()
                self._transport = Transport(self, self.access.cluster, certificate)
            return self._transport
