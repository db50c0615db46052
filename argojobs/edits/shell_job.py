"""The job that waits for a shell: the program in its container, and those that reach it there.

They need `sh` and the usual small programs (sleep, mkdir, rm), in any image. What they know of
each other lies beside the run's results in a folder of the container, so that it is never kept:
the folder of the job, and the number of its process. Argo passes SIGTERM on to it (Argo docs:
emissary executor); SIGUSR1 is how it is ended in order.

The variables of the job may hold secrets, so they lie in a file that has no name any more, open
in the process: however that ends, nothing of them stays. Others find it by Linux's /proc.

On a cluster the job ends by itself after a time without use: GPUs of others depend on it. In use
means that it has more processes than at its beginning: those of a shell that waits for a command
end by `TMOUT`, which bash obeys (bash manual: Bash variables), ash mostly, and dash does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from argojobs.manifest.view import annotations_of
from argojobs.manifest.words import RUNS, SHELL
from argojobs.service import Workflow

#: After so many seconds without use a job on a cluster ends, unless something else is said.
IDLE = 2 * 60 * 60

_FOLDER = 'here="${ARGOJOBS_ROOT:-}/argojobs/out/.shell"\n'

#: The variables are noted before any of ours is set, which may have the name of one of them. A
#: network's disk keeps a file without a name beside the others while it is open anywhere.
_WAITS = (
    "variables=$(export -p)\n"
    + _FOLDER
    + """\
limit=$1 asleep=
over() {
  trap '' TERM USR1
  kill $asleep 2>/dev/null
  exec 3<&-
  rm -rf "$here"
  exit "$1"
}
trap 'echo "argojobs: ended"; over 0' USR1
trap 'over 143' TERM
trap 'over 130' INT
trap 'over 129' HUP
processes() {
  set -- /proc/[0-9]*
  count=$#
}
command -v sleep >/dev/null || { echo "argojobs: the image has no sleep" >&2; exit 1; }
mkdir -p "$ARGOJOBS_OUT" && mkdir -m 700 "$here" || exit 1
pwd >"$here/folder"
(umask 077 && : >"$here/variables") && exec 3<>"$here/variables" || exit 1
rm -f "$here/variables"
printf '%s\\n' "$variables" >&3
[ "$limit" -eq 0 ] || echo "export TMOUT=$limit" >&3
processes
alone=$count idle=0 pause=60
[ "$limit" -eq 0 ] || [ "$limit" -ge "$pause" ] || pause=$limit
echo $$ >"$here/process"
echo "argojobs: waiting for a shell"
while :; do
  sleep "$pause" >/dev/null 2>&1 3<&- &
  asleep=$!
  wait "$asleep" || over 1
  [ "$limit" -gt 0 ] || continue
  processes
  idle=$((idle + pause))
  [ "$count" -le "$alone" ] || idle=0
  [ "$idle" -lt "$limit" ] || { echo "argojobs: ended after $limit seconds without use"; over 0; }
done
"""
)

#: Waits until the job has told where it is, for a minute, and runs a program there.
_ENTERS = (
    _FOLDER
    + """\
tries=0
until [ -s "$here/process" ] || [ "$tries" -ge 60 ]; do
  tries=$((tries + 1))
  sleep 1
done
[ ! -f "$here/folder" ] || { IFS= read -r folder <"$here/folder" && cd "$folder"; }
if [ -f "$here/process" ] && read -r process <"$here/process"; then
  if [ -r "/proc/$process/fd/3" ]; then
    . "/proc/$process/fd/3"
  else
    echo "argojobs: the variables of the job are out of reach" >&2
  fi
fi
exec "$@"
"""
)

_ENDS = _FOLDER + 'read -r process <"$here/process" && kill -USR1 "$process"\n'


def waiting(idle: int) -> list[str]:
    """Return the command that waits. idle: ends it after so many seconds without use, 0 never."""
    return ["sh", "-c", _WAITS, "argojobs-shell", str(idle)]


def entering(command: Sequence[str]) -> list[str]:
    """Return the command that runs another one in the folder and with the variables of the job."""
    return ["sh", "-c", _ENTERS, "argojobs-shell", *command]


def ending() -> list[str]:
    """Return the command that ends the job in order."""
    return ["sh", "-c", _ENDS]


def waits_for_shell(workflow: Workflow) -> bool:
    """Tell whether a run is a job that waits for a shell."""
    annotations = annotations_of(workflow)
    return annotations.get(RUNS) == SHELL
