# travels with: options images
"""Options that are dicts: their shape, and environment variables."""

from __future__ import annotations

from .resources import Secret
from .tokens import token_in
from .where import mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Last words of a variable's name that say: what follows is secret.
_SECRET = (
    *("token", "secret", "password", "passwd", "credential", "credentials"),
    *("api_key", "access_key", "secret_key", "private_key"),
)


def mapping(value: Any, option: str, example: str) -> dict[str, Any]:
    """Return a copy of the dict that an option is given. Raises DefinitionError.

    Args:
        value: What it is given.
        option: Its name.
        example: Of how it is written.
    """
    if not isinstance(value, dict) or not all(isinstance(key, str) and key for key in value):
        raise mistake(f"{option}={value!r} is not a dict with text as keys", f"write {example}")
    return dict(value)


def variables(value: Any) -> dict[str, Any]:
    """Return the environment variables of a step or image: texts, and Secrets. Raises DefinitionError."""
    found: dict[str, Any] = {}
    for name, text in mapping(value, "env", "env={'LEVEL': 'info'}").items():
        if "=" in name or not name.isascii() or not name.isprintable():
            raise mistake(f"{name!r} is not a valid name for a variable", "use A-Z, 0-9 and '_'")
        if name.startswith("ARGOJOBS_"):
            raise mistake(f"{name} is set by argojobs itself", "choose a name without ARGOJOBS_")
        if not isinstance(text, Secret):
            text = _plain(name, text)  # noqa: PLW2901
            _refuse_secret(name, text)
        found[name] = text
    return found


def _plain(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (str, int, float)):
        raise mistake(
            f"the variable {name} cannot be {type(value).__name__}",
            "env holds constants and Secret('name', 'key'); values of a run are arguments",
        )
    text = str(value)
    if "{{" in text or any(not sign.isprintable() and sign != "\n" for sign in text):
        raise mistake(
            f"the variable {name} holds '{{{{' or a control character, which Argo alters",
            "pass it as a parameter of the step: those arrive byte for byte",
        )
    return text


def _refuse_secret(name: str, text: str) -> None:
    by_name = f"_{name.lower()}".endswith(tuple(f"_{word}" for word in _SECRET))
    what = "a secret" if by_name and len(text) >= 8 and not text.startswith(("/", ".")) else ""
    what = token_in(text) or what
    if what:
        raise mistake(
            f"{name} looks like {what}, and would stand in the manifest for all to read",
            f"keep it in a Kubernetes Secret and write env={{{name!r}: Secret('name', 'key')}}",
        )
