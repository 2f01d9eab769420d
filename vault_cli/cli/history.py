"""`log`, `undo`: what git remembers. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import filterfalse, takewhile
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from vault_cli.cli import flags
from vault_cli.cli.complete import complete_id
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, told
from vault_cli.errors import NotFoundError, RefusedError, UsageError, VaultError
from vault_cli.model.record import ID_PATTERN
from vault_cli.text.names import show_path

if TYPE_CHECKING:
    from vault_cli.features.undo import UndoFile
    from vault_cli.model.change import Change
    from vault_cli.model.record import Record
    from vault_cli.store.repo import CommitInfo, Repository

SHORT = 10
"""Characters of a commit id in human output."""


CUT_OFF: Final = "what it changed, and what was before, is not known here"


def repository(inv: Invocation) -> Repository:
    """Return the vault's repository; UsageError when git does not hold the vault."""
    if inv.vault.repo is None:
        raise UsageError(
            f"{inv.root} is not in a git repository", hint="`mvault init` makes it one."
        )
    return inv.vault.repo


def log(
    ctx: typer.Context,
    record_id: Annotated[
        str,
        typer.Argument(metavar="[ID]", help="Only this record.", autocompletion=complete_id),
    ] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Most commits; 0: all.")] = 20,
    renders: Annotated[
        bool, typer.Option("--renders", help="The last renders given out instead, for `diff @1`.")
    ] = False,
) -> int:
    """Show what changed in the vault, newest first; with ID only that record.

    Examples:
      mvault log
      mvault log l-7k3qd2m -n 0
    """
    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    if renders:
        from vault_cli.cli.receipts import renders_view

        return inv.out.show(renders_view(inv))
    repo = repository(inv)
    commits = _record_log(inv, record_id, limit) if record_id else repo.log(limit=limit)
    inv.warn_settings()
    data = {"commits": [commit_data(commit) for commit in commits]}
    notes = () if commits else ("no commits yet",)
    if commits and repo.is_cut_off(commits[-1].id):
        notes = (f"{commits[-1].id[:SHORT]} is where this shallow clone begins: {CUT_OFF}",)
    return inv.out.show(View(data, lambda: log_lines(commits), notes=notes))


def _record_log(inv: Invocation, text: str, limit: int) -> list[CommitInfo]:
    """Return the commits of one record, also of one that is no longer in the vault."""
    try:
        record = inv.find(text)
    except NotFoundError:
        known = ID_PATTERN.fullmatch(text)
        commits = repository(inv).log(record_id=text, limit=limit) if known else []
        if not commits:
            raise
        return commits
    repo = repository(inv)
    paths = (record.path, *_earlier_paths(repo, record))
    return repo.log(paths=paths, record_id=record.id, limit=limit)


_MOST_PATHS = 200
"""Paths of one commit that are looked into to find where a record came from."""


def _earlier_paths(repo: Repository, record: Record) -> set[str]:
    """Return where a record stood before a command moved or deleted its file."""
    from vault_cli.text.fields import read_record

    found: set[str] = set()
    for commit in repo.log(record_id=record.id):
        verbs = {value for key, value in commit.trailers if key == "Vault-Op"}
        if not verbs & {"approve", "forget"} or not commit.parents:
            continue
        for path in commit.paths[:_MOST_PATHS]:
            data = repo.read_blob(commit.parents[0], path) if path.endswith(".md") else None
            old = read_record(data, path)[0] if data is not None else None
            if old is not None and old.id == record.id:
                found.add(path)
    return found


def commit_data(commit: CommitInfo) -> dict[str, Any]:
    """Return what `--json` says about a commit."""
    commit = veiled(commit)
    return {
        "commit": commit.id,
        "date": commit.date,
        "author": commit.author,
        "subject": commit.subject,
        "body": commit.body,
        "ids": [value for key, value in commit.trailers if key == "Vault-Id"],
        "trailers": [list(pair) for pair in commit.trailers],
        "paths": list(commit.paths),
    }


def veiled(commit: CommitInfo) -> CommitInfo:
    """Return a commit whose message shows no secret, whoever wrote it."""
    from vault_cli.text.scan import mask_secrets

    subject, body = mask_secrets(commit.subject), mask_secrets(commit.body)
    if (subject, body) == (commit.subject, commit.body):
        return commit
    return replace(commit, subject=subject, body=body)


