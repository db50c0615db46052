"""Programs that cannot begin, and how they ended.

Source: Argo's emissary (exit code 64 with the reason), the shell's exit codes, sysexits, Python's
own messages; as recorded.
"""

from __future__ import annotations

import re

from argojobs.diagnosis.cause import Cause, told, words_of
from argojobs.diagnosis.evidence import Subject
from argojobs.diagnosis.finding import Answer
from argojobs.diagnosis.log_end import last_error

_EXIT = re.compile(
    r"(?P<container>[\w.-]+): (?:Error|Failed|StartError) \(exit code (?P<code>\d+)\)"
)
_REFUSED = 78
_MODULE = re.compile(
    r"ModuleNotFoundError: No module named '(?P<name>[^']+)'"
    r"|ImportError: cannot import name '(?P<part>[^']+)'"
)

_MEANINGS = {
    64: "Argo's executor could not start it",
    126: "the command cannot be executed",
    127: "the shell found no such command",
    130: "it was interrupted (SIGINT)",
    132: "it was killed by SIGILL: an instruction that this CPU does not have",
    134: "it gave up by itself (SIGABRT)",
    135: "it was killed by SIGBUS, often because /dev/shm is full",
    136: "it was killed by SIGFPE",
    137: "it was killed (SIGKILL), often because memory ran out",
    139: "it crashed (SIGSEGV, segmentation fault)",
    143: "it was asked to end (SIGTERM)",
}


def _before_first_line(subject: Subject) -> Answer | None:
    """A step of ours ended before the user's first line: import, parameters, inputs."""
    found = _EXIT.search(subject.message)
    if found is None or int(found["code"]) != _REFUSED or not _ours(subject):
        return None
    why = last_error(tuple(subject.log)) or _last_line(subject)
    return Answer(
        f"the step ended before your first line ran{f': {why}' if why else ''}",
        "what its log names (an import, a parameter, an input) has to be corrected; a retry would "
        "fail the same way",
        _logs(subject),
    )


def _ours(subject: Subject) -> bool:
    return any(one.get("name") == "ARGOJOBS_RUN" for one in subject.main.get("env") or ())


def _last_line(subject: Subject) -> str:
    return next((line.strip() for line in reversed(subject.log) if line.strip()), "")


def _python_error(subject: Subject) -> Answer | None:
    """The program ended with a Python traceback."""
    found = _EXIT.search(subject.message)
    error = last_error(tuple(subject.log)) if found else ""
    if found is None or not error:
        return None
    return Answer(
        f"the program ended with {error} (exit code {found['code']})",
        "the traceback in its log says where",
        _logs(subject),
    )


def exit_code(subject: Subject) -> Answer | None:
    """The program ended with a code that means something, or does not."""
    found = _EXIT.search(subject.message)
    if found is None:
        return None
    code, container = int(found["code"]), found["container"]
    who = "the program" if container == "main" else f"the container {container}"
    told = subject.message[found.end() :].strip(" :;").partition("\n")[0]
    meaning = told or _MEANINGS.get(code, "")
    return Answer(
        f"{who} ended with exit code {code}{f': {meaning}' if meaning else ''}",
        "its log says more",
        _logs(subject),
    )


def _logs(subject: Subject) -> str:
    words = words_of(subject)
    return f"argojobs logs {words['run']} {subject.title}{words['options']}"


def beside(subject: Subject) -> Answer | None:
    """A container beside or before main failed."""
    for name, state in subject.states("terminated"):
        code = int(state.get("exitCode") or 0)
        if name in {"main", "wait", "init"} or not code:
            continue
        before = {one.get("name") for one in subject.spec.get("initContainers") or ()}
        kind = "init container" if name in before else "sidecar"
        why = str(state.get("message") or "").strip().partition("\n")[0]
        words = words_of(subject)
        return Answer(
            f"the {kind} {name} failed with exit code {code}{f': {why}' if why else ''}",
            "its log says why",
            f"{words['kubectl']} logs {words['pod']} -c {name}",
        )
    return None


def missing_module(subject: Subject) -> Answer | None:
    """Python lacks a module that the program imports."""
    found = subject.search_log(_MODULE)
    if found is None:
        return None
    name, words = found["name"] or found["part"], words_of(subject)
    what = f"Python finds no module {name}: {words['place']} does not have it"
    if subject.evidence.local:
        return Answer(what, "install it into the Python that runs the steps", f"pip install {name}")
    return Answer(
        what,
        "add it to the project's requirements and have the image built, or use an image that has it",
        f"argojobs run FILE --requirements requirements.txt{words['options']}",
    )


def _absent_file(subject: Subject) -> Answer | None:
    """The program misses a file that this machine has."""
    found = subject.evidence.absent.get(str(subject.node.get("id", "")))
    return Answer(*found) if found else None


FIRST = (
    Cause("absent-file", _absent_file),
    told(
        "bad-command",
        r"exec: \"(?P<program>[^\"]+)\": (?:executable file not found|stat \S+: no such file)"
        r"|fork/exec (?P<path>\S+): no such file",
        "{place} has no program {program}{path}",
        "correct the command, or use an image that has it",
    ),
    told(
        "command-denied",
        r"exec: \"(?P<program>[^\"]+)\": permission denied|fork/exec (?P<path>\S+): permission denied",
        "{program}{path} ({place}) is not a program that may be executed",
        "make it executable (chmod +x), or start it with its interpreter",
    ),
    told(
        "working-folder",
        r"(?:chdir to cwd \(\"|chdir |mkdir )(?P<path>/[^\s\":)]*)[^\n]*?"
        r"(?:no such file|not a directory|permission denied)",
        "the step's working folder {path} is none in the image",
        "correct workingDir, or leave it out",
    ),
    Cause("before-first-line", _before_first_line),
    Cause("missing-module", missing_module),
    told(
        "program-missing",
        r"(?:sh|bash|ash)[^\n]*: (?P<name>[\w./-]+): (?:command )?not found",
        "the shell finds no program {name}: {place} does not have it",
        "install it in the image, or correct its name",
        where="log",
    ),
)
LAST = (
    Cause("init-or-sidecar", beside),
    Cause("python-error", _python_error),
    Cause("exit-code", exit_code),
)
