# travels with: job
"""Influx: each value is a point, sent to Telegraf over UDP or to a database over HTTP.

The measurement is the value's name, with the fields `value` and `iteration` (the row's step) and
the tags `run`, `step` (the step of the pipeline), `attempt`, `rank`, `host` and `user`. All numbers
are sent as floats: Influx refuses a field whose type changes. Rows of the same name and the same
time would replace each other, so a time that was just used is moved by nanoseconds.
"""

from __future__ import annotations

import re
import socket
from abc import abstractmethod
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from argojobs.job.asking import HTTP as URL
from argojobs.job.asking import UDP
from argojobs.job.batch import Batch
from argojobs.job.sinks.background import Background, NotNow
from argojobs.job.sinks.line_protocol import measurement, tags
from argojobs.job.sinks.sink import Process

if TYPE_CHECKING:
    from http.client import HTTPConnection

DATABASE, USER, PASSWORD = (f"ARGOJOBS_INFLUX_{name}" for name in ("DATABASE", "USER", "PASSWORD"))
ORG, BUCKET, TOKEN = (f"ARGOJOBS_INFLUX_{name}" for name in ("ORG", "BUCKET", "TOKEN"))

#: The database of training values, beside Telegraf's own.
DEFAULT_DATABASE = "training"
#: What fits into one packet of nearly every network, so that no part of it can be lost alone.
LARGEST_DATAGRAM = 1400
#: A line that is longer than that goes alone, up to what UDP can carry.
LARGEST_LINE = 65_000
#: The most bytes of one request.
LARGEST_BODY = 500_000
CONNECT_SECONDS, ANSWER_SECONDS = 2.0, 5.0

#: Times that go back by less than this are the same moment, in nanoseconds.
_SAME_MOMENT = 1_000_000
#: Of an answer, so many characters are shown, and so many bytes read.
_SHOWN, _LONGEST_ANSWER = 200, 1_000_000
_DROPPED = re.compile(r"\bdropped=(\d+)")


class Lines:
    """Makes lines of batches; what is the same in each line of a name is made once."""

    def __init__(self, process: Process) -> None:
        """Make the tags that each point has. process: whose rows they are."""
        self._tags = tags(process.tags)
        self._heads: dict[str, str] = {}
        self._last = 0

    def of(self, batch: Batch) -> tuple[list[bytes], int]:
        """Return a line for each value, and how many values Influx does not have."""
        heads = [self._heads.get(name) or self._head(name) for name in batch.values]
        lines: list[bytes] = []
        for time, step, *row in zip(batch.time, batch.step, *batch.values.values(), strict=True):
            moment = round(time * 1e6) * 1000  # a float knows no more
            if 0 <= self._last - moment < _SAME_MOMENT:
                moment = self._last + 1
            self._last = moment
            iteration = _number(step)
            end = f",iteration={iteration} {moment}\n" if iteration else f" {moment}\n"
            for head, value in zip(heads, row, strict=True):
                if number := _number(value):
                    lines.append((head + number + end).encode("utf-8", "replace"))
        return lines, len(batch.time) * len(heads) - len(lines)

    def _head(self, name: str) -> str:
        head = f"{measurement(name)}{self._tags} value="
        self._heads[name] = head
        return head


def _number(value: float) -> str:
    """Return a number as a float of a line; "" for NaN, infinities and what is too large."""
    try:
        text = repr(float(value))
    except OverflowError:
        return ""
    return "" if text in {"nan", "inf", "-inf"} else text


class Influx(Background):
    """What both ways have in common: lines that were made wait until they are sent."""

    #: The most bytes of lines that go in one piece.
    largest: int

    def __init__(self, name: str, process: Process, say: Callable[[str], object]) -> None:
        """Make a sink. name: what it writes to; process: whose rows; say: tells the user."""
        super().__init__(name, say)
        self._lines = Lines(process)
        self._of: list[Batch] | None = None
        self._pieces: list[list[bytes]] = []

    @abstractmethod
    def send(self, lines: list[bytes]) -> None:
        """Send lines in one piece. Raises NotNow to be given them again, last part first."""

    def deliver(self, batches: list[Batch]) -> None:
        """Send what was not sent of these batches when they were last given."""
        if batches is not self._of:
            self._of = batches
            made = [self._lines.of(batch) for batch in batches]
            if without := sum(count for _, count in made):
                self.drop(without, "NaN, infinity and numbers beyond 1.8e308 are not in Influx")
            self._pieces = _pieces([line for lines, _ in made for line in lines], self.largest)
            self._pieces.reverse()
        while self._pieces:
            self.send(self._pieces[-1])
            self._pieces.pop()


def _pieces(lines: list[bytes], largest: int) -> list[list[bytes]]:
    """Part lines into pieces of at most so many bytes; a line that is longer is a piece."""
    pieces: list[list[bytes]] = []
    size = largest
    for line in lines:
        size += len(line)
        if size > largest:
            pieces.append([])
            size = len(line)
        pieces[-1].append(line)
    return pieces


