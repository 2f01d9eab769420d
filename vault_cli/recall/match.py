"""Which record a pasted line of a block is from. Standard library, `text`, `model`, `recall`.

A line comes back from an agent's context wrapped, cut, quoted, numbered or coloured. What survives
are its letters and digits in their order, so that is what is compared; only among lines that agree
in them the exact text decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from vault_cli.model.record import Record
from vault_cli.recall import wording
from vault_cli.text.late import late

SAME, LIKE, PART = range(3)
"""How well a line fits: the same text, the same letters, a part of the entry."""

_ESCAPES = late(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_DECORATION = late(
    r"[\s│┃║▏▎▍▌|]*(?:\d{1,6}(?:[ \t]*[:→│|]|\t)\s?|[>│┃║▏▌|]+\s?|[+•●▪◦‣·*]\s+|[└├╰╭╎]─*\s?)*"
)
_GAP = late(r"…|\.{3,}|\[\.{3}\]|⋯")
_RUN = late(r"[^\W_]+")
_HEAD_ID = late(r"\s*(?:[-*•]\s*)?\[([^\]\s]+)\]")
_ANY_ID = late(r"\[([^\]\s]+)\]")
_CONFLICT = late(r"\*\*Conflicts?(?: \([^)]*\))?: (.*)\*\*$")
_LISTS_IDS = late(r"\s*(?:-\s*by id only:|>?\s*Larger than the whole budget)")
_ESCAPED = late(r"\\u\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|&#?\w+;|%5[BbDd]|\\")
"""What stands in a block for characters of a memory."""

_OUR_WORDS = frozenset(
    _RUN.findall(
        "when boundary has a verified claims to be is not part of its support lost check before use"
        " external source reference only auto derived unverified low confidence"
        " helpful harmful hit hits succeeded failed code changed since"
    )
)
"""Words that the block itself puts into an entry."""

_FEW_WORDS = 3
_LEAST = 2
_NEAREST = 3
_LEAST_LIKENESS = 0.25
_SAMPLES = 8


class Match(NamedTuple):
    """A record that a line may be from.

    Args:
        record: the record.
        rank: `SAME`, `LIKE` or `PART`.
        text: the line of the entry that it is, as the block shows it; "" for a part over several.
        shown: whether the block at hand holds the record.
    """

    record: Record
    rank: int
    text: str
    shown: bool


class Pasted(NamedTuple):
    """A line as it was pasted, read.

    Args:
        raw: without colours and line ends at its ends.
        lines: without blank ones, one or several.
        parts: the letters of what stands between its gaps (`…`), in order.
    """

    raw: str
    lines: tuple[str, ...]
    parts: tuple[str, ...]

    @property
    def head_id(self) -> str:
        """The id in brackets that it begins with, "" for none."""
        found = _HEAD_ID.match(self.lines[0]) if self.lines else None
        return found[1] if found else ""

    def undecorated(self) -> Pasted:
        """Return it without what a quote, an editor or a box puts before and behind lines."""
        return _read(self.raw, map(_undecorated, self.lines))


def letters(text: str) -> str:
    """Return the letters and digits of a text, folded; of a text without any all but blanks."""
    plain = _fold(text)
    return "".join(_RUN.findall(plain)) or "".join(plain.split())


def _fold(text: str) -> str:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return plain.casefold()


def read_paste(text: str) -> Pasted:
    """Read a pasted text: without the colours of a terminal."""
    raw = _ESCAPES.sub("", text).replace("\r\n", "\n").strip("\n")
    return _read(raw, raw.split("\n"))


def _read(raw: str, lines: Iterable[str]) -> Pasted:
    kept = tuple(line for line in lines if line.strip())
    whole = "\n".join(kept)
    pieces = ("".join(_RUN.findall(_fold(piece))) for piece in _GAP.split(whole))
    return Pasted(raw, kept, tuple(filter(None, pieces)) or (letters(whole),))


def _undecorated(line: str) -> str:
    found = _DECORATION.match(line)
    rest = line[found.end() :] if found else line
    return rest.rstrip(" \t│┃║|") or line.strip()


def find_matches(
    pasted: Pasted,
    records: Iterable[Record],
    shown_of: Callable[[Record], str],
    entry_of: Callable[[Record], str],
) -> list[Match]:
    """Return the records a line may be from, the best first.

    Args:
        pasted: the line.
        records: all that it may be from.
        shown_of: gives the text of a record's entry in the block at hand, "" when it has none.
        entry_of: gives all that a block may say of a record.

    Returns:
        Whole lines before parts of an entry; when none of these is in the block, those of the
        block as well.
    """
    if not pasted.lines:
        return []
    known = list(records)
    heads = [r for r in known if wording.show_id(r.id) == pasted.head_id]
    own = [m for m in _matches(pasted, heads, shown_of, entry_of) if m.rank == SAME]
    if own and not pasted.raw[0].isspace():  # only a head stands at the edge, and has its own id
        return [match for match in own if match.shown] or own
    bare = pasted.undecorated()
    tries = ((line, some) for some in _likely(bare, known) for line in (pasted, bare))
    found = next(filter(None, (_matches(t, some, shown_of, entry_of) for t, some in tries)), [])
    if not found:
        return []
    found.sort(key=lambda match: (match.rank, not match.shown, match.record.id))
    best = [match for match in found if match.rank <= max(LIKE, found[0].rank)]
    if any(match.shown for match in best):
        best = [match for match in best if match.shown]
    else:
        best += [match for match in found[len(best) :] if match.shown]
    if best[0].rank == SAME and not pasted.raw[0].isspace():  # only a head stands at the edge
        return [match for match in best if match.rank == SAME]
    if best[0].rank != SAME:  # an id at its start is the best sign left
        best.sort(key=lambda match: wording.show_id(match.record.id) != bare.head_id)
    return best


def _likely(pasted: Pasted, records: Sequence[Record]) -> Iterator[list[Record]]:
    """Yield ever more records that may have such a line, the likely first: entries take long.

    Those that hold all of its words, then those that hold half of them (some may be escaped), or of
    few words all records.
    """
    text = _ESCAPED.sub("\n", _GAP.sub("\n", "\n".join(pasted.lines))).lower()
    words = {word for word in _RUN.findall(text) if not word.isdecimal()} - _OUR_WORDS or {""}
    shares = [(_count_words(record, words), record) for record in records]
    yield [record for count, record in shares if count == len(words)]
    least = len(words) / 2 if len(words) > _FEW_WORDS else 0
    yield [record for count, record in shares if count >= least]


def _count_words(record: Record, words: Iterable[str]) -> int:
    fields = (record.id, record.title, record.applies_when, record.boundary, record.summary)
    text = "\n".join((*fields, record.body)).lower()
    return sum(word in text for word in words)


def _matches(
    pasted: Pasted,
    records: Iterable[Record],
    shown_of: Callable[[Record], str],
    entry_of: Callable[[Record], str],
) -> list[Match]:
    found = []
    for record in records:
        shown = shown_of(record)
        fit = _fit(pasted, shown.splitlines()) if shown else None
        if fit is not None:
            found.append(Match(record, *fit, shown=True))
            continue
        fit = _fit(pasted, entry_of(record).splitlines())
        if fit is not None:
            found.append(Match(record, *fit, shown=False))
    return found


def _fit(pasted: Pasted, lines: Sequence[str]) -> tuple[int, str] | None:
    """Return how a pasted line fits an entry, and which line of it; None when it does not."""
    raw, whole = pasted.raw.rstrip(), "".join(pasted.parts)
    same = next((line for line in lines if line.rstrip() == raw), None)
    if same is not None:
        return SAME, same
    keys = list(map(letters, lines))
    if whole in keys:
        return LIKE, lines[keys.index(whole)]
    if not _holds("".join(keys), pasted.parts):
        return None
    holding = (line for line, key in zip(lines, keys, strict=True) if _holds(key, pasted.parts))
    return PART, next(holding, "")


def _holds(key: str, parts: Sequence[str]) -> bool:
    """Whether all parts stand in a text in this order."""
    if sum(map(len, parts)) < _LEAST:
        return False
    place = 0
    for part in parts:
        found = key.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def frame_line(pasted: Pasted, frame: Iterable[str]) -> str:
    """Return the line of mvault's own frame that a pasted line is, "" when it is none.

    Args:
        pasted: the line.
        frame: the lines of a block that belong to no entry.
    """
    keys = {"".join(pasted.parts), "".join(pasted.undecorated().parts)}
    like = [line for line in frame if line.strip() and letters(line) in keys]
    return next((line for line in like if line in pasted.raw), like[0] if like else "")


def named_ids(pasted: Pasted) -> tuple[str, ...]:
    """Return the ids that a line names: at its start, in a list of ids, or as a conflict."""
    line = pasted.undecorated().lines[0].strip() if pasted.lines else ""
    conflict = _CONFLICT.match(line)
    if conflict:
        words = re.findall(r"[^\s;()]+", conflict[1])
        return tuple(word for word in words if word != "or")
    if _LISTS_IDS.match(line):
        return tuple(_ANY_ID.findall(line))
    found = _HEAD_ID.match(line)
    return (found[1],) if found else ()


def find_nearest(pasted: Pasted, records: Iterable[Record]) -> list[Record]:
    """Return the few records whose titles or texts have most in common with a line."""
    wanted = _pairs("".join(pasted.parts))
    samples = _samples("\n".join(pasted.lines).casefold())
    scored: list[tuple[float, str, Record]] = []
    for record in records:
        texts = [record.title]
        body = record.body.casefold()
        if 2 * sum(sample in body for sample in samples) > len(samples):
            texts += record.body.splitlines()
        share = max(_likeness(wanted, _pairs(letters(text))) for text in texts)
        if share >= _LEAST_LIKENESS:
            scored.append((-share, record.id, record))
    return [record for _, _, record in sorted(scored, key=lambda item: item[:2])[:_NEAREST]]


def _samples(text: str) -> list[str]:
    """Return a few short pieces of a text, spread over it, to look for in many others."""
    width = 4 if text.isascii() else 2
    pieces = [
        word[place : place + width]
        for word in _RUN.findall(text)
        for place in range(0, len(word) - width + 1, width)
    ]
    return pieces[:: max(1, len(pieces) // _SAMPLES)]


def _pairs(key: str) -> frozenset[str]:
    return frozenset(map(str.__add__, key, key[1:]))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common pairs of characters (Dice's coefficient)."""
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0
