"""What happens to runs of this machine only: the engine's own messages.

Source: `engine/scheduler.py`, `engine/pod.py`, `engine/executors/`.
"""

from __future__ import annotations

from argojobs.diagnosis.cause import Cause, told

_ALL = (
    told(
        "waits-for-gpu",
        r"waits for a GPU: (?P<why>[^\n]+)",
        "the step waits for a GPU: {why}",
        "it starts when one is free",
        "argojobs gpus{options}",
    ),
    told(
        "most-pods",
        r"waits: this run may have (?P<most>\d+) at once",
        "the run has as many steps at once as it may, {most}",
        "raise max_pods in the settings",
        "argojobs config show",
    ),
    told(
        "waits-for-turn",
        r"waits for (?P<what>[^\n]+)",
        "the step waits for {what}",
        "it starts when that is free; steps ask for less with less in their resources",
        "argojobs list{options}",
    ),
    told(
        "no-namespaces",
        r"this machine has no mount namespaces[^\n]*?(?:have (?P<paths>[^\n]+))?$",
        "this machine has no mount namespaces, so that a step cannot have {paths}",
        "run as root, or on Linux with user namespaces; or write to other paths",
    ),
    told(
        "interrupted",
        r"the pod was (?:lost|terminated)|lost when|this machine (?:was )?(?:restarted|went down)",
        "the step's process ended with this machine or its session",
        "retry it",
        "argojobs retry {run}{options}",
        where="message",
    ),
    told(
        "too-long",
        r"argument list too long|too large for a command line or an environment variable",
        "a value is too long for a command line or a variable, which hold 128 KiB",
        "take it as a file: an input artifact of the template with raw.data "
        "'{{{{inputs.parameters.NAME}}}}' and a path",
        where="message",
    ),
)


def _here(cause: Cause) -> Cause:
    return Cause(
        cause.code, lambda subject: cause.look(subject) if subject.evidence.local else None
    )


CAUSES = tuple(map(_here, _ALL))
