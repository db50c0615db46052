"""A process executor of a test."""

from __future__ import annotations

from pathlib import Path

from argojobs.engine.executors.process.executor import ProcessExecutor


class closing_process_executor:
    """A process executor, closed at the end; its forkserver is waited for."""

    def __init__(self, home: Path) -> None:
        self.executor = ProcessExecutor(home)

    def __enter__(self) -> ProcessExecutor:
        return self.executor

    def __exit__(self, *_: object) -> None:
        server = self.executor._server
        self.executor.close()
        if server is not None:
            server.returncode = None
            server.wait(60)
