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
from vault_cli.cli.filters import make_filter, one_of
from vault_cli.cli.guarding import review_hints
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.meaning import Meant, find_meaning
from vault_cli.cli.output import Line, Span, View, is_terminal
from vault_cli.cli.views import cut, list_lines, plural
from vault_cli.errors import UsageError
from vault_cli.model.record import Record, Status
from vault_cli.recall.views import FOUND_BY_DEFAULT

if TYPE_CHECKING:
    from datetime import date

    from vault_cli.recall.expand import Mate
    from vault_cli.recall.hits import Hit, Results
    from vault_cli.recall.meaning import Meaning
    from vault_cli.recall.query import Narrow

_INDENT = "  "
_LEAST_PREVIEW = 20
"""A shorter line says nothing."""

Sources = Annotated[
    list[str] | None,
    typer.Option("--source", help="Only claimed by user agent web tool doc import (repeatable)."),
]
Since = Annotated[
    str, typer.Option("--since", metavar="DATE", help="Only made on that day or later.")
]
Until = Annotated[
    str, typer.Option("--until", metavar="DATE", help="Only made on that day or earlier.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Say what each score is made of.")]
Preview = Annotated[
    int,
    typer.Option(
        "--preview",
        metavar="N",
        min=0,
        max=4000,
        help="Most characters of the line shown of a record; 0: none.",
    ),
]
Expand = Annotated[
    bool, typer.Option("--expand", help="Also what shares a topic with the best, or is linked.")
]

Embed = Annotated[
    bool,
    typer.Option("--embed", help="First read every record with the model, if it is installed."),
]


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
    source: Sources = None,
    since: Since = "",
    until: Until = "",
    view: flags.TimeView = "",
    valid_at: flags.ValidAt = "",
    known_at: flags.KnownAt = "",
    explain: Explain = False,
    expand: Expand = False,
    preview: Preview = 160,
    embed: Embed = False,
) -> int:
    """Find records by their words, the best first.

    One of the words is enough; more, and rarer ones, rank higher. A day or a time (2026-04-27,
    4月27号, last week, 上周三) speaks for the records made then; a word that stands nowhere is
    looked for with a slip mended. What is in force, candidates and disputed records are found;
    superseded and deprecated ones with --status or --view. Without words: all, by what they are
    worth. Nothing found ends with 1. A query that starts with a dash comes after `--`.

    Examples:
      mvault search flaky npm test
      mvault search 支付回调 --kind lesson --limit 5
      mvault search database --view historical --valid-at 2026-07-15
      mvault search retries --explain
      mvault search -- --force
    """
    from vault_cli.cli.since import note_found

    inv: Invocation = ctx.obj
    text = " ".join(query or ()).strip()
    narrow = narrow_by(view, status, topic, source, (since, until))
    clocks = set_clocks(inv, view, valid_at, known_at, guarded=True, standing=True, faded=True)
    named = topic if inv.layers.beside else None  # of two vaults a topic is not only its names
    plain = make_filter(clocks.snapshot.records, kind, None, named, scope)
    test = plain if kind or scope or named else None
    size = max(preview, _LEAST_PREVIEW) if preview else 0
    meant = find_meaning(inv, clocks, text, every=embed)
    found = find_hits(
        inv, clocks, text, (limit, size), narrow, test, expand=expand, meaning=meant.meaning
    )
    results, mates = found
    warn_unreadable(inv, clocks)
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0
    ids = {hit.record.id for hit in results.hits}
    code = inv.out.show(
        View(
            lambda: _data(text, results, mates, clocks),
            lambda: _lines(results, mates, clocks, width, explain=explain),
            diagnostics=clocks.snapshot.diagnostics,
            notes=(
                *note_forgotten(clocks, ids),
                *_notes(text, results),
                *_meant_notes(meant, embed=embed),
            ),
            hints=(
                *_hints(
                    results, is_narrowed=bool(kind or scope or topic or source or since or until)
                ),
                *review_hints(hit.record for hit in results.hits),
            ),
            exit_code=0 if results.hits else 1,
            listed=True,
        )
    )
    if not clocks.is_past:
        note_found(inv, [hit.record for hit in results.hits])
    return code


def narrow_by(
    view: str,
    status: list[str] | None,
    topic: list[str] | None,
    source: list[str] | None,
    days: tuple[str, str],
) -> Narrow:
    """Return what the options leave, as far as stored facts tell it.

    Raises:
        UsageError: one of them names nothing we know.
    """
    from vault_cli.recall.query import Narrow

    statuses: frozenset[Status] | None = FOUND_BY_DEFAULT
    if status:
        statuses = frozenset(one_of(Status, text, "status") for text in status)
    elif view:
        statuses = None
    since, until = (_read_day(text, name) for text, name in zip(days, _DAYS, strict=True))
    named = tuple(text.strip().lower() for text in source or ())
    return Narrow(statuses, tuple(topic or ()), named, since, until)


_DAYS = ("--since", "--until")


