"""Derive the answers of a server that was not run from a recorded one: `recorded/argo-3.6.19.json`.

    python tests/support/derive.py

The sources of the tag v3.6.19 give the same paths, codes and texts for what we ask as those of
v3.7.18, whose server was run (`server/workflow/workflow_server.go`, `server/auth/gatekeeper.go`,
`server/apiserver/argoserver.go`, `workflow/util/util.go`; the same grpc-gateway and stream forwarder
in `go.mod`), so only the version differs.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[1] / "client" / "recorded"
BASE = "3.7.18"
TAGS = ("3.6.19",)


def derived(base: list[dict[str, Any]], tag: str) -> list[dict[str, Any]]:
    """Return the answers of a tag."""
    cases = copy.deepcopy(base)
    source = (
        f"derived by tests/support/derive.py from what argo-server {BASE} was recorded to answer "
        f"and the sources of the tag v{tag}; no such server was run"
    )
    for case in cases:
        case["source"] = source
        if case["case"] == "version":
            case["response"].update(version=f"v{tag}", gitTag=f"v{tag}")
    return cases


def main() -> None:
    """Write the files."""
    base = json.loads((RECORDED / f"argo-{BASE}.json").read_text(encoding="utf-8"))
    for tag in TAGS:
        text = json.dumps(derived(base, tag), indent=1, ensure_ascii=False)
        (RECORDED / f"argo-{tag}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
