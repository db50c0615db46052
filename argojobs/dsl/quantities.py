# travels with: options resources retry volumes images
"""Amounts as Kubernetes writes them: `2`, `500m`, `40Gi`; and times: `90`, `30s`, `2h`."""

from __future__ import annotations

from .where import mistake

_SUFFIXES = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "k", "M", "G", "T", "P", "E", "m", "")
_BYTES = {
    **{unit + "i": 1024**power for power, unit in enumerate("KMGTPE", 1)},
    **{unit: 1000**power for power, unit in enumerate("kMGTPE", 1)},
    "": 1,
}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "": 1}


def _split(text: str, suffixes: tuple[str, ...]) -> tuple[float, str] | None:
    for suffix in suffixes:
        if suffix and not text.endswith(suffix):
            continue
        digits = text[: len(text) - len(suffix)]
        if digits.replace(".", "", 1).isdecimal() and digits[0] != "." and digits[-1] != ".":
            return float(digits), suffix
        return None
    return None


def quantity(value: object, option: str) -> str:
    """Return an amount as Kubernetes' text. Raises DefinitionError for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = repr(value)
    found = _split(value, _SUFFIXES) if isinstance(value, str) else None
    if found is None or found[0] <= 0:
        raise mistake(
            f"{option}={value!r} is not an amount",
            "write a number, or one with a unit: cpu='500m', memory='8Gi', gpu=1",
        )
    return str(value)


def cores(value: object, option: str) -> str:
    """Return an amount of CPUs, no finer than Kubernetes counts them: in thousandths."""
    text = quantity(value, option)
    digits = text.rstrip("m")
    decimals = digits.rpartition(".")[2].rstrip("0") if "." in digits else ""
    if len(decimals) > (0 if text.endswith("m") else 3):
        found = _split(text, _SUFFIXES)
        assert found is not None
        near = max(1, round(found[0] * (1 if found[1] == "m" else 1000)))
        raise mistake(
            f"{option}={value!r} is finer than a thousandth of a CPU",
            f"write {option}='{near}m'",
        )
    return text


def size(value: object, option: str) -> str:
    """Return an amount of bytes. Raises DefinitionError for anything that is not a size."""
    text = quantity(value, option)
    if text.endswith("m"):
        raise mistake(
            f"{option}={value!r} would be thousandths of a byte",
            f"megabytes are written {text[:-1]}Mi or {text[:-1]}M",
        )
    return text


def count_of_bytes(text: str) -> int:
    """Return how many bytes a checked amount means."""
    found = _split(text, _SUFFIXES)
    assert found is not None
    return int(found[0] * _BYTES[found[1]])


def seconds(value: object, option: str) -> int:
    """Return a time in whole seconds. Raises DefinitionError for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = repr(value)
    found = _split(value, ("s", "m", "h", "d", "")) if isinstance(value, str) else None
    if found is None or found[0] * _SECONDS[found[1]] < 1:
        raise mistake(
            f"{option}={value!r} is not a time", "write seconds, or '90s', '30m', '2h', '1d'"
        )
    return int(found[0] * _SECONDS[found[1]])
