r"""Other readings of a text in which a secret may hide: folded, joined, decoded.

A key split by a zero-width space, spelled in full-width letters, escaped (`ghp\_`, `%5F`),
wrapped over lines or put into base64 still works for whoever reads it. Each reading knows where
its characters stand in the text. All of it is linear, and plain text costs almost nothing.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from vault_cli.text.hidden import INVISIBLE_CLASS
from vault_cli.text.late import late
from vault_cli.text.shape import beyond_ascii, token_runs

_MIX: Final = late("[A-Za-z][0-9]|[0-9][A-Za-z]|[a-z][A-Z]|[A-Z]{16}|[a-z]{30}")
_ENCODED: Final = late("[A-Za-z0-9+/_-]{24,}={0,2}")
_WRAP: Final = late(
    r"(?<=[A-Za-z0-9_+/=.:-])\\?\r?\n[ \t]*(?:(?:[>|#*]|//)[ \t]?)?(?=[A-Za-z0-9_+/=.-])"
)
_CAPITALS: Final = late("[A-Z0-9]{18}")
_LINE_MARKS: Final = " \t\r\\>|*#/"
_LONG_RUN: Final = 15
_MIXED_OFTEN: Final = 3
_LEAST_DECODED: Final = 12


class View(NamedTuple):
    """Another reading of a text.

    Args:
        text: what is read.
        pieces: start in `text` and start in the original of every unchanged piece, in order.
        seams: where in `text` something was taken out or replaced.
    """

    text: str
    pieces: list[tuple[int, int]]
    seams: list[int]

    def locate(self, start: int, end: int) -> tuple[int, int]:
        """Return the offsets in the original of a span of this reading."""
        from bisect import bisect_right

        first = self.pieces[bisect_right(self.pieces, (start, 1 << 60)) - 1]
        last = self.pieces[bisect_right(self.pieces, (end - 1, 1 << 60)) - 1]
        return first[1] + start - first[0], last[1] + end - last[0]

    def has_seam(self, start: int, end: int) -> bool:
        """Whether the span is other in the original."""
        from bisect import bisect_left

        place = bisect_left(self.seams, start)
        return place < len(self.seams) and self.seams[place] <= end


def find_runs(text: str) -> tuple[list[str], list[str]]:
    """Return the runs of token characters that could be a key: those of lines, those across lines.

    Two words of two lines make one with a capital inside, so across lines more signs of a key
    are asked for.
    """
    if "\n" not in text:
        return _mixed_runs(text), []
    across = _mixed_runs(_join_lines(text))
    if not across:
        return [], []  # a run of a line is in a run of the joined lines
    plain = _mixed_runs(text)
    known = set(plain)
    return plain, [run for run in across if run not in known and _is_mixed_often(run)]


def _mixed_runs(text: str) -> list[str]:
    return [run for run in token_runs(text, _LONG_RUN) if _MIX.search(run) is not None]


def _is_mixed_often(run: str) -> bool:
    return len(_MIX.findall(run)) >= _MIXED_OFTEN or _CAPITALS.search(run) is not None


def _join_lines(text: str) -> str:
    """The text without line breaks and without what begins or ends a line."""
    return "".join([line.strip(_LINE_MARKS) for line in text.split("\n")])


def folded_view(text: str) -> View | None:
    """Return the text without invisible characters, escapes and wide letters; None if same."""
    if not (
        "%" in text
        or "\\" in text
        or "&#" in text
        or (not text.isascii() and _ODD.search(beyond_ascii(text)) is not None)
    ):
        return None
    view = _rewrite(text, _FOLD)
    return view if view.seams else None


def joined_view(text: str) -> View:
    """Return the text with lines joined where a token may go on in the next line."""
    return _rewrite(text, _WRAP)


_ODD: Final = late(f"[{INVISIBLE_CLASS}０-９Ａ-Ｚａ-ｚ\U0001d400-\U0001d7ff]")
_FOLD: Final = late(
    rf"(?P<drop>[{INVISIBLE_CLASS}]+|\\\r?\n[ \t]*)|%(?P<hex>[2-7][0-9A-Fa-f])"
    r"|\\u00(?P<unicode>[2-7][0-9A-Fa-f])|\\x(?P<byte>[2-7][0-9A-Fa-f])"
    r"|&#(?:x(?P<entity>[2-7][0-9A-Fa-f])|(?P<decimal>[3-9]\d|1[01]\d|12[0-6]));"
    r"|\\(?P<escaped>[_*~.:=+/-])|(?P<wide>[\uff01-\uff5e\U0001d400-\U0001d7ff])"
)


def _rewrite(text: str, pattern: re.Pattern[str]) -> View:
    parts: list[str] = []
    pieces: list[tuple[int, int]] = [(0, 0)]
    seams: list[int] = []
    done = size = 0
    for match in pattern.finditer(text):
        kept = text[done : match.start()]
        new = _replacement(match)
        parts.extend((kept, new))
        size += len(kept)
        seams.append(size)
        if new:
            pieces.append((size, match.end() - 1))
        size += len(new)
        pieces.append((size, match.end()))
        done = match.end()
    parts.append(text[done:])
    return View("".join(parts), pieces, seams)


def _replacement(match: re.Match[str]) -> str:
    kind, value = match.lastgroup, match.group(match.lastgroup) if match.lastgroup else ""
    match kind:
        case "hex" | "unicode" | "byte" | "entity":
            return chr(int(value, 16))
        case "decimal":
            return chr(int(value))
        case "escaped":
            return value
        case "wide":
            return unicodedata.normalize("NFKC", value)[:1]
    return ""


def decoded_runs(runs: list[str]) -> Iterator[tuple[str, str]]:
    """Yield run and what it spells in base64 or hexadecimal, where that is readable text."""
    for run in runs:
        for match in _ENCODED.finditer(run):
            spelled = decode_text(match.group()) or _decode_hex(match.group())
            if len(spelled) >= _LEAST_DECODED and _is_readable(spelled):
                yield match.group(), spelled


def _is_readable(text: str) -> bool:
    return text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable()


def decode_text(value: str) -> str:
    """Return what base64 (either alphabet, padding optional) spells in UTF-8, or ""."""
    plain = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""


def _decode_hex(value: str) -> str:
    try:
        return bytes.fromhex(value).decode()
    except ValueError:
        return ""
