"""Durations as Argo reads them, wherever they stand."""

import pytest
from support.whole_examples import codes

from argojobs.lint.durations import is_duration, is_go_duration
from argojobs.lint.durations import remedy as in_hours


def test_durations():
    assert is_duration("20")
    assert is_duration("1h30m")
    assert not is_duration("2d")
    assert in_hours("2d", "") == "there are no days: write 48h"
    assert in_hours("soon", "other") == "other"
    assert not is_go_duration("20")
    assert not is_duration("soon")


@pytest.mark.parametrize(
    ("example", "code"),
    [
        ("suspend: {duration: %s}", "suspend-duration"),
        ("{%s, retryStrategy: {limit: 1, backoff: {duration: '%%s'}}}", "backoff"),
        ("{%s, retryStrategy: {limit: 1, backoff: {duration: '1', cap: %%s}}}", "backoff"),
        (
            "{%s, retryStrategy: {limit: 1, backoff: {duration: '1', maxDuration: %%s}}}",
            "backoff",
        ),
        ("{%s, timeout: %%s}", "timeout"),
        ("{%s, pendingTimeout: %%s}", "timeout"),
        ("{%s, memoize: {key: a, maxAge: %%s, cache: {configMap: {name: c}}}}", "memoize"),
        ("{spec: {podGC: {deleteDelayDuration: %s}}}", "pod-gc"),
    ],
)
@pytest.mark.parametrize("text", ["1d", "1w", "soon", "1 h", "5 minutes"])
def test_days_are_no_unit_anywhere(example, code, text):
    example = example % "container: {image: 'busybox:1.36'}" if "%%" in example else example
    assert code in codes(example % text)
    assert code not in codes(example % "24h")
