"""A run that tells of its end: a last step in its exit handler, beside the handler it has.

To a web address it posts JSON by Python's standard library, so the step's image needs Python and
nothing else; a command is run by a shell. Both find the end in their environment:
ARGOJOBS_RUN, ARGOJOBS_PHASE, ARGOJOBS_DURATION (seconds), ARGOJOBS_LINK, and in the file that
ARGOJOBS_FAILURES names the failed steps. A notification that fails does not fail the run.

The failed steps come as a raw artifact: many of them are too long for a variable. Source: Argo
docs: exit handlers, workflow variables (`workflow.failures` is JSON quoted once more, also when
nothing failed), lifecycle hooks (`onExit` is taken before `hooks.exit`); Kubernetes' expansion of
`$(NAME)` in args.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import parse_qsl, urlsplit

from argojobs.dsl.tokens import token_in
from argojobs.errors import UsageError
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.manifest.objects import WorkflowSpec

Object = dict[str, Any]

EXIT, STEP = "argojobs-exit", "argojobs-notify"
FAILURES = "/argojobs/failures.json"
#: So long a notification may take, in seconds.
LONGEST = 600

_KUBERNETES_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_KEY = re.compile(r"[-._a-zA-Z0-9]+")
#: A part of a path that looks like a token: long, with letters and digits, as webhooks have.
_TOKEN = re.compile(r"(?=[^/]*[0-9])(?=[^/]*[A-Za-z])[A-Za-z0-9_-]{16,}")
_SECRET_NAME = re.compile(r"(key|token|sig|signature|secret|auth|code|password)$", re.IGNORECASE)

PROGRAM = """\
import json, os, sys, time, urllib.error, urllib.request

env = os.environ
try:
    with open(env["ARGOJOBS_FAILURES"]) as file:
        failed = json.load(file)
    if isinstance(failed, str):
        failed = json.loads(failed)
except (OSError, ValueError):
    failed = None
failed = sorted(failed or [], key=lambda one: one.get("finishedAt") or "~")
named = [one for one in failed if not (one.get("message") or "child ").startswith("child ")]
names = ("displayName", "phase", "message")
failures = [dict((name, one.get(name) or "") for name in names) for one in named or failed][:50]
run, phase, link = env["ARGOJOBS_RUN"], env["ARGOJOBS_PHASE"], env.get("ARGOJOBS_LINK", "")
duration = round(float(env["ARGOJOBS_DURATION"]), 1)
text = run + " " + phase.lower() + " after " + str(round(duration)) + " s"
if failures:
    text += ": " + failures[0]["displayName"] + ": " + failures[0]["message"]
if link:
    text += " " + link
body = dict(name=run, phase=phase, failures=failures, duration=duration, link=link, text=text)
data = json.dumps(body).encode()
host = env["ARGOJOBS_NOTIFY"].split("/")[2:3]
for attempt in range(4):
    if attempt:
        time.sleep(2**attempt)
    try:
        head = {"Content-Type": "application/json", "User-Agent": "argojobs"}
        request = urllib.request.Request(env["ARGOJOBS_NOTIFY"].strip(), data, head)
        with urllib.request.urlopen(request, timeout=30) as answer:
            print("told", *host, "of", run, phase, "status", answer.status)
            sys.exit(0)
    except urllib.error.HTTPError as error:
        print(*host, "answers", error.code)
        if error.code < 500 and error.code not in (408, 429):
            break
    except OSError as error:
        print(*host, "is out of reach:", getattr(error, "reason", type(error).__name__))
    except ValueError:
        print("the address is none that can be posted to")
        break
sys.exit(1)
"""


class Notice(NamedTuple):
    """Whom a run tells of its end: one of a web address, a secret that holds one, a command.

    secret: name and key of a Kubernetes Secret.
    """

    url: str = ""
    secret: tuple[str, str] | None = None
    command: str = ""


def parse(text: str) -> Notice:
    """Read `--notify`: `https://...`, `secret:NAME/KEY`, or a command.

    Raises UsageError for an address that holds what looks like a secret, and for what is none.
    """
    given = text.strip()
    if not given:
        raise UsageError("--notify is empty", hint="give a URL, secret:NAME/KEY, or a command")
    if given.startswith("secret:"):
        name, _, key = given.removeprefix("secret:").partition("/")
        if not _KUBERNETES_NAME.fullmatch(name) or not _KEY.fullmatch(key):
            raise UsageError(
                f"--notify {given!r} names no key of a Secret", hint="write secret:NAME/KEY"
            )
        return Notice(secret=(name, key))
    scheme, separator, _ = given.partition("://")
    if not separator or not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme):
        return Notice(command=given)
    if scheme.lower() not in ("http", "https"):
        raise UsageError(f"--notify cannot post to {scheme}://", hint="give an http(s) address")
    if _holds_secret(given):
        raise UsageError(
            f"the address that --notify gives for {urlsplit(given).hostname} holds what looks "
            "like a secret, and everyone who sees the run sees it",
            hint="keep the address in a Secret: kubectl create secret generic notify "
            "--from-literal=url=ADDRESS; then --notify secret:notify/url",
        )
    return Notice(url=given)


def _holds_secret(url: str) -> bool:
    """Tell whether an address has a user, a long token in its path, or a key among its values."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query)
    return bool(
        "@" in parts.netloc
        or token_in(url)
        or any(_TOKEN.fullmatch(part) for part in parts.path.split("/"))
        or any(_SECRET_NAME.search(name) or _TOKEN.fullmatch(value) for name, value in pairs)
    )


