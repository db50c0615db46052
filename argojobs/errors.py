"""All errors of argojobs, one tree by what the reader can do about them.

ArgojobsError                what happened, where, and what to do next
├── UsageError               (exit 2) wrong usage or input: change it and try again
│   ├── DefinitionError      a mistake in a step or pipeline: found while writing or tracing it
│   ├── UserCodeError        the user's own file failed to import; carries its traceback
│   ├── ManifestError        a manifest that cannot be read or is not a valid Workflow
│   │   ├── ExpressionError  an expression, `when` or `depends` that does not parse or evaluate
│   │   └── TagError         a `{{...}}` tag that does not resolve or breaks the text around it
│   ├── ParameterError       a parameter or artifact argument: unknown, missing, or of a wrong type
│   ├── BundleError          code that cannot be packed
│   ├── UnsupportedError     a field this engine cannot honour; nothing was started
│   ├── NotFoundError        no such run, step or artifact (or several)
│   ├── ConflictError        the name is taken, or the run is in a state that forbids the verb
│   └── HostError            this machine: no space, no permission, a missing program, a bad home
├── StepError                (exit 78) inside a step, before the user's first line
│   └── InputError           a parameter or artifact of the step did not arrive as declared
├── OutputError              (exit 1) inside a step: an output was not set or cannot be written
├── RunFailedError           (exit 1) the run ended Failed or Error
└── ServerError              (exit 3) out of reach, or its state is unknown: a retry may help
"""


class ArgojobsError(Exception):
    """Base of all errors here.

    what: what happened, one line. where: `file:line` or a path in the manifest, may be empty.
    hint: what to do next, may be empty. `code` is a stable name for machines, `exit_code` the
    command line's exit status.
    """

    code = "error"
    exit_code = 2

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  {self.hint}" if self.hint else text


class UsageError(ArgojobsError):
    """Wrong usage or input."""

    code = "usage"


class DefinitionError(UsageError):
    """A mistake in a step or pipeline, found while it is written or traced."""

    code = "definition"


class UserCodeError(UsageError):
    """The user's own file failed to import; `traceback` holds its own frames only."""

    code = "user-code"

    def __init__(self, what: str, *, where: str = "", hint: str = "", traceback: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.traceback = traceback


class ManifestError(UsageError):
    """A manifest that cannot be read or is not a valid Workflow."""

    code = "manifest"


class ExpressionError(ManifestError):
    """An expression, `when` or `depends` that does not parse or evaluate."""

    code = "expression"


class TagError(ManifestError):
    """A `{{...}}` tag that does not resolve, or whose value breaks the text around it."""

    code = "tag"


class ParameterError(UsageError):
    """A parameter or artifact argument: unknown, missing, too large, or of a wrong type."""

    code = "parameter"


class BundleError(UsageError):
    """Code that cannot be packed."""

    code = "bundle"


class UnsupportedError(UsageError):
    """A field that this engine cannot honour; nothing was started."""

    code = "unsupported"


class NotFoundError(UsageError):
    """No such run, step or artifact, or more than one."""

    code = "not-found"


class ConflictError(UsageError):
    """The name is taken, or the run's state forbids the verb."""

    code = "conflict"


class HostError(UsageError):
    """This machine cannot do it: no space, no permission, a missing program, a bad home."""

    code = "host"


class StepError(ArgojobsError):
    """Inside a step, before the user's first line: a retry would fail the same way.

    Exit code 78 (sysexits' EX_CONFIG) is reserved for it; generated retry strategies skip it.
    """

    code = "step"
    exit_code = 78


class InputError(StepError):
    """A parameter or artifact of the step did not arrive as declared."""

    code = "input"


class OutputError(ArgojobsError):
    """Inside a step: an output was not set, or cannot be written."""

    code = "output"
    exit_code = 1


class RunFailedError(ArgojobsError):
    """The run ended Failed or Error."""

    code = "run-failed"
    exit_code = 1


class ServerError(ArgojobsError):
    """The server is out of reach, or the state of a run is unknown; a retry may help."""

    code = "server"
    exit_code = 3
