"""What stands under the same topics as a record. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from vault_cli.cli.output import Line, Span, inline
from vault_cli.cli.views import plural, record_data

if TYPE_CHECKING:
    from datetime import datetime

    from vault_cli.recall.topics import Mate

_SHOWN = 10


def mates_data(mates: Sequence[Mate]) -> list[dict[str, Any]]:
    """Return what `--json` says of them: all, with the topics they share."""
    return [{**record_data(mate.record), "shared": list(mate.shared)} for mate in mates]


def mates_lines(mates: Sequence[Mate], now: datetime) -> Iterator[Line]:
    """Yield the first of them with status and period at `now`, and how many more there are."""
    from vault_cli.recall.views import mark_period, mark_record

    if not mates:
        yield [("dim", "nothing in force shares a topic with it")]
        return
    yield [("bold", "under the same topics:")]
    for mate in mates[:_SHOWN]:
        shared = inline(", ".join(mate.shared))
        record = mate.record
        marks = dict.fromkeys((*mark_period(record, now), *mark_record(record, now)))
        line: list[Span] = [f"{record.id}  {record.status}  {record.kind}  {inline(record.title)}"]
        line += [("yellow", f" ({', '.join(marks)})")] if marks else []
        yield [*line, ("dim", f"  {shared}")]
    if len(mates) > _SHOWN:
        yield f"and {plural(len(mates) - _SHOWN, 'more record')}: mvault list --topic NAME"
