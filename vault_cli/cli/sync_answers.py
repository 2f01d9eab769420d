"""What `sync` says: the merge commit, its answers as data and as lines. May import all below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from vault_cli.cli.output import Line, finding_lines, inline
from vault_cli.cli.views import plural
from vault_cli.model.record import Status
from vault_cli.text.names import show_path

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.errors import Diagnostic
    from vault_cli.features.decisions import Decision
    from vault_cli.model.change import Change
    from vault_cli.model.lifecycle import Actor
    from vault_cli.model.record import Snapshot
    from vault_cli.store.own_changes import Own
    from vault_cli.store.remotes import Remote
    from vault_cli.store.repo import Repository
    from vault_cli.store.syncing import Plan

_LISTED: Final = 20
_IN_MESSAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for."""

    remote: str
    branch: str
    push: bool
    deletions: bool
    unrelated: bool
    rewritten: bool
    yes: bool


@dataclass(slots=True)
class Done:
    """What came of it."""

    committed: str = ""
    kind: str = "none"
    commit: str = ""
    pushed: bool = False
    decisions: list[Decision] = field(default_factory=list)
    incoming: list[dict[str, Any]] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)


def attach(error: Exception, findings: Sequence[Diagnostic]) -> None:
    """Say with a refusal what was found in the files."""
    from vault_cli.errors import VaultError

    if isinstance(error, VaultError):
        error.diagnostics = (*error.diagnostics, *findings)


def tell(what: str, remote: Remote) -> None:
    """Say at a terminal what is done now, since it may take long."""
    from vault_cli.store.progress import report

    report(f"{what} {remote}")


def left_of_merges(snapshot: Snapshot) -> list[Diagnostic]:
    """Return what is left of other merges in the vault: marks, and copies of records."""
    codes = {"conflict-markers", "duplicate-id"}
    return [item for item in snapshot.diagnostics if item.code in codes and item.severity != "note"]


def summary(done: Done, remote: Remote) -> str:
    """Say in one line what was done."""
    parts = []
    if done.committed:
        parts.append(f"committed your edits ({done.committed[:10]})")
    words = {"forward": "took in what is new", "merge": "merged"}
    if done.kind in words:
        parts.append(f"{words[done.kind]} from {remote} ({done.commit[:10]})")
    if done.pushed:
        parts.append(f"pushed to {remote}")
    text = ", ".join(parts) or f"nothing to do: in step with {remote}"
    waits = sum(item.waits for item in done.decisions)
    return f"{text}; {plural(waits, 'conflict')} for a person" if waits else text


def conflict_hints(waits: Sequence[Decision], snapshot: Snapshot) -> list[str]:
    """Return which commands answer the first of the conflicts that wait for a person."""
    one = next((item for item in waits if item.conflict), None)
    if one is None:
        return []
    record = snapshot.by_id.get(one.id) if one.id else None
    is_out = record is not None and record.status is Status.DISPUTED
    keeps = one.id if is_out else f"{one.conflict} --as rejected"
    return [
        f"To keep what stands there: mvault resolve {keeps} --reason TEXT",
        f"To take the other: mvault resolve {one.conflict} --reason TEXT",
    ]


def kept_out_notes(inv: Invocation) -> list[str]:
    """Return what the person's trust settings keep out after what came in, in words."""
    from vault_cli.cli.guarding import waiting_notes
    from vault_cli.errors import UsageError
    from vault_cli.store.guard import guard_snapshot
    from vault_cli.store.policy import policies_of

    if not policies_of(inv.vault.root, inv.vault.config):
        return []
    try:
        return list(waiting_notes(guard_snapshot(inv.vault, inv.vault.snapshot())))
    except UsageError as error:  # a file of keys that cannot be used; what was merged is merged
        return [f"nothing is shown: {error.message}"]


def merge_change(remote: Remote, plan: Plan, decisions: Sequence[Decision], actor: Actor) -> Change:
    """Return what the merge commit says: everything that was decided."""
    from vault_cli.model.change import Change

    told = [f"{item.path}: {item.text}" for item in decisions]
    more = len(told) - _IN_MESSAGE
    told = [*told[:_IN_MESSAGE], f"and {more} more"] if more > 0 else told
    ids = tuple(dict.fromkeys(item.id for item in decisions if item.id))
    count = plural(len(plan.incoming), "change")
    return Change(
        "sync",
        f": merge {count} of {remote}",
        (),
        reason="\n".join(told),
        ids=ids,
        actor=actor,
        origin="sync",
    )


def decision_data(item: Decision) -> dict[str, Any]:
    """Return a decision for `--json`."""
    return dict(item._asdict())


def incoming_data(plan: Plan) -> list[dict[str, Any]]:
    """Return what a merge changes here for `--json`."""
    return [dict(item._asdict()) for item in plan.incoming]


def own_lines(own: Own) -> Iterator[Line]:
    """Yield what was changed here and is to be committed, and what is not."""
    from vault_cli.model.change import Put

    for edit in own.edits[:_LISTED]:
        what = "changed" if isinstance(edit, Put) else "removed"
        yield [("yellow", f"yours, {what}: "), inline(show_path(edit.path))]
    if len(own.edits) > _LISTED:
        yield f"and {len(own.edits) - _LISTED} more"
    for found in own.left:
        yield from finding_lines(found)


def edit_lines(repo: Repository, own: Own) -> list[Line]:
    """Return the difference that a person agrees to."""
    from vault_cli.cli.preview import diff_lines
    from vault_cli.model.change import Put

    old = repo.read_head(own.in_force)
    lines: list[Line] = []
    for edit in own.edits:
        if edit.path in own.in_force:
            new = edit.data if isinstance(edit, Put) else b""
            before = edit.path if edit.path in old else ""
            after = edit.path if isinstance(edit, Put) else ""
            lines += diff_lines(old.get(edit.path, b""), new, before, after)
    return lines


def result_lines(data: Mapping[str, Any], decisions: Sequence[Decision]) -> Iterator[Line]:
    """Yield what came in, what in force first, and what was decided."""
    came = sorted(data["incoming"], key=lambda item: not item["in_force"])
    for item in came[:_LISTED]:
        force = " (in force)" if item["in_force"] else ""
        name = item["id"] or item["path"]
        place = f"  {inline(show_path(item['path']))}" if item["id"] else ""
        yield [("green", f"{item['what']}: "), f"{inline(name)}{place}{force}"]
    if len(came) > _LISTED:
        yield f"and {len(came) - _LISTED} more"
    for decision in decisions:
        style = "red" if decision.waits else "dim"
        yield [
            (style, f"{decision.code}: "),
            f"{inline(show_path(decision.path))}: {inline(decision.text)}",
        ]
