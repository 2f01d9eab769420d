"""Vaults read as one: the project's, the person's own, and team vaults beside them.

May import `model`, `errors`.

Nothing is copied between them. A snapshot of both holds the records of both, each with the name
of its vault; which of two claims counts is decided among the records that are eligible, so that a
draft, an expired note or a note of another branch never takes anything out of force.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from vault_cli.errors import Diagnostic
from vault_cli.model.record import TEAM, Kind, Record, Snapshot, Status, Tally

PROJECT: Final = "project"
USER: Final = "user"


class Beaten(NamedTuple):
    """A record that another vault's record keeps out, and why.

    Args:
        code: `shadowed` (same id) or `superseded`.
    """

    record: Record
    reason: str
    code: str


def join_vaults(project: Snapshot, user: Snapshot, user_root: str = "") -> Snapshot:
    """Return one snapshot of both vaults, the project's records first.

    Args:
        project: the project vault; its records are marked in place.
        user: the user vault; likewise.
        user_root: its folder, put before the paths of its findings and unreadable files.

    Returns:
        The snapshot. Two records may share a path or an id; `Record.vault` tells them apart.
    """
    found = list(find_clashes(project, user))
    mark_vault(project.records, PROJECT)
    mark_vault(user.records, USER)
    tallies, settled = _join_tallies(project, user)
    prefix = f"{user_root}/" if user_root else ""
    theirs = (item._replace(path=prefix + item.path) for item in user.diagnostics)
    return Snapshot(
        records=(*project.records, *user.records),
        diagnostics=(*project.diagnostics, *theirs, *found),
        unreadable=(*project.unreadable, *(prefix + path for path in user.unreadable)),
        skipped=MappingProxyType(dict(Counter(project.skipped) + Counter(user.skipped))),
        tallies=tallies,
        settled=settled,
        commit=project.commit,
        passed_over=project.passed_over | user.passed_over,
    )


def join_teams(own: Snapshot, teams: Mapping[str, Snapshot]) -> Snapshot:
    """Return a snapshot with what team vaults have beside one's own, which comes first.

    Their observations stay with them: what was seen there says nothing about use here.

    Args:
        own: one vault or both, marked already.
        teams: what team vaults have, by their names in the order of the settings; marked in place.
    """
    if not teams:
        return own
    records = list(own.records)
    unreadable = list(own.unreadable)
    # what a person took out of force does not come back by a team that has it still
    retired = {r.id for r in own.records if not r.in_force and r.status is not Status.CANDIDATE}
    for name, team in teams.items():
        mark_vault(team.records, f"{TEAM}{name}")
        records += [record for record in team.records if record.id not in retired]
        unreadable += [f"{TEAM}{name}/{path}" for path in team.unreadable]
    return replace(own, records=tuple(records), unreadable=tuple(unreadable))


class _Among(Mapping[str, Tally]):
    """Observations of some ids only, of which none is loaded before it is asked for."""

    def __init__(self, tallies: Mapping[str, Tally], ids: frozenset[str]) -> None:
        self._tallies = tallies
        self._ids = ids

    def __getitem__(self, key: str) -> Tally:
        if key not in self._ids:
            raise KeyError(key)
        return self._tallies[key]

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._tallies if key in self._ids)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _join_tallies(project: Snapshot, user: Snapshot) -> tuple[Mapping[str, Tally], ...]:
    """Return the observations of both, live and settled; each vault speaks of its own records.

    What lies in a project says nothing about what a person keeps elsewhere.
    """
    own = frozenset(record.id for record in project.records if not record.is_silent)
    own -= {record.id for record in user.records if record.has_effect and record.required}
    pairs = (
        (project.tallies, user.tallies),
        (project.at_watermark().tallies, user.at_watermark().tallies),
    )
    return tuple(
        ChainMap(cast("dict[str, Tally]", _Among(here, own)), cast("dict[str, Tally]", there))
        for here, there in pairs
    )


def mark_vault(records: Iterable[Record], name: str) -> None:
    """Write the name of their vault into records that were just read.

    In place: a copy of thousands of records would cost more than reading them.
    """
    for record in records:
        object.__setattr__(record, "vault", name)


def find_clashes(project: Snapshot, user: Snapshot) -> Iterator[Diagnostic]:
    """Yield what the two vaults say about the same ids; paths are those of the project vault.

    Args:
        project: its records as the person's trust settings leave them: what they keep out has no
            say.
        user: likewise.
    """
    mine = {record.id: record for record in user.records if not record.is_silent}
    copies = Counter(r.id for r in project.records if r.in_force and not r.is_silent)
    for record in project.records:
        other = mine.get(record.id)
        if other is not None and not record.is_silent:
            yield from _same_id(record, other, copies[record.id])
        if not record.supersedes or not record.in_force:
            continue
        for old in map(mine.get, record.supersedes):
            if old is not None and old.in_force and _is_protected(old):
                text = f"supersedes {old.id}, a required rule of your user vault, which stays"
                hint = "A person changes that rule in the user vault."
                yield Diagnostic(record.path, 0, "user-rule-stays", "warning", text, hint)


def _same_id(record: Record, other: Record, copies: int) -> Iterator[Diagnostic]:
    if not record.in_force and "promoted_to" in record.fields:
        return
    if not other.in_force and "promoted_to" in other.fields:
        return
    if other.fields.get("promoted_from") == str(record.scope) and other.body == record.body:
        text = f"{record.id} was promoted to the user vault, and still stands here too"
        hint = (
            f"Complete it: mvault promote {record.id} --to {other.scope} --to-vault user"
            if record.in_force
            else ""
        )
        yield Diagnostic(record.path, 0, "promotion-unfinished", "warning", text, hint)
        return
    text = f"the id {record.id} stands in both vaults; {_who_counts(record, other, copies)}"
    hint = "Give one of them another id, or take it out of force."
    yield Diagnostic(record.path, 0, "id-in-both-vaults", "warning", text, hint)


def _who_counts(record: Record, other: Record, copies: int) -> str:
    """Say which of two records with one id is in force, by status and what `settle_vaults` does.

    Args:
        record: the project's.
        other: the user's.
        copies: how many files of the project hold it in force; of several none counts.
    """
    theirs, mine = record.in_force and copies == 1, other.in_force
    if not (theirs or mine):
        return "neither is in force"
    if theirs and mine:
        counts = PROJECT if pick_loser(record, other).record is other else USER
    else:
        counts = PROJECT if theirs else USER
    return f"in force is the one of the {counts} vault"


def _is_protected(record: Record) -> bool:
    """Whether no other vault takes it out of force: a rule that must be followed."""
    return record.kind is Kind.RULE and record.required


def settle_vaults(eligible: list[Record]) -> tuple[list[Record], list[Beaten]]:
    """Decide between the vaults among the records that are eligible here.

    The project's record counts before the user's of the same id, and either may supersede one of
    the other vault; but a required rule of the user vault stays, whatever a project says: a
    vault that came with a clone must not be able to switch off what its reader insists on. A team
    vault comes last and takes nothing of one's own out of force.

    Args:
        eligible: records in force that passed every other test, of one or several vaults.

    Returns:
        Those that stay, in the same order, and those that do not.
    """
    kept, beaten = _settle_own(eligible)
    lost = {id(item.record): item for item in _beaten_teams(kept)}
    if lost:
        kept = [record for record in kept if id(record) not in lost]
    return kept, [*beaten, *lost.values()]


def _beaten_teams(eligible: list[Record]) -> Iterator[Beaten]:
    """Yield what of team vaults does not count: what one's own, or an earlier team, speaks of."""
    if not any(record.team for record in eligible):
        return
    own = [record for record in eligible if not record.team]
    seen = {record.id: "your own vault" for record in own}  # id -> who has it
    ended = {old: record for record in own for old in record.supersedes}
    for record in eligible:
        if not record.team:
            continue
        winner = ended.get(record.id)
        who = seen.get(record.id, "")
        seen.setdefault(record.id, f"the team vault {record.team}")
        if who:
            yield Beaten(record, f"{who} has a record of this id", "shadowed")
        elif winner is not None and not (winner.vault == PROJECT and _is_protected(record)):
            yield Beaten(record, f"superseded by {winner.id} of your own vault", "superseded")


