"""What replacing a record asks for, whichever command proposes it. May import `model`.

What has proven itself is not replaced for less than it was taken in for: a record that is
verified or was used with success needs a reason, and from whoever is not a person besides the id
of something it rests on. The counts are shown; the program passes no verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.supersession import successors_of
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Record, Snapshot, Status

ONE_SUCCESSOR: Final = "A record has one successor: approve one of them and reject the other."


def require_grounds(
    snapshot: Snapshot,
    old_ids: Iterable[str],
    actor: Actor,
    reason: str,
    derived_from: Collection[str],
) -> tuple[Diagnostic, ...]:
    """Ask for more where a record to be replaced has proven itself.

    Args:
        snapshot: the vault.
        old_ids: what is to be replaced; an id that is not there is no matter of this rule.
        actor: who asks.
        reason: why.
        derived_from: what the proposal rests on, without what the old record rested on already.

    Returns:
        A note `precedent` with the counts of each such record.

    Raises:
        UsageError: no reason. RefusedError: an agent names nothing that shows it.
    """
    notes = []
    for old in filter(None, map(snapshot.by_id.get, old_ids)):
        counts = precedent_of(snapshot, old)
        if not counts:
            continue
        if not reason.strip():
            raise UsageError(
                f"{old.id} has proven itself ({counts}); replacing it needs a reason",
                hint="Say why: --reason TEXT",
            )
        if actor is not Actor.PERSON and not set(derived_from) - {old.id}:
            raise RefusedError(
                f"{old.id} has proven itself ({counts}); a reason alone does not replace it",
                hint="Name what shows that it no longer holds: --derived-from ID",
            )
        text = f"{old.id} has proven itself: {counts}"
        notes.append(Diagnostic(old.path, 0, "precedent", "note", text))
    return tuple(notes)


def precedent_of(snapshot: Snapshot, record: Record) -> str:
    """Return in words what speaks for a record: its evidence and its uses; "" when nothing does."""
    tally = snapshot.tally(record.id)
    hits = record.hits + tally.hits
    counts = {
        "verified": record.status is Status.VERIFIED,
        f"{tally.succeeded} succeeded, {tally.failed} failed": tally.succeeded > 0,
        f"{hits} hits": hits > 0,
    }
    return ", ".join(words for words, is_so in counts.items() if is_so)


def rival_notes(snapshot: Snapshot, old_ids: Iterable[str], own: str) -> tuple[Diagnostic, ...]:
    """Name other drafts that would replace the same record: only one of them can.

    Args:
        snapshot: the vault.
        old_ids: what is to be replaced.
        own: id of the proposal itself.
    """
    return tuple(
        Diagnostic(
            rival.path,
            0,
            "rival-draft",
            "warning",
            f"the draft {rival.id} would supersede {old} too",
            ONE_SUCCESSOR,
        )
        for old in old_ids
        for rival in successors_of(snapshot, old, in_force=False)
        if rival.status is Status.CANDIDATE and rival.id != own
    )


def check_proposals(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Yield a warning for each draft that cannot be approved as it is, or only instead of another.

    Args:
        snapshot: the vault.
    """
    in_force: dict[str, str] = {}
    waiting: dict[str, list[str]] = {}
    drafts = [r for r in snapshot.records if r.status is Status.CANDIDATE and r.supersedes]
    for record in snapshot.records if drafts else ():
        for old in record.supersedes:
            if record.in_force:
                in_force.setdefault(old, record.id)
            elif record.status is Status.CANDIDATE:
                waiting.setdefault(old, []).append(record.id)
    for draft in drafts:
        for old in draft.supersedes:
            rivals = [one for one in waiting[old] if one != draft.id]
            if old in in_force and old != draft.id:
                text = f"it cannot be approved: {in_force[old]} supersedes {old} already"
                hint = (
                    f"Let it replace that one: mvault supersede {in_force[old]} {draft.id}; "
                    f"or: mvault reject {draft.id} --reason TEXT"
                )
                yield Diagnostic(draft.path, 0, "stuck-draft", "warning", text, hint)
            elif rivals:
                text = f"{', '.join(rivals)} would supersede {old} too"
                yield Diagnostic(draft.path, 0, "rival-draft", "warning", text, ONE_SUCCESSOR)
