"""Records and findings to data and lines. May import `recall`, `model`, `errors`."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from vault_cli.cli.output import Line, Span, cells, inline
from vault_cli.errors import Diagnostic
from vault_cli.model.record import Record, Status
from vault_cli.recall.views import mark_kept

_STATUS_STYLES = {
    Status.ACTIVE: "green",
    Status.VERIFIED: "green",
    Status.CANDIDATE: "yellow",
    Status.DISPUTED: "red",
}
WORK = "work"
"""What stands for the status of a record that nobody admits: a task, a ticket."""

UNSEEN = "from others, nobody looked at it here"
"""What is said of a task or a ticket that a push brought while changes of others wait."""

_HEAD_KEYS = ("id", "kind", "type", "status", "title")


def is_judged(record: Record, status: Status) -> bool:
    """Tell whether a status says something of a record: work goes on without an admission."""
    return status is not Status.CANDIDATE or record.is_draft


def brief_data(record: Record) -> dict[str, Any]:
    """Return the keys by which `--json` names a record everywhere."""
    data = {
        "id": record.id,
        "kind": str(record.kind),
        "status": str(record.status),
        "title": record.title,
        "path": record.path,
    }
    data |= {"vault": record.vault} if record.vault else {}
    data |= {"waits": record.waits} if record.waits else {}
    return {**data, "withheld": record.withheld} if record.withheld else data


def record_data(record: Record) -> dict[str, Any]:
    """Return what `--json` says about a record in a list."""
    return {
        **brief_data(record),
        **standing_data(record),
        "scope": str(record.scope),
        "branch": list(record.branch),
        "topics": list(record.topics),
        "importance": record.weight,
        "adopted": record.adopted,
        "in_force": record.in_force,
        "held": held_codes(record),
        "valid_from": instant_text(record.validity.start),
        "valid_to": instant_text(record.validity.end),
    }


def standing_data(record: Record) -> dict[str, Any]:
    """Return as what a record counts that claims to be verified and is not, any more."""
    if not record.lapsed:
        return {}
    from vault_cli.model.evidence import standing_of

    status, why = standing_of(record)
    return {"status": str(status), "status_note": why} if why else {}


def held_codes(record: Record) -> list[str]:
    """Return the codes of the findings that keep a record from the render."""
    return sorted({found.code for found in record.held_by})


def full_data(record: Record) -> dict[str, Any]:
    """Return what `--json` says about one record that is shown."""
    return {
        **record_data(record),
        "written_status": str(record.written_status),
        "summary": record.summary,
        "applies_when": record.applies_when,
        "boundary": record.boundary,
        "keywords": list(record.keywords),
        "confidence": record.confidence,
        "source": record.source,
        "origin": record.origin,
        "created": record.created,
        "supersedes": list(record.supersedes),
        "conflicts": [{"id": other, "type": kind} for other, kind in record.conflicts],
        "derived_from": list(record.derived_from),
        "aliases": list(record.aliases),
        "required": record.required,
        "checklist": record.checklist,
        "correction": record.correction,
        "allow": list(record.allow),
        "digest": record.digest,
        "fields": plain_value(record.fields),
        "body": record.body,
        "findings": [found.as_data() for found in record.findings],
    }


def instant_text(moment: date | None) -> str:
    """Return a day or an instant in ISO form, "" for none."""
    return "" if moment is None else moment.isoformat()


def plain_value(value: Any) -> Any:
    """Return a front-matter value made of dicts, lists and plain values only."""
    if hasattr(value, "items"):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def width_of(text: str) -> int:
    """Return how many terminal cells a text takes (wide characters take two)."""
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def cut(text: str, width: int) -> str:
    """Shorten a text to `width` cells; what is cut shows as `…`."""
    if width < 2 or width_of(text) <= width:  # noqa: PLR2004 - a mark and one character
        return text
    kept, used = [], 1
    for char in text:
        used += _cells(char)
        if used > width:
            break
        kept.append(char)
    return "".join(kept) + "…"


def marks_text(record: Record) -> str:
    """Return what keeps a record out of the render, in brackets for the end of its line."""
    marks = mark_kept(record)
    return f" ({', '.join(marks)})" if marks else ""


def list_lines(
    records: Sequence[Record],
    *,
    width: int,
    states_of: Callable[[Record], Sequence[str]] | None = None,
    aside: Callable[[Record], Sequence[str]] | None = None,
) -> Iterator[Line]:
    """Yield one line per record: id, status, kind, title.

    Args:
        records: what to list.
        states_of: gives the derived states that stand behind the title; None: none are shown.
        width: cells of the terminal, 0 to cut nothing (a pipe). Only titles are ever cut.
        aside: gives what else stands there; without it only what keeps it out of the render.
    """
    # by identity, as two vaults may hold the same path
    lesser = {id(r): standing_data(r) for r in records if r.lapsed and standing_data(r)}
    ids = _column([record.id for record in records])
    statuses = [
        Status(lesser[id(record)]["status"]) if id(record) in lesser else record.status
        for record in records
    ]
    words = zip(records, statuses, strict=True)
    shown = _column([status.value if is_judged(r, status) else WORK for r, status in words])
    kinds = _column([record.kind.value for record in records])
    vaults = _column([record.vault for record in records])
    gap = "  " if vaults and vaults[0] else ""
    taken = sum(width_of(column[0]) for column in (ids, vaults, shown, kinds) if column)
    room = max(width - taken - len(gap) - 6, 20) if width else 0
    titles = cells([record.title for record in records])
    for record, record_id, vault, status, name, kind, title in zip(
        records, ids, vaults, statuses, shown, kinds, titles, strict=True
    ):
        marks = [lesser[id(record)]["status_note"]] if id(record) in lesser else []
        marks += (aside or mark_kept)(record)
        marks += [s for s in states_of(record) if s not in marks] if states_of is not None else ()
        mark = f" ({', '.join(marks)})" if marks else ""
        line: list[Span] = [
            f"{record_id}  {vault}{gap}",
            (_STATUS_STYLES.get(status, "dim"), name),
            f"  {kind}  {cut(title, room - len(mark)) if room else title}",
        ]
        if mark:
            line.append(("yellow", mark))
        yield line


def _column(texts: list[str]) -> list[str]:
    """Return texts made safe and padded to the widest of them."""
    different = list(dict.fromkeys(texts))  # of thousands of statuses there are nine
    safe_texts = cells(different)
    widths = list(map(width_of, safe_texts))
    most = max(widths, default=0)
    padded = {
        text: safe + " " * (most - width)
        for text, safe, width in zip(different, safe_texts, widths, strict=True)
    }
    return [padded[text] for text in texts]


def show_lines(
    record: Record,
    states: Sequence[str] = (),
    anchors: Sequence[Line] = (),
    told: Collection[str] = (),
) -> Iterator[Line]:
    """Yield the lines of `mvault show`: head, derived states, other keys, body.

    Args:
        record: which.
        states: its derived states.
        anchors: what stands in place of the key `anchors`, if anything.
        told: keys that are told elsewhere.
    """
    from vault_cli.model.evidence import standing_of

    status, why = standing_of(record)
    style = _STATUS_STYLES.get(status, "dim")
    yield [("bold", inline(record.title))]
    marks = [*([why] if why else []), *states]
    now = f"  ({', '.join(marks)})" if marks else ""
    said = str(status) if is_judged(record, status) else WORK
    yield [record.id, "  ", (style, said), "  ", str(record.kind), ("yellow", now)]
    if record.vault:
        yield [("dim", "vault: "), record.vault]
    yield [("dim", "path: "), inline(record.path)]
    for key, value in record.fields.items():
        if key == "anchors" and anchors:
            yield from anchors
        elif key not in (*_HEAD_KEYS, *told) and value not in (None, "", []):
            yield from _field_lines(inline(str(key)), value)
    yield ""
    if record.status is Status.TOMBSTONED and not record.body.strip():
        yield f"This is all that remains; the text was deleted. Its history: mvault log {record.id}"
        return
    yield from record.body.strip("\n").split("\n")


def _field_lines(key: str, value: Any) -> Iterator[Line]:
    """Yield a key with its value; of several entries with keys of their own each has a line."""
    entries = value if isinstance(value, list | tuple) and len(value) > 1 else ()
    if not any(hasattr(entry, "items") for entry in entries):
        yield [("dim", f"{key}: "), inline(value_text(value))]
        return
    yield [("dim", f"{key}:")]
    yield from (f"  {inline(value_text(entry))}" for entry in entries)


def value_text(value: Any) -> str:
    """Return a front-matter value on one line."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return ", ".join(value_text(item) for item in value)
    if hasattr(value, "items"):
        return "{" + ", ".join(f"{k}: {value_text(v)}" for k, v in value.items()) + "}"
    return str(value)


