"""What taking another line of history in does to a vault's files. May import `store`, `model`.

How records are merged is not known here: the caller gives the function (`features.reconcile`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.model.change import Change, Put, Receipt, Remove
from vault_cli.store.build import Join
from vault_cli.store.config import CONFIG_FILE
from vault_cli.store.entry import EXECUTABLE, GONE, REGULAR
from vault_cli.store.file_names import is_record_path
from vault_cli.store.files import digest_bytes
from vault_cli.store.filters import choose_filters
from vault_cli.store.history import commit_time
from vault_cli.store.joining import Merge, apply_merge
from vault_cli.store.message import one_line
from vault_cli.store.opening import show_name
from vault_cli.store.own_changes import Gone
from vault_cli.store.repo import Repository
from vault_cli.store.sides import Sides, Tree, Versions, find_hidden, outside_changes

if TYPE_CHECKING:
    from vault_cli.model.record import Record
    from vault_cli.store.vault import Vault


class Incoming(NamedTuple):
    """What the other side changes in a file here.

    Args:
        path: the file.
        id: the record, "" for another file.
        what: added, changed, moved or removed.
        in_force: whether it is in force before or after, so that a render may change.
    """

    path: str
    id: str
    what: str
    in_force: bool


@dataclass(slots=True)
class Plan:
    """A merge as it was worked out.

    Args:
        kind: `none`, `forward` (HEAD moves to what came), `ahead` (only this side has news),
            `merge`.
        head: the commit here.
        other: the commit there.
        files: what becomes of the files here (None: gone).
        incoming: what that means for records.
        gone: how many records here it removes.
        modes: whether a file is a program, where the other side says something new about it.
        here: bytes by path of what the merge is about, as HEAD has it.
        is_unrelated: both sides have no commit in common.
    """

    kind: str
    head: str
    other: str
    files: dict[str, bytes | None] = field(default_factory=dict)
    incoming: tuple[Incoming, ...] = ()
    gone: Gone = field(default_factory=lambda: Gone(0, 0))
    modes: dict[str, bool] = field(default_factory=dict)
    here: dict[str, bytes] = field(default_factory=dict)
    is_unrelated: bool = False


MergeSides = Callable[[Sides, str, str], Mapping[str, "bytes | None"]]


def plan_merge(
    vault: Vault,
    head: str,
    other: str,
    merge: MergeSides,
    overlay: Mapping[str, bytes | None] | None = None,
) -> Plan:
    """Work out what taking the other side in does; nothing is written.

    Args:
        vault: the vault.
        head: the commit here.
        other: the commit there.
        merge: merges three versions of the vault's files.
        overlay: files here that are not committed yet, for a preview.

    Raises:
        RefusedError: the other side changed something that is not the vault's.
        StoreError: git failed.
    """
    repo = vault.require_repo()
    versions = Versions(repo, merge)
    bases = versions.bases(head, other)
    plan = Plan("none", head, other, is_unrelated=not bases and bool(head))
    if bases == [other]:
        plan.kind = "none" if head == other else "ahead"
        return plan
    outside = outside_changes(repo, bases[0] if bases else "", other)
    if outside:
        raise RefusedError(
            f"the other side changed files outside of the vault, {show_name(outside[0])} for one",
            hint="Bring those in with git (git pull), then go on: mvault sync",
        )
    mine = versions.overlay(versions.tree(head), overlay or {})
    theirs = versions.tree(other)
    plan.kind = "forward" if (bases == [head] or not head) and not overlay else "merge"
    ancestor = mine if plan.kind == "forward" else versions.ancestor(head, other)
    if plan.kind == "forward":
        sides = versions.sides(mine, mine, theirs)
        plan.files = {path: sides.other.get(path) for path in {*sides.one, *sides.other}}
    else:
        sides = versions.sides(ancestor, mine, theirs)
        merged = merge(sides, head, other)
        plan.files = {p: data for p, data in merged.items() if data != sides.one.get(p)}
    plan.here = sides.one
    plan.incoming, plan.gone = _incoming(vault, sides, plan.files)
    plan.modes = _modes(ancestor, mine, theirs)
    _add_untouched(repo, plan)
    return plan


def _modes(base: Tree, mine: Tree, theirs: Tree) -> dict[str, bool]:
    """Return which files the other side made a program, or made none any more."""
    found = {}
    for path, entry in theirs.items():
        here = mine.get(path, GONE).mode or REGULAR
        before = base.get(path, GONE).mode or here
        if entry.mode != here and before == here:
            found[path] = entry.mode == EXECUTABLE
    return found


def _add_untouched(repo: Repository, plan: Plan) -> None:
    """Take the files into a plan of which only the mode changes."""
    alone = plan.modes.keys() - plan.files.keys()
    for path in sorted(alone - find_hidden(repo, alone)):
        data = repo.read_blob(plan.head, path)
        if data is not None:
            plan.files[path] = plan.here[path] = data


def _incoming(
    vault: Vault, sides: Sides, files: Mapping[str, bytes | None]
) -> tuple[tuple[Incoming, ...], Gone]:
    """Say what becomes of the records here, and count those that go."""
    ignore, read = vault.config["files.ignore"], vault.screen().read
    old: dict[str, Record] = {}
    new: dict[str, Record] = {}
    found: list[Incoming] = []
    for path, data in sorted(files.items()):
        before = sides.one.get(path)
        if not is_record_path(path, ignore):
            what = "removed" if data is None else "changed" if before is not None else "added"
            found.append(Incoming(path, "", what, path == CONFIG_FILE))
            continue
        for text, table in ((before, old), (data, new)):
            record = read(text, path)[0] if text is not None else None
            if record is not None:
                table[record.id] = record
    for key in sorted({*old, *new}):
        was, now = old.get(key), new.get(key)
        shown = now or was
        if shown is None:
            continue
        what = "removed" if now is None else "added" if was is None else "changed"
        if was is not None and now is not None and was.digest == now.digest:
            what = "moved"
        force = any(record is not None and record.has_effect for record in (was, now))
        found.append(Incoming(shown.path, key, what, force))
    gone = [key for key in old if key not in new]
    total = sum(is_record_path(path, ignore) for path in sides.kept) + len(sides.one)
    return tuple(sorted(found)), Gone(len(gone), total)


def take_in(
    vault: Vault, plan: Plan, change: Change, *, blocked: Mapping[str, Diagnostic], wait: float
) -> Receipt:
    """Carry a merge out.

    Args:
        vault: the vault.
        plan: what was worked out.
        change: what the merge commit says.
        blocked: files here that were not committed, with the reason.
        wait: most seconds to wait for another writer.

    Raises:
        RefusedError: a file that was not committed is in the way.
        ChangedMeanwhileError: a file was changed since. StoreError: git or the disk failed.
    """
    repo = vault.require_repo()
    in_way = [blocked[path] for path in sorted(plan.files) if path in blocked]
    if in_way:
        raise RefusedError(
            f"{show_name(in_way[0].path)} is changed by the other side, and not committed here",
            hint="Put it right, then go on: mvault sync",
            diagnostics=tuple(in_way),
        )
    start = f"{repo.prefix}/" if repo.prefix else ""
    _require_unfiltered(repo, [start + path for path in plan.files])
    hidden = find_hidden(repo, plan.files)
    join = Join(
        plan.head,
        plan.other,
        is_ready=plan.kind == "forward",
        hidden={start + path: data for path, data in plan.files.items() if path in hidden},
    )
    shown = ((path, data) for path, data in sorted(plan.files.items()) if path not in hidden)
    edits = [
        _edit(plan, path, data)
        for path, data in shown
        if data != plan.here.get(path) or path in plan.modes
    ]
    written = {edit.path for edit in edits if isinstance(edit, Put)}
    modes = {path: is_program for path, is_program in plan.modes.items() if path in written}
    merge = Merge(join, tuple(edits), change, modes)
    return apply_merge(vault.root, repo, merge, screen=vault.screen(), wait=wait)


def _require_unfiltered(repo: Repository, paths: Sequence[str]) -> None:
    """Refuse files that git stores otherwise than they lie on disk: what came is no text here."""
    filters = choose_filters(repo.git, repo.read_settings(), paths, plain=not repo.untrusted())
    odd = [path for path in paths if filters.applies(path)]
    if odd:
        raise RefusedError(
            f"{show_name(odd[0])} goes through a content filter of git; mvault merges plain files",
            hint="Bring it in with git (git pull), then go on: mvault sync",
        )


def _edit(plan: Plan, path: str, data: bytes | None) -> Put | Remove:
    """Return what happens to one file, which must be on disk as HEAD has it."""
    old = plan.here.get(path)
    digest = "" if old is None else digest_bytes(old)
    return Remove(path, digest) if data is None else Put(path, data, digest)


# What a merge says about its sides


def side_name(repo: Repository, commit: str) -> str:
    """Return who made a commit, and on which day."""
    out = repo.git.run("log", "-1", "--no-show-signature", "--format=%an on %cs", commit).out
    return one_line(out.decode("utf-8", "replace"))


def deleted_by(repo: Repository, commit: str, path: str) -> str:
    """Return who deleted a vault path in a line of history, and when."""
    full = f"{repo.prefix}/{path}" if repo.prefix else path
    args = (
        "log", "-1", "--no-show-signature", "--no-renames", "--diff-filter=D", "--full-history",
        "--format=%an on %cs", commit, "--", full,
    )  # fmt: skip
    who = one_line(repo.git.run(*args).out.decode("utf-8", "replace"))
    return f"deleted by {who}" if who else "deleted"


def merge_moment(repo: Repository, *commits: str) -> str:
    """Return the moment that a merge of these commits names: the same wherever it is made."""
    moments = [commit_time(repo.git, commit) for commit in commits if commit]
    latest = max(moments, default=datetime(1970, 1, 1, tzinfo=UTC))
    return latest.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