def _read_day(text: str, option: str) -> date | None:
    from datetime import datetime

    from vault_cli.text.values import BadValueError, read_date

    try:
        found = read_date(text) if text else None
    except (BadValueError, ValueError, OverflowError) as error:
        raise UsageError(f"{option} is not a date: {text}", hint="Write 2026-11-30.") from error
    return found.date() if isinstance(found, datetime) else found


def find_hits(
    inv: Invocation,
    clocks: Clocks,
    text: str,
    sizes: tuple[int, int],
    narrow: Narrow,
    test: Callable[[Record], bool] | None,
    *,
    expand: bool,
    meaning: Meaning | None = None,
) -> tuple[Results, list[Mate]]:
    """Search, through what is stored where that can be; damaged, it is left aside."""
    from vault_cli.cli.shelves import all_shelves
    from vault_cli.recall.expand import find_linked
    from vault_cli.recall.retention import Aging
    from vault_cli.recall.search import search as find
    from vault_cli.store.segments import PostingsError

    limit, preview = sizes
    wanted = _wanted(clocks, test)
    aging = Aging.at(clocks.now, str(inv.reading.config["decay.curve"]))

    def look(*, stored: bool) -> tuple[Results, list[Mate]]:
        with all_shelves(inv, clocks, stored=stored) as shelves:
            found = find(
                clocks.snapshot, text, limit=limit, wanted=wanted, narrow=narrow,
                shelves=shelves, today=clocks.now.date(), aging=aging, preview=preview,
                meaning=meaning,
            )  # fmt: skip
            mates = find_linked(clocks.snapshot, found.hits, shelves) if expand else []
            return found, [mate for mate in mates if wanted is None or wanted(mate.record)]

    try:
        return look(stored=True)
    except PostingsError:
        return look(stored=False)


def _wanted(
    clocks: Clocks, test: Callable[[Record], bool] | None
) -> Callable[[Record], bool] | None:
    """Return what else decides by view, moment, kind and scope; None when nothing does."""
    if not (clocks.view or clocks.moment):
        return test

    def wanted(record: Record) -> bool:
        return not clocks.why_not(record) and (test is None or test(record))

    return wanted


def _data(text: str, results: Results, mates: list[Mate], clocks: Clocks) -> dict[str, Any]:
    return {
        "query": text,
        "records": [
            {
                **item_data(hit.record, clocks),
                "score": hit.score,
                "parts": dict(hit.parts),
                "worth": hit.reason,
                "matches": list(hit.matches),
                "snippet": hit.snippet,
            }
            for hit in results.hits
        ],
        "linked": [
            {**item_data(mate.record, clocks), "to": mate.to, "why": mate.why} for mate in mates
        ],
        "meant": {word: list(words) for word, words in results.meant.items()},
        "counts": {"shown": len(results.hits), "found": results.total, "hidden": results.hidden},
        "clocks": clocks.as_data(),
    }


def _lines(
    results: Results, mates: list[Mate], clocks: Clocks, width: int, *, explain: bool
) -> Iterator[Line]:
    """Yield two lines a record: as in a list, and the part of its text that fits."""
    records = [hit.record for hit in results.hits]
    heads = list_lines(records, width=width, aside=asides(clocks))
    for head, hit in zip(heads, results.hits, strict=True):
        yield head
        if hit.snippet:
            yield _snippet_line(hit, width)
        if explain:
            yield [_INDENT, ("dim", _explain_score(hit))]
    linked = [mate.record for mate in mates]
    heads = list_lines(linked, width=width, aside=asides(clocks))
    for head, mate in zip(heads, mates, strict=True):
        yield head
        yield [_INDENT, ("dim", f"{mate.why}, as {mate.to}" if mate.is_topic else mate.why)]


def _explain_score(hit: Hit) -> str:
    """Return the parts of a score that are not zero, and what the record is worth."""
    parts = " + ".join(f"{name} {value:.3f}" for name, value in hit.parts.items() if value)
    found = f"; found: {', '.join(hit.matches)}" if hit.matches else ""
    return f"score {hit.score:.3f} = {parts or '0'} ({hit.reason}){found}"


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
    meant = tuple(
        f"{word} stands nowhere; looked for {', '.join(words)}"
        for word, words in results.meant.items()
    )
    if not results.hits:
        return (*meant, f"nothing found for {text!r}" if text else "no records")
    if len(results.hits) < results.total:
        shown = f"{len(results.hits)} of {results.total} records (--limit 0 shows all)"
        return (*meant, shown)
    return (*meant, plural(results.total, "record"))


def _meant_notes(meant: Meant, *, embed: bool) -> tuple[str, ...]:
    if embed and meant.meaning is None:
        return ("nothing was read for meaning: no model is installed, or it does not count here",)
    if not meant.unread:
        return ()
    waiting = plural(meant.unread, "record")
    return (f"{waiting} not yet read for meaning: each search reads on; --embed reads all",)


def _hints(results: Results, *, is_narrowed: bool) -> tuple[str, ...]:
    if results.hits:
        return ()
    if results.hidden:
        those = plural(results.hidden, "record")
        if is_narrowed:
            return (f"{those} outside of what the options leave; without them it looks at more.",)
        return (f"{those} outside of what was asked for: --view associative looks at all.",)
    return ("Try fewer or other words; `mvault list` shows all titles.",)
