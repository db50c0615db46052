"""What a context says of every run, as plain values."""

from argojobs.config.context_defaults import account_of, defaults_of
from argojobs.config.contexts import LOCAL, Context, Mount, Registry
from argojobs.edits.context_defaults import Defaults, Volume


def test_this_machine_says_nothing():
    assert defaults_of(LOCAL) == Defaults(limit_key="local")


def test_a_context_with_everything():
    context = Context(
        "lab",
        namespace="team",
        service_account="runner",
        image="train:1",
        resources={"cpu": "4"},
        environment={"A": "1"},
        mounts=(Mount("/nfs", "nfs", "box:/x", read_only=True),),
        storage="/storage",
        storage_claim="mine",
        max_parallel=2,
        registry=Registry("registry.example", pull_secret="pulls"),
    )
    assert account_of(context) == Defaults("team", "runner", pull_secret="pulls")
    assert defaults_of(context) == Defaults(
        namespace="team",
        service_account="runner",
        image="train:1",
        resources={"cpu": "4"},
        environment={"A": "1"},
        volumes=(
            Volume("/nfs", "nfs", "box:/x", read_only=True),
            Volume("/storage", "claim", "mine"),
        ),
        storage="/storage",
        max_parallel=2,
        limit_key="lab",
        pull_secret="pulls",
    )
