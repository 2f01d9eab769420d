"""What `--view`, `--valid-at` and `--known-at` mean. May import everything below `cli`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from vault_cli.errors import NotFoundError, UsageError
from vault_cli.model.record import ALWAYS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.recall.retention import Dormancy

SHORT = 10
"""Characters of a commit id in human output."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """The two clocks of one question, set.

    Args:
        view: one of `recall.views.VIEWS`, or "" for every status.
        moment: when the records have to hold; None: the period does not count.
        now: the moment that marks (expired, scheduled) are told for.
        known_at: what was typed, "" for the vault as it is.
        snapshot: the records as they were known then.
        forgotten: ids that were forgotten since; only of a past commit.
        dormancy: which records have faded at `now`; None where that is not asked.
    """

    view: str
    moment: datetime | None
    now: datetime
    known_at: str
    snapshot: Snapshot
    forgotten: frozenset[str] = field(default_factory=frozenset)
    dormancy: Dormancy | None = None

    @property
    def is_past(self) -> bool:
        """Whether a commit is looked at rather than the files as they are."""
        return bool(self.known_at)

    @property
    def is_plain(self) -> bool:
        """Whether nothing was asked about time."""
        return not (self.view or self.known_at or self.moment)

    def why_not(self, record: Record) -> str:
        """Return why a record is no answer in this view at this moment, "" when it is one."""
        from vault_cli.recall.views import why_not

        faded = self.dormancy.explain if self.dormancy else None
        return why_not(record, self.view, self.moment, faded)

    def as_data(self) -> dict[str, str]:
        """Return what `--json` says about the clocks of an answer."""
        return {
            "view": self.view,
            "valid_at": self.moment.isoformat() if self.moment else "",
            "known_at": self.known_at,
            "commit": self.snapshot.commit,
        }


def set_clocks(
    inv: Invocation,
    view: str = "",
    valid_at: str = "",
    known_at: str = "",
    *,
    whole: bool = False,
    alone: bool = False,
    guarded: bool = False,
    standing: bool = False,
    faded: bool = False,
) -> Clocks:
    """Return the clocks that were asked for, and the records they look at.

    A view is a shorthand: strict sets the valid clock to now, belief both clocks to the past.

    Args:
        inv: the running command.
        view, valid_at, known_at: as typed.
        whole: False when only few records are looked at closely.
        alone: of two vaults read only the one that is written.
        guarded: apply the person's trust settings (see `Reading.snapshot`).
        standing: of a text that waits and the admitted one only the latter is looked at.
        faded: marks tell what is dormant: for answers of few records, since each is read whole.

    Raises:
        UsageError: an unknown view, a time that cannot be read, or clocks that exclude each other.
        NotFoundError: git does not know the commit, or there is none that early.
    """
    view = check_view(view)
    if view == "belief" and not known_at:
        raise UsageError(
            "--view belief asks what was known at a past time: which one?",
            hint="Add --known-at with a date or a commit.",
        )
    commit = resolve_known(inv, known_at)
    moment = None
    if valid_at:
        moment = read_moment(inv, valid_at)
    elif view == "belief":
        moment = moment_of(inv, known_at, commit)
    elif view == "strict":
        moment = inv.now
    snapshot = _read(inv, known_at, commit, whole=whole, alone=alone, guarded=guarded)
    snapshot = snapshot.standing() if standing else snapshot
    now = moment or inv.now
    return Clocks(
        view=view,
        moment=None if view == "associative" else moment,
        now=now,
        known_at=known_at,
        snapshot=snapshot,
        forgotten=_forgotten(inv) if commit else frozenset(),
        dormancy=dormancy_of(inv, snapshot, now) if faded or view == "strict" else None,
    )


def dormancy_of(inv: Invocation, snapshot: Snapshot, now: datetime) -> Dormancy:
    """Return which records of a snapshot have faded at a moment, as configured."""
    from vault_cli.recall.retention import Aging, Dormancy

    config = inv.reading.config
    aging = Aging.at(now, str(config["decay.curve"]))
    return Dormancy(aging, int(config["decay.dormant_below"]), snapshot.tallies)


def _read(
    inv: Invocation, known_at: str, commit: str, *, whole: bool, alone: bool, guarded: bool
) -> Snapshot:
    """Read the vault, or both: a date holds for both, a commit belongs to one."""
    at = known_at if known_at and _is_date(known_at) else commit
    snapshot = inv.reading.snapshot(whole=whole, at=at, alone=alone, guarded=guarded, teams=guarded)
    joined = any(record.vault for record in snapshot.records)
    if at and not alone and not joined and inv.layers.beside:
        inv.out.say(f"{known_at}: read from the {inv.vault_name} vault alone")
    return snapshot


def _is_date(known_at: str) -> bool:
    from vault_cli.store.history import is_date

    return is_date(known_at)


def _forgotten(inv: Invocation) -> frozenset[str]:
    other = inv.reading.other
    return inv.vault.forgotten() | (other.forgotten() if other is not None else frozenset())


def check_view(text: str) -> str:
    """Return a view as typed; UsageError when there is none of this name."""
    from vault_cli.recall.views import VIEWS

    name = text.strip().lower()
    if name and name not in VIEWS:
        from difflib import get_close_matches

        near = get_close_matches(name, VIEWS, n=1)
        guess = f"Did you mean {near[0]}? " if near else ""
        raise UsageError(f"unknown view: {text}", hint=f"{guess}Known: {', '.join(VIEWS)}.")
    return name


def resolve_known(inv: Invocation, text: str) -> str:
    """Return the full id of the commit that `--known-at` means, "" when it was not given.

    Says on stderr when a branch or a tag is called like the date, and, when the last commit is
    meant, that files were changed since.

    Raises:
        NotFoundError: git does not know it, or there is no commit that early.
    """
    if not text:
        return ""
    repo = inv.vault.require_repo()
    commit = inv.vault.resolve(text)
    if repo.also_names(text):
        inv.out.warn(
            f"{text} is read as a date; the branch or tag of that name is"
            f" refs/heads/{text} or refs/tags/{text}"
        )
    if repo.head() and _is_date(text) and moment_of(inv, text, commit).date() > inv.now.date():
        inv.out.say(f"{text} is still to come: this is the vault as the last commit has it")
    if commit == repo.head() and (changed := repo.pending()):
        from vault_cli.cli.views import plural

        inv.out.say(
            f"{plural(len(changed), 'file')} changed since commit {commit[:SHORT]} and not"
            " committed: not in this answer (`mvault status` names them)"
        )
    return commit


def read_moment(inv: Invocation, text: str, option: str = "--valid-at") -> datetime:
    """Return the instant a typed day or time means; a day stands for its noon in the vault's zone.

    No clock is read.

    Raises:
        UsageError: it is neither a date nor a time.
    """
    from vault_cli.text.values import BadValueError, read_date

    try:
        typed = read_date(text)
        if typed is None:
            raise UsageError(f"{option} is empty", hint="Write 2026-11-30.")
        return in_zone(inv, typed)
    except (BadValueError, OverflowError, OSError, ValueError) as error:
        raise UsageError(
            f"{option} is not a date: {text}",
            hint="Write 2026-11-30 or 2026-11-30T10:00:00+01:00.",
        ) from error


def in_zone(inv: Invocation, moment: date) -> datetime:
    """Return a day (its noon) or a time as an instant in the vault's time zone."""
    from vault_cli.store.clock import find_zone

    vault = inv.reading.home or inv.reading.other or inv.vault  # as the clock of `inv.now`
    name = str(vault.config["vault.timezone"] or "")
    zone = find_zone(name) if name else None
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time(12))
    if moment.tzinfo is None and zone is not None:
        return moment.replace(tzinfo=zone)
    return moment.astimezone(zone)  # without a zone: the system's, by the rules of that day


