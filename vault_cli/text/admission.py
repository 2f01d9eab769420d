"""May this text enter the prompt: the structural layer. May import `model`, `errors`.

The structural layer may hold a record: control characters, escape sequences, bidi overrides, tag
characters, variation selectors that carry bytes, zero-width characters inside words, fake
closing tags and role lines, our own block markers, image beacons, HTML that hides, commands that
run what they fetch, and orders that are encoded or written in look-alike letters. What only the
sense of a sentence gives away is `injection`, which asks for review.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from vault_cli.text import frames
from vault_cli.text.code import CodeMap, is_escaped, map_code
from vault_cli.text.disguise import find_disguised
from vault_cli.text.hidden import (
    ALARM_CLASS,
    HiddenRun,
    characters_of,
    decode_hidden,
    escape_visible,
    find_hidden,
    show_hidden,
    show_printable,
)
from vault_cli.text.injection_match import LONGEST
from vault_cli.text.late import late
from vault_cli.text.markers import MARKER_TEXT
from vault_cli.text.traps import find_traps

_SIGN = late(f"[{ALARM_CLASS}<＜]")
_BRACKET = late(r"\[/?(?i:inst|system_|tool_|avail)|!\[|\]:")
_INVISIBLE_ALARM = late(f"[{ALARM_CLASS}]")
_MOST_SHOWN = 20
_MOST_HITS = 1000
_MOST_LEFT_OVERS = 2
_SHOWN = 80
_TAG_END = late(r"[ \t]{0,4}/?>|\s[^<>]{0,200}>")
_EDGE = late(rf"[\s{ALARM_CLASS}]")


@dataclass(frozen=True, slots=True)
class Finding:
    """One hit in a text.

    Args:
        code: stable code, for example `hidden-characters`.
        line: 1-based line in the text given.
        column: 1-based column in characters.
        message: what was found, hidden text decoded, everything escaped.
        holds: whether the record is held from the render until a person allows the code.
    """

    code: str
    line: int
    column: int
    message: str
    holds: bool


def scan_structure(text: str, *, quiet: bool = False) -> list[Finding]:
    """Return the structural findings of a text of at most 256 KiB, in linear time.

    Plain text returns at once. Findings come in the order of the text, at most twenty of a code
    (the last says that there are more); zero-width characters are counted together. A text with
    more than a thousand suspicious places is held whatever they are.

    Args:
        text: any text.
        quiet: what `is_quiet` said of it; then traps and disguises are not looked for again.
    """
    scan = _Scan(text)
    found = [] if quiet else list(_trap_findings(scan))
    if is_alarming(text):
        found += [*_hidden_findings(scan), *_frame_findings(scan)]
    return sorted(found, key=lambda finding: (finding.line, finding.column))


def is_alarming(text: str) -> bool:
    """Whether a text has a sign of something hidden or of a frame: the cheap first look."""
    if text.isascii():
        alarm = bool(text.encode().translate(None, _calm()))
    else:
        alarm = _SIGN.search(characters_of(text)) is not None
    if alarm:
        return True
    brackets = "[" in text or "]" in text
    return brackets and _BRACKET.search(text) is not None


@cache
def _calm() -> bytes:
    """Return the ASCII characters that are no sign."""
    return bytes(code for code in range(128) if not _SIGN.match(chr(code)))


class _Scan:
    """One text with what several checks share, made on demand."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def code(self) -> CodeMap:
        return map_code(self.text)

    def finding(self, code: str, offset: int, message: str, *, holds: bool) -> Finding:
        line = bisect_right(self.starts, offset)
        return Finding(code, line, offset - self.starts[line - 1] + 1, message, holds)


@dataclass(frozen=True, slots=True)
class _Hit:
    start: int
    end: int
    holds: bool


