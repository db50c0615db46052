"""`list` asks before the command line is parsed, where it is plain: once, and the same as else."""

from __future__ import annotations

import pytest
from fake_service import Shared, workflow

from argojobs.cli import ahead, group
from argojobs.cli import connect as connecting
from argojobs.cli.verbs import list as list_verb
from argojobs.config.contexts import LOCAL
from argojobs.errors import ServerError

PLAIN = (
    ["list"],
    ["state", "--all-users"],
    ["list", "--all_users", "--failed", "--running"],
    ["list", "--context", "lab"],
    ["list", "--verbose", "--server=https://lab"],
    ["list", "--context=a=b"],
)
NOT_PLAIN = (
    [],
    ["get", "demo"],
    ["list", "--help"],
    ["list", "-n", "3"],
    ["list", "-o", "json"],
    ["list", "--extended"],
    ["list", "--all-contexts"],
    ["list", "--context"],
    ["list", "--context="],
    ["list", "--context", "--failed"],
    ["list", "--context", "a", "--context", "b"],
    ["list", "--context", "a", "--server", "b"],
    ["list", "demo"],
    ["--context", "lab", "list"],
)


class Counting(Shared):
    """A server that counts how often it is asked for its runs."""

    def __init__(self, *runs) -> None:
        super().__init__(*runs)
        self.asked = 0
        self.error: Exception | None = None

    def summaries(self, meanwhile):
        self.asked += 1
        meanwhile()
        if self.error is not None:
            raise self.error
        return self.list()


@pytest.fixture
def counting(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> Counting:
    fake = Counting(*shared.runs.values())
    place = connecting.target()._replace(service=fake)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    yield fake
    assert ahead.take("", "") is None  # nothing is left for another command line


def test_the_names_are_those_of_the_verb() -> None:
    verb = next(verb for verb in group.VERBS if verb.name == "list")
    assert {verb.name, *verb.aliases} == ahead.NAMES


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_what_is_plain_is_asked_once_and_means_the_same_to_the_parser(
    argojobs, counting: Counting, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    usual = argojobs(*words)
    assert counting.asked == 1
    taken = []
    take = ahead.take
    monkeypatch.setattr(ahead, "take", lambda *where: taken.append(take(*where)) or taken[-1])
    ahead.begin(words)
    assert counting.asked == 2
    assert argojobs(*words) == usual
    assert counting.asked == 2
    assert taken[0] is not None


@pytest.mark.parametrize("words", NOT_PLAIN, ids=" ".join)
def test_nothing_else_is_asked_for(counting: Counting, words: list[str]) -> None:
    ahead.begin(words)
    assert counting.asked == 0


def test_nothing_is_asked_for_a_shells_completion(
    counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_ARGOJOBS_COMPLETE", "complete_bash")
    ahead.begin(["list"])
    assert counting.asked == 0


def test_an_error_is_told_as_else_and_the_server_not_asked_again(
    argojobs, counting: Counting
) -> None:
    counting.error = ServerError("no answer", where="abacus", hint="try again")
    ahead.begin(["list"])
    answer = argojobs("list")
    assert (answer.code, answer.err) == (3, "error: no answer\n  at abacus\n  try again\n")
    assert counting.asked == 1


def test_an_interrupt_is_none_of_the_verbs(counting: Counting) -> None:
    counting.error = KeyboardInterrupt()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        ahead.begin(["list"])


def test_an_answer_for_another_place_is_not_taken(argojobs, counting: Counting) -> None:
    ahead.begin(["list", "--context", "lab"])
    assert argojobs("list").code == 0
    assert counting.asked == 2


def test_this_machine_is_not_asked_ahead(
    monkeypatch: pytest.MonkeyPatch, counting: Counting
) -> None:
    here = connecting.target()._replace(context=LOCAL)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: here)
    ahead.begin(["list"])
    assert counting.asked == 0


def test_what_needs_the_parser_is_imported_meanwhile(counting: Counting) -> None:
    counting.runs["new"] = workflow("new")
    list_verb.prepare()
    ahead.begin(["list"])
    place, runs = ahead.take("", "") or pytest.fail("nothing was asked")
    assert place.service is counting
    assert len(runs) == 4