def count_statuses(records: Iterable[Record]) -> dict[str, int]:
    """Return how many records have each status, in the order of the statuses."""
    counts = dict.fromkeys((str(status) for status in Status), 0)
    for record in records:
        counts[str(record.status)] += 1
    return {status: number for status, number in counts.items() if number}


def summary_line(diagnostics: Sequence[Diagnostic], *, holding: int = 0) -> Line:
    """Return the last line of `mvault check`: how many findings of each severity.

    Args:
        diagnostics: the findings.
        holding: how many of the warnings keep a record out of the render.
    """
    spans: list[Span] = []
    for severity, style in (("error", "red"), ("warning", "yellow"), ("note", "dim")):
        number = sum(found.severity == severity for found in diagnostics)
        if number:
            spans += [", " if spans else "", (style, plural(number, severity))]
        if severity == "warning" and holding:
            spans.append(f" ({holding} {'holds' if holding == 1 else 'hold'} a record back)")
    return spans or [("green", "no findings")]


def shown_path(path: Path) -> Path:
    """Return a path without `..`, where a link on the way does not make that another place."""
    import os

    plain = Path(os.path.normpath(path))
    same = os.path.realpath(plain.parent) == os.path.realpath(path.parent)
    return plain if same else path


def plural(number: int, noun: str) -> str:
    """Return `1 file`, `2 files`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
