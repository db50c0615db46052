"""Record what a real Argo server answers to what our client asks: `recorded/argo-VERSION.json`.

    python tests/support/record.py http://127.0.0.1:2746 --kind "argo-server of tests/cluster"

It starts short runs (busybox) in the namespace, named rec-..., and deletes them. Tokens are not
recorded. `--token` and `--nobody` name files with a token that may do everything and one that may do
nothing. The answers are kept as they came; times, uids and managedFields are those of the run.
"""

from __future__ import annotations

import argparse
import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

RECORDED = Path(__file__).parents[1] / "client" / "recorded"
EVENTS = "text/event-stream"
PATIENCE = 120  # seconds until a run must have ended


@dataclass
class Recorder:
    """Asks a server and keeps what it answers."""

    host: str
    namespace: str
    token: str = ""
    source: str = ""
    cases: list[dict[str, Any]] = field(default_factory=list)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Make a request and return the status, the content type and the text of its answer."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        shown = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {**shown, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers.get("Content-Type", ""), text

    def case(
        self,
        name: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        note: str = "",
    ) -> Any:
        """Ask, keep the answer under a name, and return its JSON, if it is one object."""
        status, kind, text = self.ask(method, path, body, headers)
        try:
            response = json.loads(text)
        except ValueError:
            response = {"lines": [line for line in text.splitlines() if line.strip()]}
        public = {k: v for k, v in (headers or {}).items() if k != "Authorization"}
        request = {"method": method, "path": path, "headers": public, "body": body}
        self.cases.append(
            {
                "source": self.source,
                "case": name,
                "note": note,
                "request": request,
                "status": status,
                "content-type": kind,
                "response": response,
            }
        )
        return response

    @property
    def runs(self) -> str:
        """The path of the namespace's workflows."""
        return f"/api/v1/workflows/{self.namespace}"

    def wait(self, name: str, phases: set[str]) -> None:
        """Wait until a run has one of these phases."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            run = json.loads(self.ask("GET", f"{self.runs}/{name}?fields=status.phase")[2])
            if run["status"].get("phase") in phases:
                return
            time.sleep(0.5)
        raise SystemExit(f"{name} did not come to {' or '.join(sorted(phases))}")


def workflow(name: str, script: str, **spec: Any) -> dict[str, Any]:
    """A workflow of one step."""
    container = {
        "image": "busybox:1.36",
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", script],
    }
    templates = [{"name": "main", "container": container}]
    return {
        "metadata": {"name": name},
        "spec": {"entrypoint": "main", "templates": templates, **spec},
    }


def record(to: Recorder, nobody: str) -> None:
    """Ask everything, in the order of a run's life."""
    about(to)
    creating(to)
    streams(to)
    reading(to)
    changing(to)
    refusals(to, nobody)
    deleting(to)


def about(to: Recorder) -> None:
    """What the server says of itself."""
    to.case("version", "GET", "/api/v1/version")
    to.case("info", "GET", "/api/v1/info")
    to.case("userinfo", "GET", "/api/v1/userinfo")


def creating(to: Recorder) -> None:
    """Submitting, and what is wrong with a submission."""
    script = "for i in 1 2 3; do echo line $i; sleep 1; done"
    one = {"namespace": to.namespace, "workflow": workflow("rec-one", script)}
    to.case("create", "POST", to.runs, one)
    to.case("create-duplicate", "POST", to.runs, one)
    wrong = {"namespace": to.namespace, "workflow": workflow("rec-bad", "true", entrypoint="nope")}
    to.case("create-invalid-spec", "POST", to.runs, wrong)
    to.case("lint-invalid-spec", "POST", f"{to.runs}/lint", wrong)
    to.case("lint", "POST", f"{to.runs}/lint", one)
    to.case("create-no-body", "POST", to.runs, {})
    elsewhere = {**one, "namespace": "elsewhere"}
    to.case("create-not-a-namespace", "POST", "/api/v1/workflows/elsewhere", elsewhere)


def streams(to: Recorder) -> None:
    """Logs and watches, as JSON lines and as server-sent events. The watch of a run is cut off."""
    log = f"{to.runs}/rec-one/log?logOptions.container=main"
    to.wait("rec-one", {"Running"})
    to.case("log-follow-sse", "GET", f"{log}&logOptions.follow=true", headers={"Accept": EVENTS})
    to.wait("rec-one", {"Succeeded"})
    to.case("log-json", "GET", log)
    to.case("log-sse", "GET", f"{log}&logOptions.timestamps=true", headers={"Accept": EVENTS})
    to.case("log-no-such-pod", "GET", f"{log}&podName=nope")
    to.case("log-missing", "GET", log.replace("rec-one", "rec-none"), headers={"Accept": EVENTS})
    version = next(
        case["response"]["metadata"]["resourceVersion"]
        for case in to.cases
        if case["case"] == "create"
    )
    query = (
        f"listOptions.fieldSelector=metadata.name=rec-one&listOptions.resourceVersion={version}"
        "&fields=-result.object.metadata.managedFields"
    )
    watch_case(to, "watch", f"/api/v1/workflow-events/{to.namespace}?{query}")