def _report(
    scan: _Scan, code: str, hits: Iterable[_Hit], describe: Callable[[str, _Hit], str]
) -> Iterator[Finding]:
    """Turn hits of one code into findings: holding ones first, a few of them, the rest counted."""
    seen: list[_Hit] = []
    holding: list[_Hit] = []
    more = False
    for hit in hits:
        if len(holding) > _MOST_SHOWN or len(seen) >= _MOST_HITS:
            more = True
            break
        (holding if hit.holds else seen).append(hit)
    many = len(seen) >= _MOST_HITS
    kept = [*holding, *seen][:_MOST_SHOWN]
    more = more or len(holding) + len(seen) > len(kept)
    for number, hit in enumerate(kept, 1):
        message = describe(scan.text, hit)
        message += " (and more of this kind)" if more and number == len(kept) else ""
        yield scan.finding(code, hit.start, message, holds=hit.holds or many)


def _hidden_findings(scan: _Scan) -> Iterator[Finding]:
    if _INVISIBLE_ALARM.search(characters_of(scan.text)) is None:
        return
    by_code: dict[str, list[HiddenRun]] = {}
    for number, run in enumerate(_not_ok(scan.text)):
        by_code.setdefault(_hidden_code(run), []).append(run)
        if number == _MOST_HITS:
            by_code = {code: [r._replace(verdict="hold") for r in g] for code, g in by_code.items()}
            break
    for code, runs in by_code.items():
        if code == "zero-width":
            yield _zero_width(scan, runs)
        else:
            hits = (_Hit(run.start, run.end, run.verdict == "hold") for run in runs)
            yield from _report(scan, code, hits, _DESCRIBE[code])


def _not_ok(text: str) -> Iterator[HiddenRun]:
    return (run for run in find_hidden(text) if run.verdict != "ok")


def _hidden_code(run: HiddenRun) -> str:
    if run.kind == "soft":
        carries = run.verdict == "hold" and not run.in_word
        return "hidden-characters" if carries else "zero-width"
    return _KIND_CODES[run.kind]


_KIND_CODES = {
    "control": "control-character",
    "bidi": "bidi-control",
    "tag": "hidden-characters",
    "break": "line-separator",
}


def _zero_width(scan: _Scan, runs: list[HiddenRun]) -> Finding:
    """One finding for all zero-width characters that do nothing or split a word."""
    inside = [run for run in runs if run.in_word]
    holding = [run for run in runs if run.verdict == "hold"]
    holds = bool(holding) or len(inside) > _MOST_LEFT_OVERS
    shown = (holding or inside or runs)[0]
    number = sum(run.end - run.start for run in runs)
    where = f'inside a word: "{_around(scan.text, shown)}"' if inside else "with no effect"
    message = f"{number} zero-width character{'s' if number > 1 else ''}, {where}"
    return scan.finding("zero-width", shown.start, message, holds=holds)


def _around(text: str, run: HiddenRun) -> str:
    before = _EDGE.split(text[max(0, run.start - 20) : run.start])[-1]
    after = _EDGE.split(text[run.end : run.end + 20])[0]
    return before + escape_visible(_cut(text[run.start : run.end])) + after


def _describe_hidden(text: str, hit: _Hit) -> str:
    raw = text[hit.start : hit.end]
    spelled = decode_hidden(raw)
    readable = sum(character != "·" for character in spelled) * 2 > len(spelled)
    says = f'decode to "{_cut(spelled)}"' if readable else f"are {_cut(escape_visible(raw))}"
    return f"{len(raw)} hidden character{'s' if len(raw) > 1 else ''} {says}"


def _describe_control(text: str, hit: _Hit) -> str:
    line = text[hit.start : hit.start + 24].split("\n", maxsplit=1)[0]
    snippet = line or text[hit.start : hit.end]
    return f'control character or escape sequence: "{show_hidden(snippet)}"'


def _describe_bidi(text: str, hit: _Hit) -> str:
    shown = _cut(escape_visible(text[hit.start : hit.end]))
    return f"bidi control {shown} makes text show in another order"


