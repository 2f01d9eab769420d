"""`list` and `show`. May import everything below `cli`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.filters import make_filter
from vault_cli.cli.guarding import review_hint, waiting_hint
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, is_terminal, told
from vault_cli.cli.shown import look_up, shown_of
from vault_cli.cli.team_reading import TeamRecordError
from vault_cli.cli.views import full_data, list_lines, record_data, show_lines
from vault_cli.errors import UsageError
from vault_cli.model.record import ALWAYS, Record, Status
from vault_cli.recall.together import PROJECT, USER

if TYPE_CHECKING:
    from datetime import datetime

    from vault_cli.cli.finding import Found
    from vault_cli.features.states import Key
    from vault_cli.model.record import Snapshot


def list_records(
    ctx: typer.Context,
    kind: flags.Kinds = None,
    status: flags.Statuses = None,
    topic: flags.Topics = None,
    scope: flags.Scopes = None,
    state: flags.States = None,
    states: flags.WithStates = False,
    view: flags.TimeView = "",
    valid_at: flags.ValidAt = "",
    known_at: flags.KnownAt = "",
) -> int:
    """List records: id, status, kind, title, and a period that ends, has ended or is to come.

    All statuses are listed, whatever their period, unless a view or a time is asked for. What a
    record is on this day besides (scheduled, expired, dormant, mature, core, weakened, orphaned,
    stale) is derived: --states shows it. Files that cannot be read are named on stderr, and in
    `diagnostics` of --json.

    Examples:
      mvault list
      mvault list --status candidate --kind lesson
      mvault list --state orphaned --state stale
      mvault list --view historical --valid-at 2026-07-15
      mvault list --known-at HEAD~3
    """
    inv: Invocation = ctx.obj
    asked = {_known_state(text) for text in state or ()}
    timed = _Timed(inv, view, valid_at, known_at) if view or valid_at or known_at else None
    whole = bool(asked or states or inv.options.json)  # states are told from all of a record
    snapshot = timed.clocks.snapshot if timed else _listed(inv, whole=whole)
    test = make_filter(snapshot.records, kind, status, topic, scope)
    chosen = timed.chosen() if timed else snapshot.records
    records = [_without_held_words(record) for record in chosen if test(record)]
    derived = _DerivedStates(inv, snapshot, timed.clocks.now if timed else inv.now)
    if asked:
        records = [r for r in records if asked.intersection(derived.of(r))]
    shown = derived.of if asked or states else None
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0
    notes = timed.list_notes(records) if timed else ()
    if timed is None:
        inv.warn_unreadable(snapshot)
    item, aside = (timed.item, timed.aside) if timed else (record_data, period_aside(inv))
    return inv.out.show(
        View(
            lambda: {
                "records": [item(record) for record in records],
                "states": {r.id: list(derived.of(r)) for r in records if derived.of(r)},
                "counts": {"records": len(records), "unreadable": len(snapshot.unreadable)},
                "unreadable": list(snapshot.unreadable),
                **({"clocks": timed.clocks.as_data()} if timed else {}),
            },
            lambda: list_lines(records, width=width, states_of=shown, aside=aside),
            diagnostics=snapshot.diagnostics,
            notes=(*notes, *(() if records else ("no records",))),
            listed=True,
        )
    )


def period_aside(inv: Invocation) -> Callable[[Record], Sequence[str]]:
    """Return what gives the marks of a record in a plain list: its period, what keeps it out."""

    def aside(record: Record) -> Sequence[str]:
        plain = record.validity is ALWAYS and not record.findings
        if plain and not (record.withheld or record.waits):
            return ()
        from vault_cli.recall.views import mark_kept, mark_period

        return [*mark_period(record, inv.now), *mark_kept(record)]

    return aside


def _without_held_words(record: Record) -> Record:
    """Return a record as a list may show it: no word of a text in quarantine."""
    if record.status is not Status.QUARANTINED:
        return record
    return replace(record, title="(in quarantine)", topics=())


def _known_state(text: str) -> str:
    from vault_cli.features.states import STATES

    name = text.strip().lower()
    if name not in STATES:
        raise UsageError(f"unknown state: {text}", hint=f"Known: {', '.join(STATES)}.")
    return name


def _listed(inv: Invocation, *, whole: bool) -> Snapshot:
    """Return the records that a list shows: of a changed text and the admitted one the latter."""
    return inv.reading.snapshot(whole=whole, guarded=True, teams=True).standing()


class _DerivedStates:
    """The derived states of the records of a list, worked out when somebody first asks."""

    def __init__(self, inv: Invocation, snapshot: Snapshot, now: datetime) -> None:
        self._inv = inv
        self._snapshot = snapshot
        self._now = now
        self._found: Mapping[Key, tuple[str, ...]] | None = None

    def of(self, record: Record) -> tuple[str, ...]:
        if self._found is None:
            from vault_cli.cli.provenance import state_rules
            from vault_cli.features.states import all_states

            rules = state_rules(self._inv, self._snapshot.records)
            self._found = all_states(self._snapshot, self._now, rules)
        return self._found.get((record.vault, record.path), ())


def show(
    ctx: typer.Context,
    record_id: flags.AnyId,
    provenance: Annotated[
        bool,
        typer.Option("--provenance", help="What it rests on, what rests on it, who changed it."),
    ] = False,
    expand: Annotated[
        bool, typer.Option("--expand", help="Also what stands under the same topics.")
    ] = False,
    waiting: Annotated[
        bool, typer.Option("--waiting", help="The text that waits for a review, not the admitted.")
    ] = False,
    view: flags.TimeView = "",
    valid_at: flags.ValidAt = "",
    known_at: flags.KnownAt = "",
) -> int:
    """Show one record: its head, its keys and its text.

    While a change of others waits for a person, or an edit that does not count is not committed,
    the admitted text is shown; --waiting shows the other one.

    With --provenance also its evidence and verification, the records it rests on and their
    statuses, what rests on it, its versions, and the commits that changed it. With --known-at it
    is the text of that time, and what became of it since; with --valid-at or --view also whether
    it is an answer there, and why not.

    Examples:
      mvault show l-7k3qd2m
      mvault show memories/2026-11/some-note.md
      mvault show l-7k3qd2m --provenance
      mvault show l-7k3qd2m --expand
      mvault show l-7k3qd2m --waiting
      mvault show l-7k --known-at 2026-07-15
      mvault --json show l-7k
    """
    from vault_cli.cli.provenance import anchor_lines, anchors_data, state_rules
    from vault_cli.cli.since import note_found
    from vault_cli.features.states import states_of

    inv: Invocation = ctx.obj
    if provenance and known_at:
        raise UsageError(
            "--provenance tells what a record rests on today", hint="Leave --known-at out."
        )
    timed = _Timed(inv, view, valid_at, known_at) if view or valid_at or known_at else None
    if waiting and timed:
        raise UsageError("--waiting is about today", hint="Leave the time and the view out.")
    found: Found | None = None
    if timed:
        record = timed.find(record_id)
    else:
        try:
            found = look_up(inv, record_id)
        except TeamRecordError as error:
            return _show_team_record(inv, error.record)
        record = found.record
    if waiting:
        record = inv.reading.finder.find_waiting(record, record_id)
    _require_readable(inv, record)
    past = timed is not None and timed.clocks.is_past
    snapshot = timed.clocks.snapshot if timed and past else shown_of(inv)
    now = timed.clocks.now if timed else inv.now
    rules = state_rules(inv)
    states = states_of(record, snapshot, now, rules)
    anchors = [] if past else anchors_data(record, rules)
    code = {"anchors": anchors} if anchors else {}
    more = timed.explain(record) if timed else {}
    beside, lines = _beside(inv, snapshot, record, provenance=provenance, expand=expand)
    kept, hints = _standing(record, waiting=waiting)
    twin = _tell_twin(inv, found)
    more |= {"also_in": twin} if twin else {}
    kept += [f"the {twin['vault']} vault has this id too: {told(twin['path'])}"] if twin else []
    hints += (f"mvault --vault {twin['root']} show {record.id}",) if twin else ()
    notes = [*_notes(record), *kept, *more.get("since", ()), *(timed.words if timed else ())]
    own = () if provenance else tuple(anchor_lines(anchors))
    aside = ("evidence", "verification") if provenance else ()
    if not past:
        note_found(inv, (record,))
    return inv.out.show(
        View(
            lambda: {**full_data(record), "states": list(states), **code, **beside, **more},
            lambda: (*show_lines(record, states, own, aside), *lines),
            notes=notes,
            hints=hints,
            diagnostics=record.findings,
        )
    )


def _show_team_record(inv: Invocation, record: Record) -> int:
    """Print a record of a team vault, and say that it is one."""
    note = f"read from the team vault {record.team}, at the commit you trusted; never written here"
    data = {**full_data(record), "states": []}
    return inv.out.show(
        View(data, lambda: show_lines(record, ()), notes=(note,), diagnostics=record.findings)
    )


def _beside(
    inv: Invocation, snapshot: Snapshot, record: Record, *, provenance: bool, expand: bool
) -> tuple[dict[str, Any], list[Line]]:
    """Return what --provenance and --expand add to a record, for --json and as lines."""
    data: dict[str, Any] = {}
    lines: list[Line] = []
    if provenance:
        from vault_cli.cli.provenance import provenance_data, provenance_lines

        data["provenance"] = provenance_data(inv, record)
        lines += ["", *provenance_lines(data["provenance"])]
    if expand:
        from vault_cli.cli.mates import mates_data, mates_lines
        from vault_cli.recall.topics import find_mates

        mates = find_mates(snapshot, record)
        data["mates"] = mates_data(mates)
        lines += ["", *mates_lines(mates, inv.now)]
    return data, lines


def _standing(record: Record, *, waiting: bool) -> tuple[list[str], tuple[str, ...]]:
    """Return what is said of a record and the trust settings: notes, and what to do."""
    if record.withheld:
        words = f"kept out of the render: {record.withheld}"
        other = "this is not the text in force; "
        return [other + words if waiting else words], (review_hint(record.withheld),)
    if waiting:
        return ["this is not the text in force"], (waiting_hint(record, waiting=True),)
    if record.waits:
        return [f"{record.waits}; this is the admitted text"], (waiting_hint(record),)
    return [], ()


def _tell_twin(inv: Invocation, found: Found | None) -> dict[str, str]:
    """Return where the other vault has a record of the same id, and which; empty if it has not."""
    if found is None or found.twin is None:
        return {}
    layers = inv.layers
    root = layers.home if found.vault is not None else layers.beside
    name = PROJECT if found.vault is not None else USER
    other = found.twin  # by its file only: its words may be nobody's to read in passing
    return {"vault": name, "path": other.path, "status": str(other.status), "root": str(root)}


def _require_readable(inv: Invocation, record: Record) -> None:
    """Keep a text in quarantine from everybody but a person."""
    if record.status is Status.QUARANTINED:
        from vault_cli.cli.quarantine import require_reader

        require_reader(inv, record)


def _notes(record: Record) -> Iterator[str]:
    """Yield what keeps a record from the render, and why its status is not the written one."""
    if record.held_by:
        codes = ", ".join(sorted({found.code for found in record.held_by}))
        yield f"held from the render: {codes} (a person allows it with `allow: [{codes}]`)"
    if record.written_status is not record.status:
        yield f"status {record.written_status} in the file counts as {record.status} here"


class _Timed:
    """What `list` and `show` say about time: which text, whether it holds, what became of it."""

    def __init__(self, inv: Invocation, view: str, valid_at: str, known_at: str) -> None:
        from vault_cli.cli.clocks import set_clocks

        # What has faded is told from more than a list knows of a record: strict reads all at once.
        whole = view.strip().lower() == "strict"
        self.inv = inv
        self.clocks = set_clocks(
            inv, view, valid_at, known_at, whole=whole, guarded=True, standing=True
        )
        self.words: list[str] = []

    def chosen(self) -> list[Record]:
        """Return the records of the view that hold at the moment."""
        clocks = self.clocks
        records = clocks.snapshot.records
        if not (clocks.view or clocks.moment):
            return list(records)
        return [record for record in records if not clocks.why_not(record)]

    def item(self, record: Record) -> dict[str, Any]:
        """Return what `--json` says about a record in a list."""
        from vault_cli.cli.clocks import item_data

        return item_data(record, self.clocks)

    @property
    def aside(self) -> Callable[[Record], list[str]]:
        """What gives the period and the marks of a record."""
        from vault_cli.cli.clocks import asides

        return asides(self.clocks)

    def list_notes(self, records: list[Record]) -> tuple[str, ...]:
        """Warn of files that could not be read; return the notes about a list."""
        from vault_cli.cli.clocks import note_forgotten, warn_unreadable

        warn_unreadable(self.inv, self.clocks)
        return note_forgotten(self.clocks, {record.id for record in records})

    def find(self, text: str) -> Record:
        """Return the record as it was known then."""
        from vault_cli.cli.clocks import find_record

        return find_record(self.inv, self.clocks, text)

    def explain(self, record: Record) -> dict[str, Any]:
        """Return what `--json` adds, and keep the words for the status line."""
        from vault_cli.cli.clocks import SHORT, changes_since

        clocks = self.clocks
        since = changes_since(self.inv, record, clocks) if clocks.is_past else []
        if clocks.is_past:
            since.insert(0, f"as of commit {clocks.snapshot.commit[:SHORT]}")
        reason = clocks.why_not(record)
        if clocks.view or clocks.moment:
            when = f" at {clocks.moment.isoformat(timespec='minutes')}" if clocks.moment else ""
            yes, no = "holds", "does not hold"
            if clocks.view:
                yes, no = (f"{word} the {clocks.view} view" for word in ("in", "not in"))
            self.words = [f"{no}{when}: {reason}" if reason else f"{yes}{when}"]
        judged = {"holds": not reason, "reason": reason}
        return {"clocks": {**clocks.as_data(), **judged}, "since": since}
