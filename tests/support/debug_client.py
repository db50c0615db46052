"""A client of the Debug Adapter Protocol, as an editor is one: for tests against a real debugpy.

Source: Microsoft's Debug Adapter Protocol specification. Each message is a JSON object after a
`Content-Length` header. The order that debugpy wants: `initialize`, `attach` (answered only
later), then its event `initialized`, breakpoints, `configurationDone`, and now the answer to
`attach`.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Self

#: Seconds after which a peer is taken for dead: a guard against tests that never end.
GUARD = 60.0


class DebugClientError(AssertionError):
    """The debug adapter refused a request, hung up, or did not say what was waited for."""


class DebugClient:
    """One debugging session with the debug adapter that listens at `host:port`.

    Leaving the context closes the socket and says nothing to the adapter, as a killed editor
    does; `disconnect` is the polite way.
    """

    def __init__(self, host: str, port: int, *, timeout: float = GUARD) -> None:
        self.timeout = timeout
        self.capabilities: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []
        self._pending: list[dict[str, Any]] = []
        self._responses: dict[int, dict[str, Any]] = {}
        self._last = 0
        self._attach = 0
        self._buffer = b""
        self._socket = socket.create_connection((host, port), timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    # The handshake

    def initialize(self) -> dict[str, Any]:
        """Introduce ourselves; return what the adapter can do."""
        self.capabilities = self.request(
            "initialize",
            clientID="argojobs-tests",
            adapterID="debugpy",
            linesStartAt1=True,
            columnsStartAt1=True,
            pathFormat="path",
        )
        return self.capabilities

    def attach(
        self,
        path_mappings: Sequence[tuple[str, str]] = (),
        *,
        just_my_code: bool = False,
        sub_process: int = 0,
    ) -> None:
        """Ask to attach, and wait until breakpoints may be set.

        path_mappings: pairs of a folder here and the same folder as the program sees it.
        sub_process: a process that the program has started, as its event `debugpyAttach` says.
        """
        self._attach = self._send(
            "attach",
            {
                "name": "tests",
                "type": "debugpy",
                "request": "attach",
                "justMyCode": just_my_code,
                "pathMappings": [
                    {"localRoot": local, "remoteRoot": remote} for local, remote in path_mappings
                ],
                **({"subProcessId": sub_process} if sub_process else {}),
            },
        )
        self.wait_for_event("initialized")

    def set_breakpoints(self, path: str, lines: Iterable[int]) -> list[dict[str, Any]]:
        """Set the breakpoints of a file, instead of those it had; return what became of each."""
        answer = self.request(
            "setBreakpoints",
            source={"path": str(path)},
            breakpoints=[{"line": line} for line in lines],
        )
        found: list[dict[str, Any]] = answer["breakpoints"]
        return found

    def set_exception_breakpoints(self, filters: Iterable[str]) -> None:
        """Say at which exceptions to stop: `raised`, `uncaught`, `userUnhandled`."""
        self.request("setExceptionBreakpoints", filters=list(filters))

    def configuration_done(self) -> None:
        """Let the program go on: all breakpoints are set. Takes the answer to `attach`, too."""
        self.request("configurationDone")
        if self._attach:
            self._response_to(self._attach, "attach")
            self._attach = 0

    def disconnect(self, *, terminate: bool = False) -> None:
        """Leave the program, which goes on (or ends: terminate)."""
        self.request("disconnect", terminateDebuggee=terminate)

    # A program that has stopped

    def threads(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.request("threads")["threads"]
        return found

    def stack(self, thread_id: int) -> list[dict[str, Any]]:
        """Return the frames of a thread that stopped, the innermost first."""
        found: list[dict[str, Any]] = self.request("stackTrace", threadId=thread_id)["stackFrames"]
        return found

    def variables_of(self, frame_id: int) -> dict[str, str]:
        """Return the local variables of a frame, each with its value as text.

        debugpy's own groups (`special variables`) have names that no variable has.
        """
        scopes = self.request("scopes", frameId=frame_id)["scopes"]
        local = next(scope for scope in scopes if scope["name"] == "Locals")
        variables = self.request("variables", variablesReference=local["variablesReference"])
        return {
            one["name"]: one["value"]
            for one in variables["variables"]
            if one["name"].isidentifier()
        }

    def evaluate(self, expression: str, frame_id: int) -> str:
        """Return the value of an expression in a frame, as text."""
        answer = self.request("evaluate", expression=expression, frameId=frame_id, context="repl")
        return str(answer["result"])

    def exception_info(self, thread_id: int) -> dict[str, Any]:
        """Return what is known of the exception at which a thread stopped."""
        return self.request("exceptionInfo", threadId=thread_id)

    def continue_(self, thread_id: int) -> None:
        self.request("continue", threadId=thread_id)

    def next_(self, thread_id: int) -> None:
        """Step to the next line; its `stopped` event follows."""
        self.request("next", threadId=thread_id)

    # The protocol

    def wait_for_event(self, name: str, timeout: float | None = None) -> dict[str, Any]:
        """Take the first event of a name that was not taken yet; return its body.

        Raises DebugClientError, with all the events seen so far, where none comes.
        """
        until = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            for event in self._pending:
                if event["event"] == name:
                    self._pending.remove(event)
                    body: dict[str, Any] = event.get("body") or {}
                    return body
            self._receive(until, f"no event {name!r}")

    def request(self, command: str, /, **arguments: Any) -> dict[str, Any]:
        """Send a request and return the body of its answer. Raises DebugClientError."""
        return self._response_to(self._send(command, arguments), command)

    def _send(self, command: str, arguments: dict[str, Any]) -> int:
        self._last += 1
        message = {
            "seq": self._last,
            "type": "request",
            "command": command,
            "arguments": arguments,
        }
        body = json.dumps(message).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self._last

    def _response_to(self, number: int, command: str) -> dict[str, Any]:
        until = time.monotonic() + self.timeout
        while number not in self._responses:
            self._receive(until, f"no answer to {command!r}")
        response = self._responses.pop(number)
        if not response["success"]:
            raise DebugClientError(f"{command} was refused: {response.get('message')}")
        body: dict[str, Any] = response.get("body") or {}
        return body

    def _receive(self, until: float, missing: str) -> None:
        """Read one message and put it where it belongs."""
        message = self._message(until, missing)
        if message["type"] == "response":
            self._responses[message["request_seq"]] = message
        elif message["type"] == "event":
            self.events.append(message)
            self._pending.append(message)
        else:
            raise DebugClientError(f"the adapter asked for {message.get('command')!r}")

    def _message(self, until: float, missing: str) -> dict[str, Any]:
        while b"\r\n\r\n" not in self._buffer:
            self._more(until, missing)
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n"))
        length = int(fields[b"Content-Length"])
        while len(self._buffer) < length:
            self._more(until, missing)
        body, self._buffer = self._buffer[:length], self._buffer[length:]
        message: dict[str, Any] = json.loads(body)
        return message

    def _more(self, until: float, missing: str) -> None:
        left = until - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            data = self._socket.recv(1 << 16)
        except TimeoutError:
            raise DebugClientError(f"{missing} in time; events: {self._seen()}") from None
        if not data:
            raise DebugClientError(f"{missing}: the adapter hung up; events: {self._seen()}")
        self._buffer += data

    def _seen(self) -> str:
        return json.dumps([(event["event"], event.get("body")) for event in self.events])