def _describe_break(text: str, hit: _Hit) -> str:
    return f"line separator {_cut(escape_visible(text[hit.start : hit.end]))} inside the text"


def _describe_tag(text: str, hit: _Hit) -> str:
    shown = show_hidden(text[hit.start : max(hit.end, hit.start + 40)].split("\n", maxsplit=1)[0])
    end = shown.find(">") + 1
    return f'imitates the frame of a prompt: "{_cut(shown[:end] if end else shown)}"'


def _describe_marker(text: str, hit: _Hit) -> str:
    return f'a marker of a managed block inside a memory: "{_cut(text[hit.start : hit.end])}"'


def _describe_beacon(text: str, hit: _Hit) -> str:
    shown = _cut(show_hidden(text[hit.start : hit.end].strip()))
    return f'image that reports to its address when it is shown: "{shown}"'


_DESCRIBE: dict[str, Callable[[str, _Hit], str]] = {
    "hidden-characters": _describe_hidden,
    "control-character": _describe_control,
    "bidi-control": _describe_bidi,
    "line-separator": _describe_break,
}


def _trap_findings(scan: _Scan) -> Iterator[Finding]:
    text = frames.fold_width(scan.text[:LONGEST])
    for trap in (*find_traps(text), *find_disguised(scan.text[:LONGEST])):
        snippet = show_printable(scan.text[trap.start : trap.end])
        # A lesson may show a tag or a role line in code; a command in code is a command.
        holds = trap.code not in _SHOWN_IN_CODE or not scan.code.covers(trap.start)
        yield scan.finding(trap.code, trap.start, f'{trap.what}: "{_cut(snippet)}"', holds=holds)


_SHOWN_IN_CODE = frozenset({"role-line", "hidden-html", "frame-tag", "image-beacon"})


def _frame_findings(scan: _Scan) -> Iterator[Finding]:
    text = frames.fold_width(scan.text)
    if "<" in text or "[" in text:
        yield from _report(scan, "frame-tag", _frame_tags(scan, text), _describe_tag)
    if "<!--" in text:
        markers = (
            _Hit(match.start(), match.end(), not scan.code.covers(match.start()))
            for match in MARKER_TEXT.finditer(text)
        )
        yield from _report(scan, "block-marker", markers, _describe_marker)
    if "//" in text:
        yield from _report(scan, "image-beacon", _beacons(scan, text), _describe_beacon)


def _frame_tags(scan: _Scan, text: str) -> Iterator[_Hit]:
    for match in frames.CHAT_TOKEN.finditer(text):
        yield _Hit(match.start(), match.end(), not scan.code.covers(match.start()))
    for match in frames.FRAME_TAG.finditer(text):
        holds = not scan.code.covers(match.start()) and _is_tag(text, match)
        yield _Hit(match.start(), match.end(), holds)


def _is_tag(text: str, match: re.Match[str]) -> bool:
    """Whether a match is a tag rather than a placeholder, a generic or a comparison."""
    if "/" in match.group():
        return True
    start, end = match.span()
    if _TAG_END.match(text, end) is None and not match.group().endswith(">"):
        return False
    before = text[start - 1 : start]
    if before.isascii() and (before.isalnum() or before == "_"):
        return False  # List<User>
    at_start = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    return at_start or (match["name"] or "").lower() not in frames.PLACEHOLDERS


def _beacons(scan: _Scan, text: str) -> Iterator[_Hit]:
    for match in frames.BEACON.finditer(text):
        start = match.start()
        if frames.BADGE.match(text, text.index("//", start)):
            continue
        if match.group().lstrip(" \t").startswith("[") and "![" not in text:
            continue  # the definition of a link: nothing is loaded
        if match["link"]:
            start = text.rfind("![", max(0, start - 500), start)
            if start < 0 or not frames.ALT_TEXT.fullmatch(text, start + 2, match.start()):
                continue
        if not is_escaped(text, start) and not scan.code.covers(start):
            yield _Hit(start, match.end(), holds=True)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
