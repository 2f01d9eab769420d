"""Repeated failures become drafts with guards. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vault_cli.cli.once import in_turn
from vault_cli.cli.sightings import fold_spool, note_hits, read_groups
from vault_cli.errors import RefusedError, UsageError
from vault_cli.store.failures import open_sightings, sightings_path

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.features.failures import Group
    from vault_cli.features.records import Planned
    from vault_cli.model.change import Change
    from vault_cli.model.sighting import Sighting


def propose_due(inv: Invocation, wanted: Sequence[str] = ()) -> list[Proposal]:
    """Write a draft for each failure that repeated often enough; return what became of each.

    Args:
        inv: the run; drafts go into the vault that it writes.
        wanted: beginnings of fingerprints, whatever their number; none: all that are due.

    Raises:
        VaultError: nothing could be written.
    """
    from vault_cli.features.failures import due_groups

    inv.whole_snapshot()
    with open_sightings() as seen:
        failures, calls = seen.failures(), seen.calls()
    known = known_failures(inv)
    groups = read_groups(inv, failures)
    _note_known(inv, groups, known)
    if wanted:
        due = [_find(groups, text) for text in wanted]
    else:
        due = list(due_groups(groups, int(inv.vault.config["guard.threshold"]), known))
    return [_propose(inv, group, calls, known.get(group.fingerprint, "")) for group in due]


def _note_known(inv: Invocation, groups: Sequence[Group], known: Mapping[str, str]) -> None:
    """Take down which failures records speak of, so that nobody is asked about them again."""
    if inv.options.dry_run:
        return
    with open_sightings() as seen:
        for group in groups:
            if group.fingerprint in known:
                at = int(inv.now.timestamp())
                seen.note_proposal(group.fingerprint, str(inv.root), known[group.fingerprint], at)


class Proposal:
    """What became of one failure.

    Args:
        group: the failure.
        record_id: the draft, or the record that speaks of it already; "" when it was refused.
        problem: why there is no new draft, "" when there is.
        change: what was written, or would be; None for nothing.
    """

    def __init__(
        self, group: Group, record_id: str, problem: str = "", change: Change | None = None
    ) -> None:
        self.group = group
        self.record_id = record_id
        self.problem = problem
        self.change = change


def _find(groups: Sequence[Group], text: str) -> Group:
    found = [group for group in groups if group.fingerprint.startswith(text)]
    if len(found) != 1:
        words = "no failure has" if not found else f"{len(found)} failures have"
        raise UsageError(
            f"{words} a fingerprint that begins with {text}",
            hint="`mvault guard failures` lists them.",
        )
    return found[0]


def _propose(inv: Invocation, group: Group, calls: Sequence[Sighting], known: str) -> Proposal:
    from vault_cli.cli.rendering import scope_of
    from vault_cli.features.failures import read_benign, why_benign
    from vault_cli.features.guard_proposals import propose, proposed_guard
    from vault_cli.features.guard_trials import try_guard
    from vault_cli.features.guards import require_guard

    if known:
        return _spoken_of(group, known)
    benign = read_benign(inv.vault.config["guard.benign"])
    values = proposed_guard(group)
    trial = None
    if values:
        guard = require_guard(values)
        trial = try_guard(guard, calls, lambda seen: bool(why_benign(seen, benign)))
    where = scope_of(inv, {seen.cwd for seen in group.counted})
    planned = _plan(inv, propose(group, trial, values, where))
    if isinstance(planned, RefusedError):
        return Proposal(group, "", planned.message)
    own = planned.ids[0]
    if inv.options.dry_run:
        return Proposal(group, own, "held in quarantine" if planned.held else "", planned.change)
    with in_turn(inv):
        made = known_failures(inv).get(group.fingerprint, "")
        if not made:
            inv.vault.apply(planned.change)
            with open_sightings() as seen:
                at = int(inv.now.timestamp())
                seen.note_proposal(group.fingerprint, str(inv.root), own, at)
    inv.forget_snapshot()
    if made:
        return _spoken_of(group, made)
    return Proposal(group, own, "held in quarantine" if planned.held else "", planned.change)


def _spoken_of(group: Group, record_id: str) -> Proposal:
    return Proposal(group, record_id, f"{record_id} speaks of it already")


def known_failures(inv: Invocation) -> dict[str, str]:
    """Return the failures that a record speaks of, or that were proposed: fingerprint to id."""
    from vault_cli.cli.shown import work_of
    from vault_cli.features.guard_proposals import known_fingerprints

    known = dict(known_fingerprints(work_of(inv).records))
    if sightings_path().exists():
        with open_sightings() as seen:
            known |= seen.proposals(str(inv.root))
    return known


def _plan(inv: Invocation, request: Any) -> Planned | RefusedError:
    from vault_cli.features.drafts import plan_add
    from vault_cli.model.lifecycle import Actor

    try:
        return plan_add(
            inv.whole_snapshot(),
            request,
            now=inv.now,
            actor=Actor.HOOK,
            origin="hook",
            random_int=inv.random_int,
            gates=inv.vault.config.gates,
        )
    except RefusedError as error:
        return error


def at_session_start(inv: Invocation) -> str:
    """Compile the guards where they are not, count what was seen; return what a person is told.

    For the full program's part of a session's start. Into a vault it writes only where
    `guard.propose` is `draft`.

    Raises:
        VaultError: the state folder or the vault cannot be used.
    """
    from vault_cli.cli.guard_compile import compile_here
    from vault_cli.store.guard_index import is_fresh

    if not is_fresh(str(inv.cwd), inv.now.timestamp()):
        compile_here(inv)
    fold_spool()
    how = str(inv.vault.config["guard.propose"])
    if how == "off" or not (due := find_due(inv)):
        return ""
    if how == "draft":
        note_hits(inv)
        written = [item for item in propose_due(inv) if not item.problem]
        many = "1 draft" if len(written) == 1 else f"{len(written)} drafts"
        return f"mvault wrote {many} with guards: mvault review" if written else ""
    many = "1 failure has" if len(due) == 1 else f"{len(due)} failures have"
    return f"{many} repeated; mvault can propose guards: mvault guard propose"


def find_due(inv: Invocation) -> list[Group]:
    """Return the failures that repeated often enough and were not proposed from this machine."""
    from vault_cli.features.failures import due_groups

    if not sightings_path().exists():
        return []
    with open_sightings() as seen:
        failures, known = seen.failures(), seen.proposals(str(inv.root))
    threshold = int(inv.vault.config["guard.threshold"])
    return list(due_groups(read_groups(inv, failures), threshold, known))