def log_lines(commits: list[CommitInfo]) -> Iterator[Line]:
    """Yield one line per commit; below it the ids of several records, and the reason."""
    for commit in map(veiled, commits):
        trailers = dict(commit.trailers)
        ids = [value for key, value in commit.trailers if key == "Vault-Id"]
        who = " ".join(trailers.get(key, "") for key in ("Vault-Actor", "Vault-Agent")).strip()
        aside = ", ".join(part for part in (who, trailers.get("Vault-Approval", "")) if part)
        yield [
            ("yellow", commit.id[:SHORT]),
            f"  {commit.date[:10]}  {told(commit.subject)}",
            ("dim", f"  {told(ids[0])}" if len(ids) == 1 else ""),
            ("dim", f"  ({told(aside)})" if aside else ""),
        ]
        if len(ids) > 1:
            yield [("dim", f"    {told(' '.join(ids))}")]
        for line in commit.body.strip().splitlines():
            yield [("dim", f"    {line}")]


def undo(
    ctx: typer.Context,
    commit: Annotated[
        str, typer.Argument(metavar="[COMMIT]", help="Default: the last change mvault made.")
    ] = "",
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Take one change back with a new commit; later work stays.

    Without COMMIT it is the last change, so a second undo brings back what the first took; an
    older change is named by its commit, from `mvault log`. A file that cannot be taken back
    cleanly stops the undo before anything changes.

    Examples:
      mvault undo
      mvault undo 3f2a91c0de --reason "approved by mistake"
    """
    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    repo = repository(inv)
    inv.warn_settings()
    info = repo.commit_info(repo.resolve(commit)) if commit else _latest(inv, repo)
    if ("Vault-Op", "usage") in info.trailers:
        raise RefusedError(
            f"{info.id[:SHORT]} holds observations, which only ever grow",
            hint="One is taken back by who made it: mvault mark ID --helpful --undo",
        )
    info = veiled(info)
    change = _plan_undo(inv, repo, info, reason=reason, yes=yes)
    again = change.verb == "redo"
    what = told(change.subject.removeprefix(": "))
    done = f"{'brought' if again else 'took'} back {info.id[:SHORT]}: {what}"
    takes = "takes it" if again else "brings it"
    agreed = inv.is_person or (yes and bool(inv.consent(yes=yes).how))
    plan = Plan(change, done, person=agreed, yes=yes, lines=())
    plan.question = f"{change.verb} {info.id[:SHORT]} {what}?"
    plan.hints = (f"Another `mvault undo` {takes} back.",)
    plan.nothing = f"{info.id[:SHORT]} is taken back already"
    if any(key == "Vault-Promotion" for key, _ in info.trailers):
        from vault_cli.cli.promote import other_half

        plan.hints = (*plan.hints, other_half(inv, info))
    code = inv.submit(plan)
    if code == 0 and any(edit.path.startswith("tasks/") for edit in change.edits):
        _let_outcomes_follow(inv)
    return code


def _let_outcomes_follow(inv: Invocation) -> None:
    """Take back what an end of a task noted, with the end; the undo stands if this fails."""
    from vault_cli.cli.task_notes import read_logs, settle

    inv.forget_snapshot()
    try:
        settle(inv, read_logs(inv))
    except VaultError as error:
        inv.out.say(f"the outcome is not taken back yet: {error.message}")


def _plan_undo(
    inv: Invocation, repo: Repository, info: CommitInfo, *, reason: str, yes: bool
) -> Change:
    """Return the reverse of a commit, planned for whoever may take back what it touches."""
    from vault_cli.cli.preview import touches_force
    from vault_cli.features.aftermath import require_sound
    from vault_cli.features.undo import plan_undo
    from vault_cli.model.lifecycle import Actor

    _require_known(repo, info)
    since = commits_since(repo, info)
    files = undo_files(inv, repo, info, since)
    ids = tuple(value for key, value in info.trailers if key == "Vault-Id")

    def planned_for(actor: Actor) -> Change:
        return plan_undo(
            files,
            commit=info.id,
            subject=info.subject,
            actor=actor,
            ids=ids,
            reason=reason,
            since=[_short(commit) for commit in since],
        )

    change = planned_for(Actor.PERSON)
    require_sound(inv.snapshot, change)
    if touches_force(inv.root, change):
        return planned_for(inv.decider(yes=yes))
    return change if inv.is_person else replace(change, actor=inv.actor)


def _require_known(repo: Repository, info: CommitInfo) -> None:
    """Refuse to reverse what is not all here: all would look as if the commit had added it.

    Raises:
        RefusedError: a shallow clone begins with the commit, or a file is outside of the checkout.
    """
    if repo.is_cut_off(info.id):
        raise RefusedError(
            f"{info.id[:SHORT]} is where this shallow clone begins: {CUT_OFF}; nothing was changed",
            hint="The rest of the history: git fetch --unshallow",
        )
    outside = sorted(set(repo.outside_checkout()).intersection(info.paths))
    if outside:
        raise RefusedError(
            f"{show_path(outside[0])} is outside the sparse checkout; nothing was changed",
            hint="Check its folder out first: git sparse-checkout add FOLDER",
        )


def _latest(inv: Invocation, repo: Repository) -> CommitInfo:
    """Return the last change, which must not be one of the vault that is read beside.

    A command on a record of the user vault changes that one: to take back an older change of the
    project vault instead would be a surprise.

    Raises:
        NotFoundError: there is none. UsageError: the last change was made in the other vault.
    """
    other = inv.reading.other
    theirs = newest_change(other.repo) if other is not None and other.repo is not None else None
    own = newest_change(repo)
    if other is None or theirs is None or (own is not None and _instant(own) >= _instant(theirs)):
        return last_change(repo)
    there = f"mvault --vault {quote(str(other.root))} undo"
    here = f"; of this vault: mvault undo {own.id[:SHORT]}" if own is not None else ""
    raise UsageError(
        f"the last change was made in the user vault: {_short(theirs)}",
        hint=f"To take it back: {there}{here}",
    )


def _instant(commit: CommitInfo) -> datetime:
    return datetime.fromisoformat(commit.date)


def last_change(repo: Repository) -> CommitInfo:
    """Return the newest commit that mvault made in this vault.

    Raises:
        NotFoundError: there is none.
    """
    found = newest_change(repo)
    if found is not None:
        return found
    raise NotFoundError(
        "there is no change of mvault to take back", hint="`mvault log` lists the commits."
    )


def newest_change(repo: Repository) -> CommitInfo | None:
    """Return the newest change that mvault made; None when there is none.

    `init` and batches of observations are none: `mark --undo` takes an observation back.
    """
    for commit in repo.log(limit=200):
        verbs = [value for key, value in commit.trailers if key == "Vault-Op"]
        if verbs and verbs[0] not in ("init", "usage"):
            return repo.commit_info(commit.id)
    return None


def commits_since(repo: Repository, info: CommitInfo) -> list[CommitInfo]:
    """Return the commits that touched the paths of a commit after it, newest first."""
    found = repo.log(paths=info.paths) if info.paths else []
    return list(takewhile(lambda other: other.id != info.id, found))


def _short(commit: CommitInfo) -> str:
    return f"{commit.id[:SHORT]} {told(veiled(commit).subject)}"


def undo_files(
    inv: Invocation, repo: Repository, info: CommitInfo, since: Sequence[CommitInfo]
) -> list[UndoFile]:
    """Return every path of a commit: before it, after it, now, and who changed it since.

    Observations, which a merge brings along, are left out: they only ever grow.
    """
    from vault_cli.features.undo import UndoFile
    from vault_cli.model.change import ALLOW_TRAILER
    from vault_cli.store.usage import is_usage_path

    before = info.parents[0] if info.parents else ""
    files = []
    codes = tuple(value for key, value in info.trailers if key == ALLOW_TRAILER)
    released = codes if ("Vault-Op", "release") in info.trailers else None
    for path in filterfalse(is_usage_path, info.paths):
        later = tuple(_short(other) for other in since if path in other.paths)
        old = repo.read_blob(before, path) if before else None
        new, current = repo.read_blob(info.id, path), _current(inv, path)
        moved = _moved_to(inv, path, new) if old is None and current is None else ""
        held = _held_now(inv, path, old) if new is None and current is None else None
        files.append(UndoFile(path, old, new, current, later, moved, held, released))
    return files


def _held_now(inv: Invocation, path: str, data: bytes | None) -> tuple[str, bytes] | None:
    """Return where in quarantine the record of a file lies, and its bytes."""
    place = _moved_to(inv, path, data)
    return (place, inv.read(place)) if place.startswith("quarantine/") else None


def _moved_to(inv: Invocation, path: str, data: bytes | None) -> str:
    """Return where the record of a file stands now, "" when it is nowhere."""
    from vault_cli.text.fields import read_record

    old = read_record(data, path)[0] if data is not None and path.endswith(".md") else None
    found = inv.snapshot.by_id.get(old.id) if old is not None and old.adopted else None
    return found.path if found is not None else ""


def _current(inv: Invocation, path: str) -> bytes | None:
    try:
        return inv.read(path)
    except NotFoundError:
        return None
