"""Ids, slugs and file names. May import `model`; anyascii inside functions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from typing import Final

from vault_cli.errors import StoreError
from vault_cli.model.record import CROCKFORD, Kind
from vault_cli.text.hidden import drop_invisible, escape_visible, show_hidden
from vault_cli.text.late import late

_SLUG_CHARACTERS: Final = 60
_SLUG_BYTES: Final = 120
SKILL_NAME_LIMIT: Final = 64
"""Characters of the longest skill name."""

_ID_CHARACTERS: Final = 7
_FOREIGN_ID_BYTES: Final = 60
_TRIES: Final = 1000

OWN_ID = late(rf"[a-z]-[{CROCKFORD}]{{{_ID_CHARACTERS}}}")
"""Ids that this program made."""

_PORTS: Final = tuple(f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789")
WINDOWS_NAMES: Final = frozenset({"con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS})
"""Names that Windows keeps for devices, in lower case."""

_HAN: Final = "([\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
"""Compiled on use: large classes take long, and most runs need only the other functions."""

_NOT_SKILL = late("[^a-z0-9]+")
VENDOR_WORDS: Final = ("anthropic", "claude")
"""Words that some hosts refuse in the name of a skill."""

_UNDECODABLE = late("[\udc80-\udcff]")


def new_id(kind: Kind, taken: Collection[str], random_int: Callable[[int], int]) -> str:
    """Return a fresh id: kind letter, `-`, 7 random Crockford characters, not in `taken`.

    Args:
        kind: its letter is a mnemonic only.
        taken: ids in use.
        random_int: function giving a random integer below its argument (`secrets.randbelow`).

    Raises:
        StoreError: the source of random numbers repeats itself.
    """
    for _ in range(_TRIES):
        digits = "".join(CROCKFORD[random_int(len(CROCKFORD))] for _ in range(_ID_CHARACTERS))
        fresh = f"{kind.letter}-{digits}"
        if fresh not in taken:
            return fresh
    raise StoreError("no free id found: the source of random numbers repeats itself")


def is_device_name(name: str) -> bool:
    """Tell whether Windows takes a file name for a device, whatever its suffix: `con.a.md`."""
    stem = unicodedata.normalize("NFKC", name.partition(".")[0].rstrip())
    return stem.lower() in WINDOWS_NAMES


def slugify(title: str) -> str:
    """Return a file-name slug: Unicode letters kept (NFC), at most 60 characters and 120 bytes.

    Never empty (falls back to `note`), never a name that Windows cannot check out.
    """
    slug = _slug(title, _SLUG_CHARACTERS, _SLUG_BYTES)
    if not slug:
        return "note"
    return f"note-{slug}" if is_device_name(slug) else slug


def _slug(text: str, characters: int, size: int) -> str:
    plain = unicodedata.normalize("NFC", drop_invisible(text).lower())
    kept = "".join(character if _is_word(character) else "-" for character in plain)
    return _cut_bytes("-".join(filter(None, kept.split("-"))), characters, size)


def _is_word(character: str) -> bool:
    """Letters, digits and the marks that belong to letters (Indic vowels, Arabic points)."""
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _cut_bytes(slug: str, characters: int, size: int) -> str:
    """Cut to both limits, at a hyphen if one is near, never between a letter and its mark."""
    cut = slug[:characters].encode("utf-8", "ignore")[:size].decode("utf-8", "ignore")
    if len(cut) == len(slug):
        return cut
    at = len(cut)
    while at and unicodedata.category(slug[at])[0] == "M":
        at -= 1
    cut = cut[:at]
    hyphen = cut.rfind("-")
    if slug[at : at + 1] != "-" and hyphen > len(cut) * 2 // 3:
        cut = cut[:hyphen]
    return unicodedata.normalize("NFC", cut.strip("-"))


def file_name(title: str, record_id: str) -> str:
    """Return `<slug>-<last 7 characters of the id>.md`, less than 200 bytes.

    An id that this program did not make is cleaned like a title and kept as far as it fits, so
    that ids which differ only at their start keep different names.
    """
    if OWN_ID.fullmatch(record_id):
        return f"{slugify(title)}-{record_id[-_ID_CHARACTERS:]}.md"
    foreign = _slug(record_id, _FOREIGN_ID_BYTES, _FOREIGN_ID_BYTES) or "note"
    return f"{slugify(title)}-{foreign}.md"


def skill_name(title: str) -> str:
    """Return an ASCII skill name (1-64, lower-case letters, digits, single hyphens) or "".

    Chinese becomes one pinyin syllable a character, other scripts are transliterated; names of
    vendors that hosts refuse in a skill name are left out; "" when nothing usable is left.
    """
    from anyascii import anyascii

    spaced = re.sub(_HAN, r" \1 ", drop_invisible(unicodedata.normalize("NFKC", title)))
    words = _NOT_SKILL.sub(" ", _join_marks(anyascii(spaced)).lower()).split()
    name = "-".join(word for word in words if word not in VENDOR_WORDS)
    name = f"skill-{name}" if name in WINDOWS_NAMES else name
    return _cut_bytes(name, SKILL_NAME_LIMIT, SKILL_NAME_LIMIT)


def _join_marks(text: str) -> str:
    """Drop the apostrophes and accents that transliteration leaves inside words."""
    return re.sub(r"(?<=[A-Za-z0-9])['`^\"](?=[A-Za-z0-9])", "", text)


def show_path(text: str) -> str:
    r"""Return a path or name safe to print: control, bidi and undecodable characters escaped.

    A byte that is not UTF-8 (a lone surrogate, as Python reads it) shows as `\xff`, a newline
    as `\n`, a tab as `\t`.
    """
    shown = _UNDECODABLE.sub(lambda match: f"\\x{ord(match.group()) - 0xDC00:02x}", text)
    shown = shown.replace("\n", "\\n").replace("\t", "\\t").replace("\r", escape_visible("\r"))
    return show_hidden(shown)
