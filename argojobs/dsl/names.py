"""Names of steps, pipelines and their fields: what Kubernetes and Argo allow.

Templates and tasks are DNS labels, as pods are named after them (Kubernetes: RFC 1035 labels; a
task named in `depends` must not begin with a digit). A name that is not valid is cut to one, with a
hash of the whole: the same name gives the same label, and two names give two. Parameters and
artifacts keep their Python names, which Argo takes as they are (`[-a-zA-Z0-9_]+`).
"""

from __future__ import annotations

from .where import mistake

_LABEL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
#: Room for the `-12345` of repeated names; Kubernetes allows 63.
LONGEST = 57
#: Kubernetes: DNS subdomain names.
LONGEST_OBJECT = 253
_HASH_LENGTH = 8


def is_label(name: str) -> bool:
    """Whether a name is a DNS label that begins with a letter."""
    return (
        0 < len(name) <= LONGEST
        and _LABEL.issuperset(name)
        and name[0].isalpha()
        and name[-1] != "-"
    )


def digest(text: str) -> str:
    """Return eight letters that a text has to itself, for names that are cut."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]


def label(name: str) -> str:
    """Return the label of a name: itself, underscores as hyphens, or cut with a hash of it."""
    plain = name.replace("_", "-")
    if is_label(plain):
        return plain
    words = "".join(sign if sign in _LABEL else "-" for sign in plain.lower())
    kept = "-".join(word for word in words.split("-") if word)
    if not kept[:1].isalpha():
        kept = f"x-{kept}" if kept else "x"
    return f"{kept[: LONGEST - _HASH_LENGTH - 1].rstrip('-')}-{digest(name)}"


def check_name(name: object, where: str | None = None) -> str:
    """Return a name that was given, if it is text. Raises DefinitionError."""
    if not isinstance(name, str) or not name:
        raise mistake(f"the name {name!r} is not text", "give a name such as 'warm-up'", where)
    return name


# travels with: options resources volumes images
def check_object_name(name: object, what: str) -> str:
    """Return the name of a Kubernetes object (a claim, a Secret, ...) if it can be one.

    Kubernetes: RFC 1123 subdomains. A tag that Argo replaces is left alone. Raises
    DefinitionError.
    """
    if not isinstance(name, str):
        raise mistake(f"the name {name!r} of {what} is not text", "give its name in the cluster")
    labels = name.split(".")
    if "{{" not in name and (
        len(name) > LONGEST_OBJECT
        or not all(
            label and _LABEL.issuperset(label) and label.strip("-") == label for label in labels
        )
    ):
        raise mistake(
            f"{name!r} is not a valid name for {what}",
            f"a-z, 0-9, '-' and '.', at most {LONGEST_OBJECT} signs (Kubernetes)",
        )
    return name


def check_field(name: str, what: str, where: str) -> None:
    """Check the name of a parameter, artifact or field. Raises DefinitionError.

    Args:
        name: As the user wrote it.
        what: Says in messages what it names.
        where: The place of a mistake.
    """
    if not name.isascii():
        raise mistake(
            f"the {what} {name!r} holds signs beyond ASCII, which Argo refuses in names",
            "use a-z, A-Z, 0-9 and '_'",
            where,
        )
    if "__" in name or name.startswith("_"):
        raise mistake(
            f"the {what} {name!r} begins with '_' or holds '__', which joins an argument and its "
            "field on the way into the container",
            "use single underscores between words",
            where,
        )
