"""docs/migrate.md is true: every command of ours in its tables is taken, with `--dry-run`."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from support.fake_service import Shared, node, of, workflow

from argojobs.cli import group
from argojobs.cli.text import tell
from argojobs.config.contexts import S3, Context, Registry
from argojobs.images.builders.buildah import buildah
from argojobs.runs import target as connecting
from argojobs.runs.owners import user_name
from argojobs.storage.directory import DirectoryRepository

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "migrate.md"
CODE = re.compile(r"`(argojobs [^`]*)`")

#: Which run stands for RUN: one that a verb can do something with.
RUNS = {"abort": "demo-going", "scheduler-cancel-job": "demo-going", "stop": "demo-going"}
#: Verbs that only read: they are run as they are.
READS = {"list", "scheduler-state", "get", "query", "q", "logs", "scheduler-get-logs", "open"}

JOB = """\
from argojobs import pipeline, step

@step
def work(batch_size: int, epochs: int, param1: int, param2: int) -> int:
    return epochs

@pipeline
def job(batch_size: int = 1, epochs: int = 1, param1: int = 0, param2: int = 0) -> int:
    return work(batch_size, epochs, param1, param2)
"""
CREDS = """\
argo:
- {name: lab, address: "lab:30992", namespace: argo, tls: true}
registry:
- {name: jfrog, url: null}
"""
CONFIG = """\
current_context = "gke.sandbox"
[contexts."gke.sandbox"]
server = "https://gke.example:2746"
"""


def rows() -> list[tuple[str, str]]:
    """The rows of all tables whose left column is an old command."""
    found = []
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 2 and cells[0] not in ("before", "option", "---"):
            found.append((cells[0], cells[1]))
    return found


def commands() -> tuple[list[str], list[str]]:
    """Our commands: those that are there, and those that come later."""
    here: list[str] = []
    later: list[str] = []
    for _, new in rows():
        start = 0
        for found in CODE.finditer(new):
            kept = later if "comes later" in new[start : found.start()] else here
            kept.append(found[1])
            start = found.end()
    return list(dict.fromkeys(here)), list(dict.fromkeys(later))


HERE, LATER = commands()


class Anywhere(Shared):
    """A server that takes every manifest."""

    def check(self, _: object) -> list[str]:
        return []


@pytest.fixture
def anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the page names, a config file, and a server with three runs."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "workflows", "workflows")
    shutil.copytree(ROOT / "workflows", "workflow")
    Path("scripts").mkdir()
    for name, text in (
        ("job.py", JOB),
        ("experiment1.py", "import sys\n"),
        ("train.py", "import sys\n"),
        ("scripts/train.py", "import sys\n"),
        ("neptune.yaml", "name: digits\n"),
        ("requirements.txt", "numpy\n"),
        ("Dockerfile", "FROM scratch\nCOPY job.py job.py\n"),
        ("creds.yaml", CREDS),
        ("config.toml", CONFIG),
    ):
        Path(name).write_text(text)
    for words in ("init", "add .", "-c user.name=t -c user.email=t@lab.example commit -m first"):
        subprocess.run(["git", *words.split()], check=True, capture_output=True)
    table = buildah("buildah", "1.28")
    for module in ("images.builders.choosing", "runs.deployment"):
        monkeypatch.setattr(f"argojobs.{module}.choose", lambda *_, **__: table)
    monkeypatch.setattr("argojobs.images.builders.building.has_image", lambda *_: False)
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.delenv("VISUAL", raising=False)
    fake = Anywhere()
    for name, phase in (("demo-going", "Running"), ("demo-ended", "Failed")):
        run = workflow(
            name,
            phase,
            tasks=("train",),
            nodes=(node(name, "", phase), node(name, "train", phase)),
        )
        fake.runs[name] = of(user_name(), run)
        fake.log(name, f"{name}-train", "epoch 1")
    context = Context(
        "abacus",
        server="https://abacus:30992",
        storage_ui="http://abacus:30991/{bucket}/{run}",
        s3=S3(bucket="runs", endpoint="abacus:30991"),
        registry=Registry("registry.example"),
    )
    for module in ("images.destinations", "runs.deployment"):
        monkeypatch.setattr(f"argojobs.{module}.opened", lambda *_: None)
    monkeypatch.setattr("argojobs.images.described.providing.present", lambda *_: {})
    repository = DirectoryRepository(str(tmp_path / "store"))
    place = connecting.Target(context, lambda: fake, lambda: repository, lambda: fake, tell=tell)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)


def words_of(command: str) -> list[str]:
    """A command line of the page as words, with runs and files for its placeholders."""
    _, *words = shlex.split(command)
    run = RUNS.get(words[0], "demo-ended")
    return [re.sub(r"\bRUN\b", run, word).replace("NAME", "lab") for word in words]


@pytest.mark.usefixtures("anywhere")
@pytest.mark.parametrize("command", HERE)
def test_a_command_of_the_page_is_taken(argojobs, command: str) -> None:
    words = words_of(command)
    assert "..." not in words
    verb = next(word for word in words if word.removeprefix("--") in group.NAMES)
    if verb not in READS:
        end = words.index("--") if "--" in words else len(words)
        if verb == "submit":  # what stands behind its command is the command's
            end = words.index(verb) + 1
        described = argojobs(*words[:end], "--help", *words[end:]).out
        words.insert(end, "--dry-run" if "--dry-run" in described else "--help")
    answer = argojobs(*words)
    assert answer.code == 0, answer.err


@pytest.mark.parametrize("command", LATER)
def test_what_is_said_to_come_later_is_not_there_yet(command: str) -> None:
    verb = shlex.split(command)[1]
    assert verb not in group.NAMES, "it is there now: say so in docs/migrate.md"


def test_the_page_has_the_commands_of_all_five_tools() -> None:
    old = " ".join(before for before, _ in rows())
    for words in (
        "a query", "a q", "a abort", "a resubmit", "a init", "a submit", "a -n 8 submit",
        "p query", "p q", "p abort", "p resubmit", "p ssh", "p init", "p submit ssh",
        "py workflow.py", "./deploy -r", "kubectl describe pod",
        "run-scheduler", "scheduler-state", "scheduler-cancel-job", "scheduler-get-logs",
        "docker run", "kubectl create", "influx", "mrunner run", "mrunner --context",
        "mrunner context", "mrunner context add", "mrunner context edit",
        "mrunner context delete", "mrunner config", "mrunner config set", "mrunner config unset",
        "kubectl config use-context", "kubectl logs -f", "kubectl attach", "kubectl delete job",
    ):  # fmt: skip
        assert words in old, words
    assert len(HERE) > 40


@pytest.mark.parametrize(
    ("alias", "verb"),
    [
        ("state", "list"),
        ("scheduler-state", "list"),
        ("q", "query"),
        ("get-logs", "logs"),
        ("scheduler-get-logs", "logs"),
        ("cancel", "abort"),
        ("scheduler-cancel-job", "abort"),
    ],
)
def test_words_of_other_tools_are_ours_too(alias: str, verb: str) -> None:
    assert group.NAMES[alias].name == verb