def with_notice(workflow: Workflow, notice: Notice, *, image: str, link: str) -> Workflow:
    """Return the workflow with a step at its end that tells of it.

    The handler that the run has runs beside it, and still decides whether the run fails.

    Args:
        workflow: stays as it is.
        notice: whom it tells, and how.
        image: for that step; Python must be in it to post.
        link: where the run is to be seen, with `{{workflow.name}}` for its name.

    Raises:
        UsageError: the workflow's own handler is not in it.
    """
    spec: Object = {**workflow["spec"]}
    if spec.get("workflowTemplateRef"):
        raise UsageError(
            "--notify: the spec of a run of a WorkflowTemplate takes no further templates",
            hint="give the WorkflowTemplate an exit handler (onExit)",
        )
    templates = list(spec.get("templates") or ())
    taken = {str(one.get("name", "")) for one in templates}
    exit_name, step_name = _unused(EXIT, taken), _unused(STEP, taken)
    goes_on = {"failed": True, "error": True}
    tells = {"name": "notify", "template": step_name, "continueOn": goes_on}
    handler = _handler(spec)
    group = [tells] if handler is None else [handler, tells]
    spec["templates"] = [
        *templates,
        {"name": exit_name, "steps": [group]},
        _step(step_name, notice, image, link),
    ]
    spec["onExit"] = exit_name
    made: Workflow = {**workflow, "spec": cast("WorkflowSpec", spec)}
    return made


def _unused(name: str, taken: set[str]) -> str:
    """Return a name for a template that no other has: a run may have been told of before."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def _handler(spec: Object) -> Object | None:
    """Return the exit handler of a spec as a step, and take its hook out of the spec."""
    hooks = dict(spec.get("hooks") or {})
    if spec.get("onExit"):
        return {"name": "handler", "template": spec["onExit"]}
    hook = hooks.pop("exit", None)
    if hook is None:
        return None
    if hooks:
        spec["hooks"] = hooks
    else:
        spec.pop("hooks", None)
    kept = ("template", "templateRef", "arguments")
    step = {"name": "handler", **{name: hook[name] for name in kept if name in hook}}
    if hook.get("expression"):
        step["when"] = f"{{{{={hook['expression']}}}}}"
    return step


def _step(name: str, notice: Notice, image: str, link: str) -> Object:
    facts = {
        "ARGOJOBS_RUN": "{{workflow.name}}",
        "ARGOJOBS_PHASE": "{{workflow.status}}",
        "ARGOJOBS_DURATION": "{{workflow.duration}}",
        "ARGOJOBS_LINK": link,
        "ARGOJOBS_FAILURES": FAILURES,
        "NUM_GPUS": "0",
    }
    env: list[Object] = [{"name": key, "value": text} for key, text in facts.items()]
    if notice.command:
        program = ["sh", "-c", notice.command.replace("$", "$$")]
    else:
        program = ["python3", "-u", "-c", PROGRAM]
        env.append({"name": "ARGOJOBS_NOTIFY", **_address(notice)})
    small = {"cpu": "50m", "memory": "64Mi"}
    raw = {"name": "failures", "path": FAILURES, "raw": {"data": "{{workflow.failures}}"}}
    return {
        "name": name,
        "inputs": {"artifacts": [raw]},
        "activeDeadlineSeconds": LONGEST,
        "container": {
            "image": image,
            "command": program[:1],
            "args": program[1:],
            "env": env,
            "resources": {"requests": small},
        },
    }


def _address(notice: Notice) -> Object:
    if notice.secret is None:
        return {"value": notice.url}
    name, key = notice.secret
    return {"valueFrom": {"secretKeyRef": {"name": name, "key": key}}}
