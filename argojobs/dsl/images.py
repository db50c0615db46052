# travels with: options images
"""An image that is described, not built by hand: `image=Image(pip="requirements.txt")`.

The first run that needs it builds it and puts it where the cluster finds it; here are only the
words. They are checked where they are written, files are read when the pipeline is compiled.
"""

from __future__ import annotations

import os

from .mappings import variables
from .records import Record
from .resources import Secret
from .tokens import token_in
from .where import mistake, user_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

#: What an image is built on unless it says otherwise.
BASE = "python:3.11-slim"

_PACKAGE_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-.")
_VERSION_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.:~_")


class Image(Record):
    """What an image contains: a base, and what is installed on top of it.

    Args:
        base: The image to build on.
        pip: A requirements file (next to the file that names it, or in the project's root), or
            the requirements themselves.
        apt: Debian packages.
        env: Environment variables for everything that runs in the image.
        run: Shell commands, run in order after everything else, one layer each.
    """

    __slots__ = ("apt", "base", "env", "folder", "pip", "run")

    def __init__(
        self,
        base: str = BASE,
        *,
        pip: str | Sequence[str] = (),
        apt: Sequence[str] = (),
        env: Mapping[str, str | float] | None = None,
        run: Sequence[str] = (),
    ) -> None:
        self.base = _base(base)
        self.pip = _pip(pip)
        self.apt = tuple(_package(one) for one in _texts(apt, "apt", "apt=['git']"))
        self.env = tuple(sorted(_env(env or {}).items()))
        self.run = tuple(_command(one) for one in _texts(run, "run", "run=['make install']"))
        #: Where files that it names are searched first; "" for an image that names none.
        self.folder = _users_folder() if _names_files(self.pip) else ""

    @property
    def is_base(self) -> bool:
        """Whether nothing is put on top of the base."""
        return not (self.pip or self.apt or self.env or self.run)


def _names_files(pip: str | tuple[str, ...]) -> bool:
    """Whether requirements stand in files, or some of them do."""
    return isinstance(pip, str) or any(one.startswith("-") for one in pip)


def _users_folder() -> str:
    """Return the folder of the user's own file that is being read, "" if there is none."""
    frame = user_frame()
    name = frame.f_code.co_filename if frame is not None else "<"
    return "" if name.startswith("<") else os.path.dirname(os.path.abspath(name))


def _base(value: Any) -> str:
    if not isinstance(value, str) or not value or any(sign.isspace() for sign in value):
        raise mistake(f"base={value!r} is not an image", f"write Image(base={BASE!r})")
    if "{{" in value or "$" in value:
        raise mistake(
            f"base={value!r} is not known before the run",
            "name the image itself: it is built before the run begins",
        )
    return value


def _texts(value: Any, name: str, example: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, (list, tuple)):
        raise mistake(f"{name}={value!r} is not a list", f"write {example}")
    for one in value:
        if not isinstance(one, str) or not one.strip():
            raise mistake(f"{name} holds {one!r}, which is not text", f"write {example}")
        if "\0" in one:
            raise mistake(f"{name} holds a text with a null byte", "take it out")
    return tuple(value)


def _pip(value: Any) -> str | tuple[str, ...]:
    """Return the name of a file, or requirements: each is one line of a requirements file."""
    if isinstance(value, str):
        if not value.strip() or "\n" in value:
            raise mistake(
                f"pip={value!r} is not a valid name for a file",
                "write pip='requirements.txt', or pip=['torch==2.4', 'numpy']",
            )
        if not value.endswith((".txt", ".in", ".pip")) and "/" not in value:
            raise mistake(
                f"pip={value!r} looks like a requirement, not like a file",
                f"write pip=[{value!r}], or the file as './{value}'",
            )
        return value
    lines = _texts(value, "pip", "pip=['torch==2.4', 'numpy'], or pip='requirements.txt'")
    for line in lines:
        if "\n" in line or "\r" in line or line.rstrip().endswith("\\"):
            raise mistake(f"the requirement {line!r} is more than one line", "give it one text")
    return tuple(line.strip() for line in lines)


def _package(name: str) -> str:
    """Check a package as apt-get takes it: NAME, NAME=VERSION, NAME/RELEASE, NAME:ARCHITECTURE.

    Source: Debian policy, 5.6.7 and 5.6.12 (names and versions); apt-get(8), install.
    """
    whole, _, version = name.replace("/", "=", 1).partition("=")
    plain, _, architecture = whole.partition(":")
    if (
        len(plain) < 2
        or not plain[0].isalnum()
        or not _PACKAGE_SIGNS.issuperset(plain)
        or not _PACKAGE_SIGNS.issuperset(architecture)
        or not _VERSION_SIGNS.issuperset(version)
    ):
        raise mistake(
            f"{name!r} is not a valid name for a Debian package",
            "a-z, 0-9 and '+', '-', '.', as in apt=['git', 'libgl1=1.6.0-1']",
        )
    return name


def _env(value: Any) -> dict[str, str]:
    found = variables(value)
    for name, text in found.items():
        if isinstance(text, Secret):
            raise mistake(
                f"{name} is a Secret, which an image cannot hold: all who pull it would read it",
                "give it to the step: @step(env={...: Secret('name', 'key')})",
            )
        if "\n" in text:
            raise mistake(f"{name} has more than one line", "give it to the step: @step(env=...)")
    return found


def _command(text: str) -> str:
    what = token_in(text) or ("a password" if _has_password(text) else "")
    if what:
        raise mistake(
            f"a command of the image holds {what}, which all who pull it would read",
            "download with a secret inside the step, which gets it by env=Secret('name', 'key')",
        )
    return text


def _has_password(text: str) -> bool:
    """Whether an address in a text has a user and a password that is not a variable."""
    for rest in text.split("://")[1:]:
        login, at, _ = rest.partition("/")[0].partition("@")
        password = login.partition(":")[2]
        if at and password and "$" not in password and not any(map(str.isspace, login)):
            return True
    return False


def base_of(image: Image) -> str:
    """Return the base: a name for readers who only look at a manifest and never run it."""
    return image.base