def moment_of(inv: Invocation, text: str, commit: str) -> datetime:
    """Return the moment that `--known-at` names: the typed date, else the commit's own time."""
    from vault_cli.store.history import is_date

    if is_date(text):
        return read_moment(inv, text, "--known-at")
    return in_zone(inv, inv.vault.require_repo().commit_time(commit))


def warn_unreadable(inv: Invocation, clocks: Clocks) -> None:
    """Name on stderr the files that could not be read, of the commit or as they are."""
    if not clocks.is_past:
        inv.warn_unreadable(clocks.snapshot)
        return
    inv.warn_outside_checkout(clocks.snapshot)
    bad = clocks.snapshot.unreadable
    if bad:
        from vault_cli.cli.views import plural
        from vault_cli.text.names import show_path

        names = ", ".join(show_path(path) for path in bad[:5])
        more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""  # noqa: PLR2004 - as many named
        commit = clocks.snapshot.commit[:SHORT]
        inv.out.warn(
            f"{plural(len(bad), 'file')} of commit {commit} could not be read: {names}{more}"
        )


def note_forgotten(clocks: Clocks, ids: set[str]) -> tuple[str, ...]:
    """Return the note about records of an answer that were forgotten since, if there are any."""
    gone = sorted(ids & clocks.forgotten)
    if not gone:
        return ()
    return (f"forgotten since, shown from history only: {', '.join(gone)}",)