class Udp(Influx):
    """Telegraf's socket listener (or Influx' own): datagrams, which may be lost on their way."""

    largest = LARGEST_DATAGRAM

    def __init__(self, address: str, process: Process, say: Callable[[str], object]) -> None:
        """Make a sink. address: host:port; process: whose rows; say: tells the user."""
        super().__init__(f"Influx at udp://{address}", process, say)
        self._host, self._port = _host_and_port(address)
        self._socket: socket.socket | None = None

    def send(self, lines: list[bytes]) -> None:
        """Send one datagram; nobody says whether it arrived."""
        data = b"".join(lines)
        if len(data) > LARGEST_LINE:
            self.drop(len(lines), f"a line of more than {LARGEST_LINE} bytes fits no datagram")
            return
        try:
            if self._socket is None:
                self._socket = _connected(self._host, self._port)
            self._socket.send(data)
        except OSError as error:  # refused: nobody listens; that was the last datagram's answer
            self.finish()
            self.drop(len(lines), str(error.strerror or error))

    def finish(self) -> None:
        """Close the socket."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"{UDP} is host:port, not {address!r}")
    return host.strip("[]"), int(port)


def _connected(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    found = socket.socket(family, kind, protocol)
    found.connect(place)
    return found


class Server(NamedTuple):
    """A database that is written to over HTTP. As a text it is its address, without secrets."""

    scheme: str
    host: str
    port: int
    path: str
    authorization: str = ""
    secrets: tuple[str, ...] = ()

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def __repr__(self) -> str:
        return str(self)


def server(environment: Mapping[str, str]) -> Server:
    """Return the database that the environment names: with a bucket version 2, else version 1.

    Raises ValueError if its URL is none.
    """
    parts = urlsplit(environment[URL].strip())
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == -1:
        raise ValueError(f"{URL} is no http:// or https:// address of a server")
    token = environment.get(TOKEN, "")
    user = environment.get(USER) or unquote(parts.username or "")
    password = environment.get(PASSWORD) or unquote(parts.password or "")
    bucket = environment.get(BUCKET, "")
    base = parts.path.rstrip("/")
    if bucket:
        organisation = environment.get(ORG, "")
        path = f"{base}/api/v2/write?org={_quoted(organisation)}&bucket={_quoted(bucket)}"
    else:
        path = f"{base}/write?db={_quoted(environment.get(DATABASE) or DEFAULT_DATABASE)}"
    authorization = ""
    if token:
        authorization = f"Token {token}"
    elif user:
        authorization = f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"
    return Server(
        parts.scheme,
        parts.hostname,
        port or {"http": 8086, "https": 443}[parts.scheme],
        f"{path}&precision=ns",
        authorization,
        tuple(secret for secret in (token, password, authorization.rpartition(" ")[2]) if secret),
    )


def _quoted(text: str) -> str:
    return quote(text, safe="")


class Http(Influx):
    """A database over HTTP; what it refuses is dropped, what it cannot take now is kept."""

    largest = LARGEST_BODY

    def __init__(self, place: Server, process: Process, say: Callable[[str], object]) -> None:
        """Make a sink. place: the database; process: whose rows; say: tells the user."""
        super().__init__(f"Influx at {place}", process, say)
        self._server = place
        self._connection: HTTPConnection | None = None

    def send(self, lines: list[bytes]) -> None:
        """Make one request, in halves if it is too large for the server."""
        status, text = self._answer(b"".join(lines))
        if status == 413 and len(lines) > 1:
            middle = len(lines) // 2
            self.send(lines[:middle])
            self.send(lines[middle:])
        elif status == 429 or status >= 500:
            raise NotNow(f"HTTP {status}: {text}")
        elif not 200 <= status < 300:
            self.drop(_refused(text, len(lines)), f"HTTP {status}: {text[:_SHOWN]}")

    def _answer(self, body: bytes) -> tuple[int, str]:
        """Ask on the connection that is there; one that the server has closed meanwhile, anew."""
        from http.client import HTTPException

        kept = self._connection is not None
        try:
            return self._request(body)
        except (OSError, HTTPException) as error:
            self.finish()
            if kept:
                return self._answer(body)
            why = self._without_secrets(str(error))[:_SHOWN] or type(error).__name__
            raise NotNow(why) from None

    def _request(self, body: bytes) -> tuple[int, str]:
        headers = {"Content-Type": "text/plain; charset=utf-8"}
        if self._server.authorization:
            headers["Authorization"] = self._server.authorization
        connection = self._connection or self._connect()
        connection.request("POST", self._server.path, body, headers)
        answer = connection.getresponse()
        text = answer.read(_LONGEST_ANSWER).decode("utf-8", "replace")
        if not answer.isclosed():  # its rest would be the next answer's beginning
            self.finish()
        return answer.status, self._without_secrets(text)

    def _connect(self) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection

        kind = HTTPSConnection if self._server.scheme == "https" else HTTPConnection
        connection = kind(self._server.host, self._server.port, timeout=CONNECT_SECONDS)
        connection.connect()
        connection.sock.settimeout(ANSWER_SECONDS)
        self._connection = connection
        return connection

    def _without_secrets(self, text: str) -> str:
        for secret in self._server.secrets:
            text = text.replace(secret, "***")
        return " ".join(text.split())

    def finish(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _refused(answer: str, lines: int) -> int:
    """Return how many of the lines the server did not take, as far as its answer says so."""
    if "partial write" not in answer:
        return lines
    dropped = _DROPPED.search(answer)
    found = int(dropped[1]) if dropped and int(dropped[1]) else answer.count("unable to parse")
    return min(found or 1, lines)
