"""A Kubernetes API server as the user of a kubeconfig reaches it: requests as plain data.

The library reads the kubeconfig (certificates, tokens, programs that print credentials) and keeps
the connections. Its generated models are not used: an object is a plain dict, as in a manifest.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from argojobs.client.answers import parsed
from argojobs.client.kube.failures import (
    answered,
    misshapen,
    no_credentials,
    no_kubeconfig,
    out_of_reach,
)
from argojobs.client.kube.shapes import answer_fault
from argojobs.net.bounds import BoundsError
from argojobs.net.pools import bound

#: Seconds: until a connection stands, until an answer is there.
TIMEOUT = (5.0, 30.0)

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

        Raises UsageError, NotFoundError and ConflictError as the server answers, ServerError
        where it is out of reach, ForeignAnswerError for what Kubernetes does not answer.
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
        """Make one request and return its answer as it came, a log for example. Raises as `ask`."""
        from kubernetes.client.exceptions import ApiException
        from urllib3.exceptions import HTTPError

        try:
            answer: bytes = self.client.call_api(
                path,
                method,
                query_params=list((query or {}).items()),
                header_params={"Accept": "application/json, */*", "Content-Type": kind},
                body=body,
                auth_settings=["BearerToken"],
                response_type=None,
                _return_http_data_only=True,
                _preload_content=False,
                _request_timeout=TIMEOUT,
            ).data
        except ApiException as error:
            raise answered(error.status or 0, _text(error), self, method, path) from error
        except HTTPError as error:
            raise out_of_reach(error, self) from error
        except BoundsError as error:
            raise misshapen(str(error), self) from error
        return answer

    def close(self) -> None:
        """Let go of the connections."""
        if "client" in self.__dict__:
            self.client.rest_client.pool_manager.clear()
            self.client.close()
            del self.client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        """The server's URL."""
        return str(self.client.configuration.host)

    @property
    def namespace(self) -> str:
        """The namespace that the kubeconfig's context names; "" where it names none."""
        return str((self._contexts[1].get("context") or {}).get("namespace") or "")

    @property
    def token(self) -> str:
        """The token of the kubeconfig's user, "" where it shows a certificate; read anew."""
        found = self.client.configuration.get_api_key_with_prefix("authorization")
        return str(found or "").removeprefix("Bearer ")

    @cached_property
    def client(self) -> Any:
        """The library's client. Raises UsageError and HostError for a kubeconfig that gives none."""
        from kubernetes import config

        user = (self._contexts[1].get("context") or {}).get("user", "")
        told = _Told()
        logging.getLogger().addHandler(told)
        try:
            made = config.new_client_from_config(
                self.kubeconfig, self._contexts[1]["name"], persist_config=False
            )
        except config.ConfigException as error:
            raise no_kubeconfig(str(error), self) from error
        finally:
            logging.getLogger().removeHandler(told)
        settings = made.configuration
        if told.texts and not settings.api_key and not settings.cert_file:
            raise no_credentials(user, told.texts[0], self)
        settings.retries = 0
        client = type(made)(settings)
        bound(client.rest_client.pool_manager)
        return client

    @cached_property
    def _contexts(self) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """All contexts of the kubeconfig, and the chosen one."""
        from kubernetes import config
        from yaml import YAMLError

        try:
            every, current = config.list_kube_config_contexts(self.kubeconfig)
        except (config.ConfigException, YAMLError, OSError) as error:
            raise no_kubeconfig(str(error), self) from error
        if not self.context:
            return every, current
        chosen = [one for one in every if one.get("name") == self.context]
        if not chosen:
            names = ", ".join(str(one.get("name")) for one in every)
            raise no_kubeconfig(f"it has no context {self.context!r}, only: {names}", self)
        return every, chosen[0]


class _Told(logging.Handler):
    """What the library says of programs that give no credentials: it only logs it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def _text(error: Any) -> str:
    body = error.body
    if isinstance(body, bytes):
        return body.decode("utf-8", "replace")
    return str(body or error.reason or "")
