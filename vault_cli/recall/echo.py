"""Know again what mvault said itself. May import `hook`, `model`, `text`, `recall`.

What is injected comes back: in a transcript, in a summary, pasted by a person, wrapped, indented,
quoted or cut by a host. It must not be taken for news. Three signs, weakest last: the frames that
are ours, the fingerprints of the lines that were injected (`hook.injected`), and the letters of the
records themselves, which know a line again from any part of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Final

from vault_cli.hook.injected import LEAST, fingerprint, normalise
from vault_cli.model.record import Record
from vault_cli.model.tables import GROUPS
from vault_cli.recall import wording
from vault_cli.recall.match import letters, read_paste
from vault_cli.text.corrections import find_correction
from vault_cli.text.late import late
from vault_cli.text.sections import NAMES

_MOST_JOINED: Final = 16
"""Lines into which a host may have broken one of ours."""

_BLOCKS: Final = tuple(
    late(rf"(?:^[ \t>│┃║|]{{1,20}})?{begin}(?:(?!{begin}).)*?{end}", re.DOTALL | re.MULTILINE)
    for begin, end in (
        (r"<mvault-memory>", r"</mvault-memory>"),
        (r"<!--[ \t]*mvault:begin\b[^>\n]{0,200}-->", r"<!--[ \t]*mvault:end\b[^>\n]{0,200}-->"),
        (r"<system-reminder>", r"</system-reminder>"),
    )
)
_TAG: Final = late(
    r"</?mvault-memory>|<!--[ \t]*mvault:(?:begin|end)\b[^>\n]{0,200}(?:-->|$)|</?system-reminder>|"
    r"\b[A-Z][A-Za-z]+ hook (?:additional context|error|stopped|feedback)\b"
)
"""What stands around our text, alone in a line or before it."""

_FRAME: Final = late(
    r"[\W_]*(?:Topic: |Any topic[\W_]*$|Conflicts?(?: \([^)\n]*\))?: |Shortened to fit: |"
    r"Left out to fit: |Larger than the whole budget|Not rendered by configuration: |"
    r"Held back until a person|Kept out by the reader|\d[\d,]* files? could not be read|"
    r"mvault: \d|by id only:|Read one with .{0,2}mvault show ID)"
)
"""How lines of a block begin that belong to no record (`recall.wording`)."""

_ORNAMENT: Final = late(r"[\s>│┃║▏▎▍▌|*•]+")
_MARKS: Final = late(r"\s*\([^()\n]{1,120}\)\s*$")
_ENTRY: Final = late(r"\[(?:by id only: )?[a-z]-[0-9a-z]{7}\]")
_SENTENCE: Final = late(r"(?<=[.!?;。！？；])\s*")
_WIDE: Final = "\u2e80"


_LABELS: Final = frozenset(
    letters(word)
    for word in (
        *(word for words in NAMES.values() for word in words),
        *("When", "Boundary", "has a boundary", "auto-derived, unverified", "verified", "instead"),
        *("external source, reference only", "low confidence", "avoid", "code changed"),
    )
)
"""What a block writes before and behind the words of a record."""


class Echo:
    """What mvault said itself, known again in any text.

    Args:
        marks: fingerprints of the lines that were injected.
        records: what may have been shown.
    """

    def __init__(self, marks: Collection[str] = (), records: Iterable[Record] = ()) -> None:
        self._marks = marks
        self._records = tuple(records)

    @cached_property
    def _whole(self) -> str:
        """The letters of all that may have been shown; worked out when a text is looked at."""
        return "\0".join(_own_texts(self._records))

    def without(self, text: str) -> str:
        """Return a text without the lines that are ours; what a person wrote beside them stays."""
        for pattern in _BLOCKS:
            text = pattern.sub("\n", text)
        lines = text.replace("\r\n", "\n").split("\n")
        bare = [_undecorated(line) for line in lines]
        ours = self._judge(lines, bare)
        kept = [
            line if not _ENTRY.search(line) else self._without_sentences(line)
            for line, own in zip(lines, ours, strict=True)
            if not own
        ]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()

    def holds(self, text: str) -> bool:
        """Tell whether a text of one line, or a part of one, is ours."""
        return self._is_ours(text) or self._is_ours(_undecorated(text))

    def _judge(self, lines: list[str], bare: list[str]) -> list[bool]:
        ours = [
            self._is_ours(line) or self._is_ours(plain) or self._is_frame(plain)
            for line, plain in zip(lines, bare, strict=True)
        ]
        for start, end in self._joined(bare, ours):
            ours[start:end] = [True] * (end - start)
        return self._filled(lines, bare, ours)

    def _is_frame(self, plain: str) -> bool:
        """Tell whether a line stands around the entries of a block, or heads one of them."""
        if _TAG.search(plain) and not _TAG.sub("", plain).strip():
            return True
        if _FRAME.match(plain):
            return True
        head = _ENTRY.search(plain[:24])
        return head is not None and self._is_ours(_MARKS.sub("", plain))

    def _is_ours(self, line: str) -> bool:
        if fingerprint(line) in self._marks and fingerprint(line):
            return True
        parts = [part for part in read_paste(line).parts if part]
        return _weight("".join(parts)) >= LEAST and all(part in self._whole for part in parts)

    def _joined(self, bare: list[str], ours: list[bool]) -> Iterator[tuple[int, int]]:
        """Yield the runs of lines that are one line of ours, broken by a host."""
        if not self._marks:
            return
        for start, line in enumerate(bare):
            if not line.strip() or ours[start]:
                continue
            whole = line
            for end in range(start + 1, min(len(bare), start + _MOST_JOINED)):
                whole += bare[end]
                if fingerprint(whole) in self._marks:
                    yield start, end + 1
                    break

    def _filled(self, lines: list[str], bare: list[str], ours: list[bool]) -> list[bool]:
        """Count as ours what a host broke off: our labels and marks, and remains beside lines."""
        done = list(ours)
        for place, line in enumerate(bare):
            if done[place] or not (line.strip() or lines[place].strip()):
                continue
            before = place > 0 and done[place - 1]
            after = place + 1 < len(ours) and ours[place + 1]
            short = _weight(normalise(line)) < LEAST and not find_correction(line)
            beside = (before or after) and (letters(line) in _LABELS or self._is_cut(line, short))
            rest = any(ours) and _ORNAMENT.fullmatch(lines[place]) is not None
            done[place] = (before and after and short) or beside or rest
        return done

    def _is_cut(self, line: str, short: bool) -> bool:  # noqa: FBT001 - known of the line already
        """Tell whether a line may be what a host left of one of ours, cut within a word."""
        return short and bool(letters(line)) and letters(line) in self._whole

    def _without_sentences(self, line: str) -> str:
        """Return a line that a host made of several without those sentences that are ours."""
        kept = [part for part in _SENTENCE.split(line) if part and not self.holds(part)]
        return " ".join(part for part in kept if not _ENTRY.match(_undecorated(part)))


def _own_texts(records: Iterable[Record]) -> Iterator[str]:
    """Yield the letters of all that a block may say."""
    yield letters(wording.intro(short=False))
    yield letters(wording.intro(short=True))
    for group in GROUPS:
        for mode in ("assist", "strict"):
            yield letters(wording.heading(group, mode))
    for record in records:
        yield letters(wording.full_text(record))
        yield letters(wording.line_text(record))
        yield letters(f"{wording.show_id(record.id)} {record.title}")
        yield letters(f"{record.title} {record.summary}")
        yield letters(record.body)


def _undecorated(line: str) -> str:
    """Return a line without what a quotation, a list or an editor puts before it."""
    return "\n".join(read_paste(line).undecorated().lines).strip() if line.strip() else ""


def _weight(plain: str) -> int:
    """Return the length of letters; a sign of Chinese or Japanese writing counts as two."""
    return len(plain) + sum(char >= _WIDE for char in plain)
