"""What `stats` shows of observations. May import everything below `cli`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import brief_data, marks_text, plural

if TYPE_CHECKING:
    from vault_cli.model.observation import Kept
    from vault_cli.model.record import Record
    from vault_cli.model.sums import Sums
    from vault_cli.store.usage_log import UsageLog


_HEADS = ("shown", "cited", "helped", "harmed", "hits", "good", "bad")
"""Columns of `stats`, in the order of `features.usage.NUMBERS`."""


def stats_data(
    inv: Invocation, log: UsageLog, sums: Sums, records: Sequence[Record], *, detailed: bool
) -> dict[str, Any]:
    """Return what `stats --json` says of some records; `detailed` with machines and notes."""
    from vault_cli.features.usage import MEANINGS, tally_data
    from vault_cli.model.observation import WATERMARK, count_uses
    from vault_cli.model.record import NO_TALLY

    days = sorted(item.seen.day for item in log.pool)
    rows = []
    for record in records:
        tally = sums.tallies.get(record.id, NO_TALLY)
        row = {**brief_data(record), **tally_data(tally, sums.claims.get(record.id, 0))}
        if detailed:
            row["machines"] = _machines(log.pool, record.id)
            row["notes"] = _notes(log.pool, record.id) if inv.is_person else []
        rows.append(row)
    return {
        "records": rows,
        "observations": sum(item.seen.kind != WATERMARK for item in log.pool),
        "machines": len(log.machines),
        "from": days[0] if days else "",
        "to": days[-1] if days else "",
        "waiting": count_uses(item.seen for item in log.pool if not item.settled),
        "commit_every": int(inv.reading.config["render.commit_every"]),
        "meaning": {name: {"can": can, "cannot": no} for name, (can, no) in MEANINGS.items()},
    }


def _machines(pool: Sequence[Kept], record_id: str) -> dict[str, dict[str, int]]:
    """Return how often each machine said what of a record, as its file has it."""
    found: dict[str, Counter[str]] = {}
    for item in pool:
        if record_id in item.seen.ids:
            found.setdefault(item.machine, Counter())[item.seen.kind] += 1
    return {name: dict(sorted(counts.items())) for name, counts in sorted(found.items())}


def _notes(pool: Sequence[Kept], record_id: str) -> list[dict[str, str]]:
    """Return the words that stand beside marks: for a person, they may have been written for it."""
    return [
        {"at": seen.at, "kind": seen.kind, "who": seen.who, "note": seen.note}
        for seen in (item.seen for item in pool)
        if seen.note and record_id in seen.ids
    ]


def stats_lines(data: dict[str, Any], records: Sequence[Record]) -> Iterator[Line]:
    """Yield what a person reads of `stats_data`, a line a record and what each number means."""
    from vault_cli.features.usage import NUMBERS

    span = f", {data['from']} to {data['to']}" if data["from"] else ""
    machines = plural(data["machines"], "machine")
    yield [("dim", "observations: "), f"{data['observations']:,} from {machines}{span}"]
    if data["waiting"]:
        yield [
            ("dim", "not in the block yet: "),
            f"{data['waiting']} (every {data['commit_every']})",
        ]
    if not records:
        yield "no record stands out" if data["demote"] else "nothing was observed of any record"
        return
    width = max(len(record.id) for record in records)
    yield [
        ("dim", f"{'id':<{width}}  {'  '.join(f'{head:>6}' for head in _HEADS)}  last used   title")
    ]
    for record, row in zip(records, data["records"], strict=True):
        numbers = "  ".join(f"{row[name]:>6}" for name in NUMBERS)
        last = row["last_used"] or "-"
        kept = marks_text(record)
        yield f"{inline(row['id']):<{width}}  {numbers}  {last:<10}  {inline(row['title'])}{kept}"
        yield from _detail_lines(row)
    yield ""
    for name, meaning in data["meaning"].items():
        head = f"{_HEADS[NUMBERS.index(name)]} ({name})" if name in NUMBERS else name
        yield [("bold", f"{head}: "), f"{meaning['can']}; it cannot tell {meaning['cannot']}"]


def _detail_lines(row: dict[str, Any]) -> Iterator[Line]:
    if row["claims"]:
        yield f"  {plural(row['claims'], 'claim')} that do not count"
    if row["approval"] is not None:
        yield f"  helpful in {row['approval']:.0%} of {row['helpful'] + row['harmful']} judgements"
    for name, counts in row.get("machines", {}).items():
        words = ", ".join(f"{number} {kind}" for kind, number in counts.items())
        yield [("dim", f"  machine {name}: "), words]
    for note in row.get("notes", ()):
        yield [
            ("dim", f"  {note['at'][:10]} {note['kind']} ({note['who']}): "),
            inline(note["note"]),
        ]
