"""What stands under the same topics as a record. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import brief_data, plural

if TYPE_CHECKING:
    from vault_cli.recall.topics import Mate

_SHOWN = 10


def mates_data(mates: Sequence[Mate]) -> list[dict[str, Any]]:
    """Return what `--json` says of them: all, with the topics they share."""
    return [{**brief_data(mate.record), "shared": list(mate.shared)} for mate in mates]


def mates_lines(mates: Sequence[Mate]) -> Iterator[Line]:
    """Yield the first of them, and how many more there are."""
    if not mates:
        yield [("dim", "nothing in force shares a topic with it")]
        return
    yield [("bold", "under the same topics:")]
    for mate in mates[:_SHOWN]:
        shared = inline(", ".join(mate.shared))
        record = mate.record
        yield [f"{record.id}  {record.kind}  {inline(record.title)}  ", ("dim", shared)]
    if len(mates) > _SHOWN:
        yield f"and {plural(len(mates) - _SHOWN, 'more record')}: mvault list --topic NAME"
