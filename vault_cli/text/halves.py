"""Halves of characters in what JSON says. Standard library only.

JSON may name half of an emoji that a host cut off (an escape of U+D83D alone), which no file and no
database takes.
"""

from __future__ import annotations

from typing import Any


def without_halves(value: Any) -> Any:
    """Return what JSON gave with a question mark in the place of each half of a character.

    Args:
        value: a text, a number, None, or lists and maps of these.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [without_halves(item) for item in value]
    if isinstance(value, dict):
        return {without_halves(key): without_halves(item) for key, item in value.items()}
    return value