def item_data(record: Record, clocks: Clocks) -> dict[str, Any]:
    """Return what a list and a search say about a record and its time in `--json`."""
    from vault_cli.cli.views import record_data
    from vault_cli.recall.views import mark_record

    return {
        **record_data(record),
        "marks": [*mark_record(record, clocks.now), *_other_marks(record, clocks)],
    }


def asides(clocks: Clocks) -> Callable[[Record], list[str]]:
    """Return what gives the period and the marks of a record, as they stand after its title."""
    from vault_cli.recall.views import describe_period, mark_record

    now, forgotten, dormancy = clocks.now, clocks.forgotten, clocks.dormancy

    def aside(record: Record) -> list[str]:
        marks = list(mark_record(record, now))
        if record.validity != ALWAYS:
            marks.insert(0, describe_period(record))
        if dormancy is not None and dormancy.holds(record):
            marks.append("dormant")
        if record.id in forgotten:
            marks.append("forgotten since")
        return marks

    return aside


def _other_marks(record: Record, clocks: Clocks) -> list[str]:
    marks = ["dormant"] if clocks.dormancy and clocks.dormancy.holds(record) else []
    return [*marks, "forgotten since"] if record.id in clocks.forgotten else marks


def find_record(inv: Invocation, clocks: Clocks, text: str) -> Record:
    """Return the one record that an id, its beginning or a path names, as it was known then.

    A file may have moved since: what is not there by this name is looked for by the id of the
    record that has the name today.

    Raises:
        NotFoundError, UsageError, RefusedError: as `features.resolve.resolve_record`.
    """
    from vault_cli.cli.shown import find_shown

    if not clocks.is_past:
        return find_shown(inv, text)
    from vault_cli.features.resolve import resolve_record

    try:
        return resolve_record(clocks.snapshot, text, root=inv.root, cwd=inv.cwd)
    except NotFoundError as error:
        try:
            today = find_shown(inv, text)
        except NotFoundError:
            raise error from None
        found = clocks.snapshot.by_id.get(today.id)
        if found is not None:
            return found
        raise NotFoundError(
            f"{today.id} was not in the vault at commit {clocks.snapshot.commit[:SHORT]}",
            hint=f"`mvault log {today.id} -n 0` shows when it came in.",
        ) from None


def changes_since(inv: Invocation, record: Record, clocks: Clocks) -> list[str]:
    """Say what became of a record of a past commit: nothing, or how it differs today."""
    if record.id in clocks.forgotten:
        return [f"{record.id} was forgotten since; this text is shown from history only"]
    present = inv.reading.snapshot(guarded=True).standing().records
    today = _today(present, record, record.vault or inv.vault_name)
    if today is None:
        return [f"{record.id} is not in the vault any more (`mvault log {record.id}`)"]
    if today.digest == record.digest and today.path == record.path:
        return [f"{record.id} has not changed since"]
    notes = []
    if today.status is not record.status:
        by = sorted(r.id for r in present if record.id in r.supersedes)
        more = f" by {', '.join(by)}" if by and today.status == "superseded" else ""
        notes.append(f"{record.id} is {today.status}{more} today, it was {record.status}")
    if today.validity != record.validity:
        from vault_cli.recall.views import describe_period

        period = describe_period(today) or "without an end"
        notes.append(f"its period is {period} today")
    if today.body != record.body or today.title != record.title:
        notes.append(f"its text has changed since (`mvault show {record.id}` prints today's)")
    if today.path != record.path:
        notes.append(f"its file is {today.path} today")
    return notes or [f"its keys have changed since (`mvault show {record.id}`)"]


def _today(present: Sequence[Record], record: Record, vault: str) -> Record | None:
    """Return what a record of a past commit is now: by id, of its own vault and path if it can."""
    same = [other for other in present if other.id == record.id]
    fit = sorted(same, key=lambda other: (other.vault != vault, other.path != record.path))
    return fit[0] if fit else None
