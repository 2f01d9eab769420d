"""`search`: records by their words. May import everything below `cli`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.clocks import (
    Clocks,
    asides,
    item_data,
    note_forgotten,
    set_clocks,
    warn_unreadable,
)
from vault_cli.cli.filters import make_filter
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, Span, View, is_terminal
from vault_cli.cli.views import cut, list_lines, plural
from vault_cli.errors import UsageError
from vault_cli.model.record import Record
from vault_cli.recall.views import is_found_by_default, why_not

if TYPE_CHECKING:
    from vault_cli.recall.search import Hit, Results

_INDENT = "  "


def search(
    ctx: typer.Context,
    query: Annotated[
        list[str] | None, typer.Argument(metavar="QUERY...", help="Words; every sign is text.")
    ] = None,
    limit: flags.Limit = 20,
    kind: flags.Kinds = None,
    status: flags.Statuses = None,
    topic: flags.Topics = None,
    scope: flags.Scopes = None,
    view: flags.TimeView = "",
    valid_at: flags.ValidAt = "",
    known_at: flags.KnownAt = "",
) -> int:
    """Find records by their words, the best first.

    One of the words is enough; more, and rarer ones, rank higher. What is in force, candidates and
    disputed records are found; superseded and deprecated ones with --status or --view. Nothing
    found ends with 1. A query that starts with a dash comes after `--`.

    Examples:
      mvault search flaky npm test
      mvault search 支付回调 --kind lesson --limit 5
      mvault search database --view historical --valid-at 2026-07-15
      mvault search -- --force
    """
    from vault_cli.recall.search import search as find

    inv: Invocation = ctx.obj
    text = " ".join(query or ()).strip()
    if not text:
        raise UsageError(
            "what to search for is missing",
            hint="Write it after the command: mvault search flaky test (after `--` when it starts"
            " with a dash).",
        )
    clocks = set_clocks(inv, view, valid_at, known_at, whole=True, guarded=True)
    test = make_filter(clocks.snapshot.records, kind, status, topic, scope)
    results = find(clocks.snapshot, text, limit=limit, wanted=_wanted(clocks, status, test))
    warn_unreadable(inv, clocks)
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0
    ids = {hit.record.id for hit in results.hits}
    return inv.out.show(
        View(
            lambda: _data(text, results, clocks),
            lambda: _lines(results, clocks, width),
            diagnostics=clocks.snapshot.diagnostics,
            notes=(*note_forgotten(clocks, ids), *_notes(text, results)),
            hints=_hints(results),
            exit_code=0 if results.hits else 1,
            listed=True,
        )
    )


def _wanted(
    clocks: Clocks, status: list[str] | None, test: Callable[[Record], bool]
) -> Callable[[Record], bool]:
    """Return which records may be found: by view, else by status, and by the other options."""

    def wanted(record: Record) -> bool:
        if not (clocks.view or status or is_found_by_default(record)):
            return False
        return not why_not(record, clocks.view, clocks.moment) and test(record)

    return wanted


def _data(text: str, results: Results, clocks: Clocks) -> dict[str, Any]:
    return {
        "query": text,
        "records": [
            {
                **item_data(hit.record, clocks),
                "score": hit.score,
                "matches": list(hit.matches),
                "snippet": hit.snippet,
            }
            for hit in results.hits
        ],
        "counts": {"shown": len(results.hits), "found": results.total, "hidden": results.hidden},
        "clocks": clocks.as_data(),
    }


def _lines(results: Results, clocks: Clocks, width: int) -> Iterator[Line]:
    """Yield two lines a record: as in a list, and the part of its text that fits."""
    records = [hit.record for hit in results.hits]
    heads = list_lines(records, width=width, aside=asides(clocks))
    for head, hit in zip(heads, results.hits, strict=True):
        yield head
        if hit.snippet:
            yield _snippet_line(hit, width)


def _snippet_line(hit: Hit, width: int) -> Line:
    text = hit.snippet.translate({ord(char): " " for char in "\n\r\t"})
    shown = cut(text, width - len(_INDENT)) if width else text
    spans: list[Span] = [_INDENT]
    place = 0
    for start, end in hit.marked:
        if end > len(shown):
            break
        spans += [("dim", shown[place:start]), ("bold", shown[start:end])]
        place = end
    return [*spans, ("dim", shown[place:])]


def _notes(text: str, results: Results) -> tuple[str, ...]:
    if not results.hits:
        return (f"nothing found for {text!r}",)
    if len(results.hits) < results.total:
        return (f"{len(results.hits)} of {results.total} records (--limit 0 shows all)",)
    return (plural(results.total, "record"),)


def _hints(results: Results) -> tuple[str, ...]:
    if results.hits:
        return ()
    if results.hidden:
        those = plural(results.hidden, "record")
        return (f"{those} outside of what was asked for: --view associative looks at all.",)
    return ("Try fewer or other words; `mvault list` shows all titles.",)