def _settle_own(eligible: list[Record]) -> tuple[list[Record], list[Beaten]]:
    mine = {record.id: record for record in eligible if record.vault == USER}
    theirs = {record.id: record for record in eligible if record.vault == PROJECT}
    if not mine or not theirs:
        return eligible, []
    beaten: dict[int, Beaten] = {}
    for record_id in mine.keys() & theirs.keys():
        lost = pick_loser(theirs[record_id], mine[record_id])
        beaten[id(lost.record)] = lost
    for winner, losers in ((PROJECT, mine), (USER, theirs)):
        for record in eligible:
            if record.vault == winner and record.supersedes and id(record) not in beaten:
                beaten |= _superseded(record, losers)
    kept = [record for record in eligible if id(record) not in beaten]
    return kept, list(beaten.values())


def pick_loser(theirs: Record, mine: Record) -> Beaten:
    """Return which of two records in force with one id does not count, and why.

    Args:
        theirs: the project's.
        mine: the user's.
    """
    if _is_protected(mine) and theirs.digest != mine.digest:
        return Beaten(theirs, "a required rule of the user vault has its id", "shadowed")
    return Beaten(mine, "the project vault has a record of this id", "shadowed")


def _superseded(record: Record, losers: dict[str, Record]) -> dict[int, Beaten]:
    found = (losers.get(old) for old in record.supersedes)
    reason = f"superseded by {record.id} of the {record.vault} vault"
    return {
        id(old): Beaten(old, reason, "superseded")
        for old in found
        if old is not None
        and old.id != record.id
        and not (old.vault == USER and _is_protected(old))
    }
