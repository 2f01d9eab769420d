"""The one scanner of admission: what a text holds that needs a second look. May import `text.*`.

Asked wherever a text comes in or goes out: `add`, `adopt`, hand edits, `check`, the render. The
layers are the structural one (`text.admission`), injection phrases, secrets and personal data,
filler and cliché. Each but the structural one is a gate that can be switched off. Whether a
low-authority source contradicts a higher one needs the whole vault and is asked where a draft is
planned.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from string import punctuation, whitespace
from typing import Any, Final, NamedTuple

from vault_cli.model.schema import BY_KEY
from vault_cli.model.tables import ADMISSION_GATES
from vault_cli.text.admission import Finding, is_alarming, scan_structure
from vault_cli.text.disguise import is_quiet
from vault_cli.text.injection import find_injections
from vault_cli.text.injection_match import BETWEEN
from vault_cli.text.lines import first_heading
from vault_cli.text.quality import find_cliche, is_filler
from vault_cli.text.secrets import SecretHit, describe, find_secrets

ALL: Final = frozenset(ADMISSION_GATES)
"""Every gate that can be switched."""

SECRET: Final = "secret"  # noqa: S105 - a code
PERSONAL: Final = "personal-data"
FILLER: Final = "filler"
CLICHE: Final = "cliche"

BODY: Final = "text"
"""What the text below the front matter is called in a message."""

NOT_SHOWN: Final = " (the value is not shown)"

QUARANTINE_KEY: Final = "held"
"""Key under which a quarantined file keeps what held it; it is not scanned there again."""

_STRUCTURE_PIECE: Final = 256 * 1024
_INJECTION_PIECE: Final = 60_000
"""Characters that each scanner takes at once."""

_LONGEST_FILLER: Final = 400
_SIGNS: Final = punctuation + whitespace
_LONGEST_WORD: Final = 32
_NO_TEXT: Final = frozenset({"date", "flag", "id", "number"})
"""Forms of keys whose values are checked against a pattern anyway."""


class FieldFinding(NamedTuple):
    """One hit and where it stands.

    Args:
        field: `text` for the body, else the front-matter key.
        finding: the hit; its line counts from the start of that field's text.
    """

    field: str
    finding: Finding


def scan_wording(
    front: Mapping[str, Any], body: str, *, gates: frozenset[str] = ALL
) -> list[FieldFinding]:
    """Return what a record holds, in its body and the keys and values of its front matter.

    Secrets and personal data are left out: `find_secret_findings` tells them, text by text.

    Args:
        front: front matter as read.
        body: the text below it.
        gates: those of `ADMISSION_GATES` that are on; the structural layer always is.
    """
    found = _scan_fields([(BODY, body), *front_texts(front)], gates)
    title = front.get("title")
    said = title if isinstance(title, str) else ""
    return found + [FieldFinding(BODY, hit) for hit in _scan_quality(said, body, gates)]


def front_texts(front: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (key, text) of everything in front matter that a person or a program may have said.

    The names of keys that are not ours are texts too.
    """
    for key, value in front.items():
        known = BY_KEY.get(key)
        if known is None:
            yield key, key
        elif value in known.choices or (known.form in _NO_TEXT and _is_word(value)):
            continue
        for text in _texts(value):
            yield key, text


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_WORD and " " not in value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)


def _scan_fields(fields: list[tuple[str, str]], gates: frozenset[str]) -> list[FieldFinding]:
    """Scan the fields of a record: nearly always one look at all of them together is enough."""
    whole = BETWEEN.join([text for _, text in fields])
    quiet = is_quiet(whole)
    if quiet and not is_alarming(whole):
        return []
    if not quiet and len(fields) > 1:  # mostly it is the body, not one of many short values
        return [*_scan_fields(fields[:1], gates), *_scan_fields(fields[1:], gates)]
    return [
        FieldFinding(key, hit)
        for key, text in fields
        for hit in _scan_field(text, gates, quiet=quiet)
    ]


def _scan_field(text: str, gates: frozenset[str], *, quiet: bool = False) -> Iterator[Finding]:
    """Yield structural and injection findings; a text of any length is taken in pieces."""
    yield from _in_pieces(text, _STRUCTURE_PIECE, partial(scan_structure, quiet=quiet))
    if "injection" in gates and not quiet:
        yield from _in_pieces(text, _INJECTION_PIECE, _one_a_line)


def _one_a_line(text: str) -> Iterable[Finding]:
    """Return the first injection of each line: several rules often see the same sentence."""
    first: dict[int, Finding] = {}
    for hit in find_injections(text):
        first.setdefault(hit.line, hit)
    return first.values()


