"""What is known of a run while it is followed, shared by the threads that watch, read and draw."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from argojobs.cli import phases
from argojobs.cli.text import Line, Screen, Span, wrapped
from argojobs.cli.view import LOG_LINES, counts, tree_lines
from argojobs.runs.view.followed import Followed
from argojobs.runs.view.phases import word
from argojobs.runs.view.times import run_time
from argojobs.runs.waiting import awaited
from argojobs.service import Workflow, phase_of

#: Lines around the tree: the headline, a blank one, the line of progress, the cursor's.
FRAME = 4


class Picture(Followed):
    """The newest state of a run and the newest log lines of each pod.

    options: what a command must say to get to it.
    """

    def __init__(self, workflow: Workflow, options: str = "") -> None:
        super().__init__(workflow)
        self.options = options
        self._logs: dict[str, deque[str]] = {}
        self._unfinished: set[str] = set()  # pods whose last line is
        self.note = ""
        self._told: dict[str, tuple[str, ...]] = {}

    def add_line(self, node_id: str, text: str, *, unfinished: bool = False) -> None:
        """Take a log line of a pod, in the place of one that was unfinished.

        Args:
            node_id: of the pod's node.
            text: of the line, without its newline.
            unfinished: whether it goes on, as a progress bar does.
        """
        with self._lock:
            lines = self._logs.setdefault(node_id, deque(maxlen=LOG_LINES))
            if node_id in self._unfinished:
                lines.pop()
                self._unfinished.discard(node_id)
            lines.append(text)
            if unfinished:
                self._unfinished.add(node_id)

    def tell(self, subject: str, lines: Sequence[str]) -> None:
        """Show some lines about a subject in place of those before; none takes them back."""
        with self._lock:
            self._told[subject] = tuple(lines)

    def logs(self) -> dict[str, tuple[str, ...]]:
        """Return the newest log lines of each pod."""
        with self._lock:
            return {pod: tuple(lines) for pod, lines in self._logs.items() if lines}

    @property
    def phase(self) -> str:
        """The run's phase, as a word."""
        return word(phase_of(self.workflow))

    def lines(self, now: float, screen: Screen) -> list[Line]:
        """Draw the run at a moment so that it fits the screen."""
        with self._lock:
            workflow, steps, note = self.workflow, self.steps, self.note
            told = _fitting(
                [
                    [part for line in lines for part in wrapped(line, max(20, screen.width - 4))]
                    for lines in self._told.values()
                ],
                screen.height // 2,
            )
        logs = self.logs()
        height = max(3, screen.height - FRAME - bool(note) - len(told))
        mark, style = phases.sign(self.phase, signs=screen.signs)
        head: list[Span] = [(f"{mark} ", style), (str(workflow["metadata"]["name"]), "bold")]
        foot: list[Span] = [("  " + counts(steps), ""), (f"   {run_time(workflow, now)}", "dim")]
        waits = awaited(workflow, self.options)
        if waits:
            head.append((f"  {waits}", "yellow"))
        lines: list[Line] = [head]
        lines.extend(tree_lines(steps, now, screen, height=height, logs=logs))
        lines.append(foot)
        lines.extend([("  " + line, "yellow")] for line in told)
        if note:
            lines.append([("  " + note, "yellow")])
        return lines


def _fitting(told: Sequence[Sequence[str]], most: int) -> list[str]:
    """Return what is told of each subject; where it is too much, the first line of each."""
    lines = [line for each in told for line in each]
    return lines if len(lines) <= most else [each[0] for each in told if each][:most]
