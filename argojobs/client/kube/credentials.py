"""Who we are to an API server: the headers of a request and the certificate, renewed when they end.

Source: client-go, `transport` (a token of a file wins over the one beside it; a program is asked
only where neither a token nor a password is given).
"""

from __future__ import annotations

import base64
import threading
from datetime import UTC, datetime
from pathlib import Path

from argojobs.client.kube.kubeconfig import Access, Pem, User, unusable
from argojobs.client.kube.plugin import Printed, printed_by
from argojobs.net.known_secrets import remember


class Credentials:
    """What a kubeconfig's user shows. Threads may ask at the same time.

    label: what messages call the place.
    """

    def __init__(self, access: Access, label: str) -> None:
        self._access = access
        self._label = label
        self._lock = threading.Lock()
        self._printed: Printed | None = None

    @property
    def certificate(self) -> tuple[Pem, Pem] | None:
        """The client certificate and its key: the kubeconfig's, or else what its program printed."""
        printed = self._of_plugin()
        return self._access.user.certificate or (printed.certificate if printed else None)

    def authorization(self) -> str:
        """Return the header that says who we are; "" where a certificate or nobody says it.

        Raises UsageError for a file that cannot be read, HostError for a program that fails.
        """
        user, printed = self._access.user, self._of_plugin()
        if user.username:
            remember(user.password)
            pair = f"{user.username}:{user.password}".encode()
            return f"Basic {remember(base64.b64encode(pair).decode())}"
        token = printed.token if printed else self._token(user)
        return f"Bearer {remember(token)}" if token else ""

    def headers(self) -> list[tuple[str, str]]:
        """Return all headers that say who we are and as whom we act; a name may come again."""
        shown = self.authorization()
        own = [("Authorization", shown)] if shown else []
        return [*own, *self._access.user.impersonation]

    def renew(self, refused: list[tuple[str, str]]) -> bool:
        """Ask anew for what may have changed; tell whether another try is worth it after a refusal.

        refused: the headers that the server did not accept.
        """
        with self._lock:
            self._printed = None
        user = self._access.user
        return self._asks_plugin or (bool(user.token_file) and self.headers() != refused)

    @property
    def _asks_plugin(self) -> bool:
        user = self._access.user
        return user.plugin is not None and not (user.username or user.token or user.token_file)

    def _of_plugin(self) -> Printed | None:
        """Return what the kubeconfig's program prints, asked once until that ends."""
        plugin = self._access.user.plugin
        if plugin is None or not self._asks_plugin:
            return None
        with self._lock:
            if self._printed is None or self._printed.ends <= datetime.now(UTC):
                cluster, name = self._access.cluster, self._access.user.name
                self._printed = printed_by(plugin, cluster, name, self._label)
            return self._printed

    def _token(self, user: User) -> str:
        if not user.token_file:
            return user.token
        try:
            read = Path(user.token_file).read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            read = ""
        token = read if read.isprintable() and read else user.token
        if not token:
            what = f"user {user.name!r}: tokenFile {user.token_file} holds no token"
            raise unusable(self._access.file, what, self._label)
        return token