def watch_case(to: Recorder, name: str, path: str) -> None:
    """Keep the messages of a watch until the run has succeeded; it has no end of its own."""
    connection = http.client.HTTPConnection(to.host, timeout=PATIENCE)
    shown = {"Authorization": f"Bearer {to.token}"} if to.token else {}
    connection.request("GET", path, headers={"Accept": EVENTS, **shown})
    answer = connection.getresponse()
    lines: list[str] = []
    while True:
        line = answer.readline().decode().rstrip("\n")
        if not line.startswith("data:"):
            continue
        lines.append(line)
        status = json.loads(line.removeprefix("data:"))["result"]["object"]["status"]
        if status.get("phase") == "Succeeded":
            break
    request = {"method": "GET", "path": path, "headers": {"Accept": EVENTS}, "body": None}
    to.cases.append(
        {
            "source": to.source,
            "case": name,
            "note": "as far as the run's end; the stream goes on",
            "request": request,
            "status": answer.status,
            "content-type": answer.headers.get("Content-Type", ""),
            "response": {"lines": lines},
        }
    )
    connection.close()


def reading(to: Recorder) -> None:
    """Single runs and lists."""
    to.case("get", "GET", f"{to.runs}/rec-one")
    to.case("get-fields", "GET", f"{to.runs}/rec-one?fields=status.phase,metadata.name")
    to.case("get-missing", "GET", f"{to.runs}/rec-none")
    names = "fields=metadata,items.metadata.name,items.status.phase"
    to.case("list-page", "GET", f"{to.runs}?listOptions.limit=1&{names}")
    to.case("list-none", "GET", f"{to.runs}?listOptions.labelSelector=no%3Dsuch&{names}")
    to.case("list-bad-selector", "GET", f"{to.runs}?listOptions.labelSelector=%3D%3D")
    to.case("archived-missing", "GET", "/api/v1/archived-workflows/" + "0-" * 3 + "0")
    to.case("unknown-path", "GET", "/api/v1/nothing")
    artifact = f"/artifact-files/{to.namespace}/workflows/rec-one/rec-one/outputs"
    to.case("artifact-log", "GET", f"{artifact}/main-logs")
    to.case("artifact-missing", "GET", f"{artifact}/none")


def changing(to: Recorder) -> None:
    """What changes runs, those that go on and those that have ended."""
    for verb in ("retry", "stop", "terminate", "suspend"):
        named = "retry-succeeded" if verb == "retry" else f"{verb}-finished"
        to.case(named, "PUT", f"{to.runs}/rec-one/{verb}", whose(to, "rec-one"))
    to.case("stop-missing", "PUT", f"{to.runs}/rec-none/stop", whose(to, "rec-none"))
    again = to.case("resubmit", "PUT", f"{to.runs}/rec-one/resubmit", whose(to, "rec-one"))
    to.ask("DELETE", f"{to.runs}/{again['metadata']['name']}")
    long = {"namespace": to.namespace, "workflow": workflow("rec-long", "sleep 600")}
    to.case("create-long", "POST", to.runs, long)
    to.wait("rec-long", {"Running"})
    to.case("retry-running", "PUT", f"{to.runs}/rec-long/retry", whose(to, "rec-long"))
    for verb in ("suspend", "resume", "stop", "terminate"):
        to.case(verb, "PUT", f"{to.runs}/rec-long/{verb}", whose(to, "rec-long"))
    to.wait("rec-long", {"Failed", "Error"})
    to.case("retry", "PUT", f"{to.runs}/rec-long/retry", whose(to, "rec-long"))
    to.ask("PUT", f"{to.runs}/rec-long/terminate", whose(to, "rec-long"))


def whose(to: Recorder, name: str) -> dict[str, str]:
    """The body of a change."""
    return {"namespace": to.namespace, "name": name}


def refusals(to: Recorder, nobody: str) -> None:
    """Tokens that are wrong, and that of a service account without any role."""
    bad = {"Authorization": "Bearer nonsense"}
    to.case("bad-token", "GET", to.runs, headers=bad)
    if not nobody:
        return
    note = "a service account with no role"
    shown = {"Authorization": f"Bearer {nobody}"}
    one = {"namespace": to.namespace, "workflow": workflow("rec-two", "true")}
    to.case("forbidden-list", "GET", to.runs, headers=shown, note=note)
    to.case("forbidden-get", "GET", f"{to.runs}/rec-one", headers=shown, note=note)
    to.case("forbidden-create", "POST", to.runs, one, headers=shown, note=note)
    to.case(
        "forbidden-stop", "PUT", f"{to.runs}/rec-one/stop", whose(to, "rec-one"), headers=shown,
        note=note,
    )  # fmt: skip


def deleting(to: Recorder) -> None:
    """The end of the recorded runs."""
    to.ask("DELETE", f"{to.runs}/rec-long")
    to.case("delete", "DELETE", f"{to.runs}/rec-one")
    to.case("delete-missing", "DELETE", f"{to.runs}/rec-one")


def main() -> None:
    read = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    read.add_argument("url", help="a server that speaks plain HTTP")
    read.add_argument("--kind", required=True, help="what server it is, for `source`")
    read.add_argument("--namespace", default="argo")
    read.add_argument("--token", type=Path, help="a file")
    read.add_argument("--nobody", type=Path, help="a file")
    given = read.parse_args()
    token = given.token.read_text().strip() if given.token else ""
    to = Recorder(urlsplit(given.url).netloc, given.namespace, token)
    version = (
        json.loads(to.ask("GET", "/api/v1/version")[2])["version"]
        .removeprefix("v")
        .partition("+")[0]
    )
    to.source = f"recorded by tests/support/record.py: {given.kind}, version {version}"
    record(to, given.nobody.read_text().strip() if given.nobody else "")
    path = RECORDED / f"argo-{version}.json"
    path.write_text(json.dumps(to.cases, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(to.cases)} answers in {path}")


if __name__ == "__main__":
    main()