def _in_pieces(text: str, most: int, scan: Callable[[str], Iterable[Finding]]) -> Iterator[Finding]:
    """Scan a text piece by piece, cut at line ends where there are any."""
    start = line = 0
    while start < len(text):
        end = min(len(text), start + most)
        if end < len(text):
            end = text.rfind("\n", start + most // 2, end) + 1 or end
        for hit in dict.fromkeys(scan(text[start:end])):
            yield _moved(hit, line) if line else hit
        line += text.count("\n", start, end)
        start = end


def _moved(hit: Finding, lines: int) -> Finding:
    return Finding(hit.code, hit.line + lines, hit.column, hit.message, hit.holds)


def _scan_quality(title: str, body: str, gates: frozenset[str]) -> Iterator[Finding]:
    """Yield what is wrong with a memory as a whole: it says nothing, or nothing of its own."""
    if "filler" in gates and _is_filler(title, body):
        text = "says nothing that could be remembered (an acknowledgement, a greeting)"
        yield Finding(FILLER, 1, 1, text, holds=True)
    elif "cliche" in gates:
        generic = find_cliche(f"{title}\n{body}" if title else body)
        if generic:
            yield Finding(CLICHE, 1, 1, f"says what holds anywhere: {generic}", holds=False)


def _is_filler(title: str, body: str) -> bool:
    if len(title) + len(body) > _LONGEST_FILLER:
        return False
    heading = first_heading(body)
    lines = body.split("\n")
    rest = "\n".join(line for line in lines if line.lstrip("# ").rstrip() != heading or not heading)
    said = [text for text in (title or heading, rest) if text.strip(_SIGNS)]
    return bool(said) and all(map(is_filler, said))


def find_secret_findings(text: str, gates: frozenset[str] = ALL) -> list[Finding]:
    """Return secrets and personal data as findings; none of them shows its value."""
    hits = _wanted(find_secrets(text), gates)
    if not hits:
        return []
    starts = [0, *(place + 1 for place, char in enumerate(text) if char == "\n")]
    found = []
    for hit in hits:
        line = bisect_right(starts, hit.start)
        column = hit.start - starts[line - 1] + 1
        message = f"{describe(hit)}{NOT_SHOWN}"
        code = PERSONAL if hit.personal else SECRET
        found.append(Finding(code, line, column, message, holds=hit.severity == "refuse"))
    return found


def _wanted(hits: Iterable[SecretHit], gates: frozenset[str]) -> list[SecretHit]:
    return [hit for hit in hits if ("personal" if hit.personal else "secrets") in gates]


def find_secret_values(text: str, gates: frozenset[str] = ALL) -> dict[str, str]:
    """Return the secrets in a text with what kind each is; personal data is not among them."""
    hits = _wanted(find_secrets(text), gates)
    return {text[hit.start : hit.end]: describe(hit) for hit in hits if not hit.personal}


def mask_secrets(text: str, gates: frozenset[str] = ALL, *, personal: bool = False) -> str:
    """Return a text with the kind in the place of each secret; no line is added or lost.

    Args:
        text: any text.
        gates: those that are on.
        personal: in the place of each number of a person that would be refused, too.
    """
    parts: list[str] = []
    done = 0
    for hit in sorted(_wanted(find_secrets(text), gates), key=lambda hit: hit.start):
        if hit.end <= done or (hit.personal and not (personal and hit.severity == "refuse")):
            continue
        parts += [text[done : hit.start], _mark(describe(hit), text[hit.start : hit.end])]
        done = hit.end
    return "".join((*parts, text[done:])) if parts else text


def mask_values(text: str, values: Mapping[str, str], *, cut: bool = False) -> str:
    """Return a text without the given secrets.

    Args:
        text: for example a message that quotes a line of the file.
        values: kind by secret, from `find_secret_values`.
        cut: quotes are cut short, so the beginning or the end of a secret goes as well.
    """
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, _mark(values[value], value))
        if cut:
            text = _mask_cut(text, value, _mark(values[value], ""))
    return text


_SHORTEST: Final = 6
"""So many characters of a secret in a row are no coincidence."""


def _mask_cut(text: str, value: str, mark: str) -> str:
    for length in range(len(value) - 1, _SHORTEST - 1, -1):
        for piece in (value[:length], value[-length:]):
            if piece in text:
                return text.replace(piece, mark)
    return text


def _mark(kind: str, value: str) -> str:
    return f"[{kind}]" + "\n" * value.count("\n")
