"""Where a run is seen in a browser."""

from __future__ import annotations

from argojobs.cli.started import link_lines
from argojobs.config.contexts import LOCAL, S3, Context
from argojobs.runs.links import storage_link, ui_link

RUN = {"metadata": {"name": "demo-abcde", "namespace": "argo"}}


def test_the_ui_is_the_server_itself_below_its_base_href() -> None:
    context = Context("lab", server="https://lab.example:2746", base_href="/argo/")
    assert ui_link(RUN, context) == "https://lab.example:2746/argo/workflows/argo/demo-abcde"


def test_the_ui_of_a_context_may_lie_elsewhere() -> None:
    context = Context("lab", server="https://lab.example:2746", ui="https://lab.example:30992/")
    assert ui_link(RUN, context) == "https://lab.example:30992/workflows/argo/demo-abcde"


def test_the_store_is_shown_where_the_context_says_how() -> None:
    plain = Context("lab", storage_ui="https://s3.example/buckets/runs/browse/")
    filled = Context(
        "lab", storage_ui="https://s3.example/{bucket}?prefix={run}", s3=S3(bucket="runs")
    )
    assert storage_link(RUN, plain) == "https://s3.example/buckets/runs/browse/demo-abcde"
    assert storage_link(RUN, filled) == "https://s3.example/runs?prefix=demo-abcde"
    assert storage_link(RUN, Context("lab")) == ""


def test_the_store_is_shown_where_the_runs_folder_is() -> None:
    below = S3(bucket="runs", prefix="team", key_format="flows/{{workflow.name}}/{{pod.name}}")
    plain = Context("lab", storage_ui="https://s3.example/browse", s3=below)
    filled = Context("lab", storage_ui="https://s3.example/{bucket}/{run}/", s3=below)
    assert storage_link(RUN, plain) == "https://s3.example/browse/team/flows/demo-abcde"
    assert storage_link(RUN, filled) == "https://s3.example/runs/team/flows/demo-abcde/"


def test_this_machine_has_neither() -> None:
    assert link_lines(RUN, LOCAL) == []
