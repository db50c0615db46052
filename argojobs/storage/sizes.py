"""Numbers of bytes as people read them."""

_UNITS = ("KiB", "MiB", "GiB", "TiB")


def size_text(size: float) -> str:
    """Say a number of bytes: `999 B`, `1.5 MiB`."""
    if size < 1024:
        return f"{size:.0f} B"
    for unit in _UNITS:
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size:.1f} {_UNITS[-1]}"
