"""Ids, slugs and file names. May import `model`; anyascii inside functions."""

from __future__ import annotations

from collections.abc import Callable, Collection

from vault_cli.model.record import Kind


def new_id(kind: Kind, taken: Collection[str], random_int: Callable[[int], int]) -> str:
    """Return a fresh id: kind letter, `-`, 7 random Crockford characters, not in `taken`.

    Args:
        random_int: function giving a random integer below its argument (`secrets.randbelow`).
    """
    raise NotImplementedError


def slugify(title: str) -> str:
    """Return a file-name slug: Unicode letters kept (NFC), at most 60 characters and 120 bytes.

    Never empty (falls back to `note`), never a name that Windows cannot check out.
    """
    raise NotImplementedError


def file_name(title: str, record_id: str) -> str:
    """Return `<slug>-<last 7 characters of the id>.md`."""
    raise NotImplementedError


def skill_name(title: str) -> str:
    """Return an ASCII skill name (1-64, lower-case letters, digits, single hyphens) or "".

    Chinese and other scripts are transliterated; "" when nothing usable is left.
    """
    raise NotImplementedError


def show_path(text: str) -> str:
    """Return a path or name safe to print: control, bidi and undecodable characters escaped."""
    raise NotImplementedError
