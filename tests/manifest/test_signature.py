"""The signature is read from the one annotation that compile writes."""

from __future__ import annotations

import pytest

from argojobs.errors import ParameterError
from argojobs.manifest.signature import SIGNATURE, signature_of


def workflow(text: object) -> dict[str, object]:
    return {"metadata": {"annotations": {SIGNATURE: text}}}


def test_a_hand_written_manifest_has_none() -> None:
    assert signature_of({}) is None
    assert signature_of({"metadata": {"annotations": None}}) is None
    assert signature_of(workflow(3)) is None
    assert signature_of(workflow("[]")) is None


def test_what_compile_wrote_is_read() -> None:
    assert signature_of(workflow('{"parameters": {}}')) == {"parameters": {}}


def test_a_damaged_one_is_an_error() -> None:
    with pytest.raises(ParameterError, match="is not JSON"):
        signature_of(workflow("{"))
