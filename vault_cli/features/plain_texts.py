"""Files of a vault that are no records, as texts to merge. May import `text`."""

from __future__ import annotations

from vault_cli.text.diff3 import merge_text


def as_text(data: bytes) -> str | None:
    """Return a file as text, None for one that is none."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def merge_plain(base: str | None, one: str | None, other: str | None) -> bytes | None:
    """Return three texts merged by lines, None where both changed the same ones."""
    if base is None or one is None or other is None:
        return None
    merged = merge_text(base, one, other)
    return None if merged.clashes else merged.text.encode("utf-8", "surrogatepass")


def is_toml(data: bytes) -> bool:
    """Tell whether a file of settings can be read."""
    import tomllib

    try:
        tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return True
