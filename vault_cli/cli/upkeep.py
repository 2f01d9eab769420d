"""`status`, `check`, `trust`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, finding_lines, inline
from vault_cli.cli.rendering import aside_text, other_lines, place_data
from vault_cli.cli.views import (
    count_statuses,
    held_codes,
    in_force_count,
    plural,
    record_data,
    summary_line,
)
from vault_cli.errors import Diagnostic, UsageError, VaultError
from vault_cli.model.paths import skill_folder
from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.text.names import show_path

if TYPE_CHECKING:
    from vault_cli.store.repo import Pending, Repository

_MOST_LISTED = 20


def status(ctx: typer.Context) -> int:
    """Say what is in the vault and what waits for a person.

    Counts by status, drafts, files changed outside of mvault and not committed, files that
    cannot be read or are held, an operation of git under way, settings that are not trusted.

    Examples:
      mvault status
      mvault --json status
    """
    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    snapshot = inv.snapshot
    repo = inv.vault.repo
    pending = repo.pending() if repo is not None else ()
    groups = _groups(inv, snapshot)
    settings = inv.vault.config.diagnostics
    from vault_cli.cli.trusting import status_lines

    trusted, trust_lines = status_lines(inv)
    data: dict[str, Any] = {
        "vault": str(inv.root),
        "other_vault": inv.reading.describe_other(),
        **place_data(inv),
        "repository": _repository_data(repo),
        "counts": {
            "records": len(snapshot.records),
            "in_force": in_force_count(snapshot.records),
            **_counts_here(inv, snapshot),
            **{name: len(records) for name, records in groups.items()},
            "by_status": count_statuses(snapshot.records),
        },
        **{name: [record_data(r) for r in records] for name, records in groups.items()},
        "pending": [{"path": change.path, "code": change.code} for change in pending],
        "unreadable": list(snapshot.unreadable),
        "skipped": dict(snapshot.skipped),
        "settings": [found.as_data() for found in settings],
        "trust": trusted,
    }
    inv.warn_outside_checkout()
    view = View(
        data,
        lambda: chain(_status_lines(data, groups, pending, snapshot), trust_lines),
        diagnostics=tuple(dict.fromkeys((*settings, *snapshot.diagnostics))),
        hints=_status_hints(data, snapshot.records),
        listed=True,
    )
    inv.warn_settings()
    return inv.out.show(view)


def _counts_here(inv: Invocation, snapshot: Snapshot) -> dict[str, Any]:
    """Return how many records in force a render takes here, and why not the others."""
    from vault_cli.cli.rendering import Wanted, count_aside, make_query
    from vault_cli.recall.select import divide_records

    eligible, excluded = divide_records(snapshot, make_query(inv, Wanted()))
    return {"here": len(eligible), "not_here": count_aside(excluded)}


def _groups(inv: Invocation, snapshot: Snapshot) -> dict[str, list[Record]]:
    """Return the records that somebody may want to look at, by why."""
    from vault_cli.features.recipes import is_mature

    threshold = int(inv.vault.config["graduation.min_hits"])
    records = snapshot.records
    return {
        "drafts": [r for r in records if r.status is Status.CANDIDATE],
        "disputed": [r for r in records if r.status is Status.DISPUTED],
        "held": [r for r in records if r.held_by and r.status is not Status.QUARANTINED],
        "quarantined": [_headless(r) for r in records if r.status is Status.QUARANTINED],
        **_out_of_date(inv, snapshot),
        "ready": [r for r in records if is_mature(r, snapshot.tally(r.id), threshold)],
    }


def _headless(record: Record) -> Record:
    """Return a record without its title: what is held back speaks to a person only."""
    return replace(record, title="(in quarantine)", topics=())


def _out_of_date(inv: Invocation, snapshot: Snapshot) -> dict[str, list[Record]]:
    """Return the records in force whose time has not come or is over."""
    found: dict[str, list[Record]] = {"expired": [], "scheduled": []}
    for record in snapshot.records:
        state = record.validity.state_at(inv.now) if record.in_force else ""
        if state in found:
            found[state].append(record)
    return found


def _repository_data(repo: Repository | None) -> dict[str, Any]:
    if repo is None:
        return {"found": False}
    return {
        "found": True,
        "own": repo.is_own,
        "head": repo.head(),
        "operation": repo.operation_in_progress(),
        "untrusted": list(repo.untrusted()),
    }


def _status_hints(data: dict[str, Any], records: Sequence[Record]) -> list[str]:
    hints = []
    repository = data["repository"]
    if not repository["found"]:
        hints.append("Git does not hold this vault; `mvault init` makes it a repository.")
    elif repository["operation"]:
        hints.append("Finish or abort it with git; until then mvault changes nothing.")
    elif repository["untrusted"]:
        hints.append("They are not run. `mvault trust` shows them to a person.")
    if data["drafts"]:
        hints.append("`mvault review` goes through the drafts.")
    if data["disputed"]:
        one = data["disputed"][0]["id"]
        hints.append(f"A person answers a dispute: mvault resolve {one} --reason TEXT")
    if any(not record.adopted for record in records):
        hints.append("Notes without an id are drafts too; `mvault adopt PATH` gives them one.")
    if data["quarantined"]:
        hints.append("`mvault quarantine list` names what was held back.")
    if data["ready"]:
        hints.append(
            f"`mvault graduate {data['ready'][0]['id']}` makes a skill of a proven recipe."
        )
    if data["unreadable"]:
        hints.append("`mvault check` says what is wrong with the files that cannot be read.")
    return hints


def _status_lines(
    data: dict[str, Any],
    groups: dict[str, list[Record]],
    pending: Sequence[Pending],
    snapshot: Snapshot,
) -> Iterator[Line]:
    counts = data["counts"]
    yield [("dim", "vault: "), data["vault"]]
    yield from other_lines(data)
    shown = _counts_text(counts["by_status"])
    yield [("dim", "records: "), shown, f"; {counts['in_force']} in force"]
    if counts["not_here"]:
        aside = aside_text(counts["not_here"])
        yield [("dim", "rendered here: "), f"{counts['here']} of them; not here: {aside}"]
    repository = data["repository"]
    if repository["found"]:
        where = "own repository" if repository["own"] else "folder of a bigger repository"
        yield [("dim", "git: "), f"{where}, {repository['head'][:10] or 'no commit yet'}"]
        if repository["operation"]:
            yield [("red", f"a {repository['operation']} is under way")]
        if repository["untrusted"]:
            yield [("yellow", "not trusted: "), ", ".join(repository["untrusted"])]
    if data["drafts"]:
        yield [("yellow", f"{plural(len(data['drafts']), 'draft')} to review")]
    if data["quarantined"]:
        yield [("yellow", f"{plural(len(data['quarantined']), 'text')} in quarantine")]
    for title, names in _path_groups(data, groups, pending, snapshot):
        if names:
            yield [("yellow", f"{title}:")]
            yield from (f"  {name}" for name in names[:_MOST_LISTED])
            if len(names) > _MOST_LISTED:
                yield f"  and {len(names) - _MOST_LISTED} more"


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items()) or "none"


def _path_groups(
    data: dict[str, Any],
    groups: dict[str, list[Record]],
    pending: Sequence[Pending],
    snapshot: Snapshot,
) -> list[tuple[str, list[str]]]:
    in_force = {record.path for record in snapshot.records if record.in_force}
    changed = [
        f"{change.code} {show_path(change.path)}"
        + (" (in force)" if change.path in in_force else "")
        for change in pending
    ]
    named = {
        name: [f"{record.id}  {inline(record.title)}" for record in records]
        for name, records in groups.items()
    }
    held = [f"{inline(show_path(r.path))}: {', '.join(held_codes(r))}" for r in groups["held"]]
    return [
        ("changed outside, not committed", changed),
        ("disputed, waiting for a person", named["disputed"]),
        ("held from the render", held),
        ("in force, but expired", named["expired"]),
        ("in force, but not yet valid", named["scheduled"]),
        ("recipes ready to become skills", named["ready"]),
        ("cannot be read", [show_path(path) for path in data["unreadable"]]),
    ]


def check(
    ctx: typer.Context,
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH...]", help="Only these files or folders.")
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair what needs no choice: shown first, one commit.")
    ] = False,
    jumps: Annotated[
        bool,
        typer.Option("--jumps", help="With --fix: also set statuses back that jumped by hand."),
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Say from git history who admitted what is in force.")
    ] = False,
    yes: flags.Yes = False,
) -> int:
    """Check every file of the vault, or only some; exit 1 when something has to be done.

    Errors keep a file out; warnings marked as holding keep a record from the render. Both end
    with 1. Other warnings and notes do not. --fix repairs lost and double successors, circles,
    one-sided conflicts, misspelt statuses and a `verified` that nothing carries; what needs a
    choice is left and said. --trust says of every record in force where it came from, which commit
    admitted it, by whom and how, and which one made its present text.

    Examples:
      mvault check
      mvault check --trust
      mvault check --fix --dry-run
      mvault check drafts/2026-11/some-note.md
      mvault --json check
    """
    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    wanted = tuple(_checked_path(inv, text) for text in paths or ())
    if fix:
        from vault_cli.cli.repairing import fix as fix_vault

        fixable = (lambda path: _is_below(path, wanted)) if wanted else (lambda _: True)
        return fix_vault(inv, jumps=jumps, only=fixable, yes=yes)
    if jumps:
        raise UsageError("--jumps goes with --fix", hint="Run: mvault check --fix --jumps")
    if trust:
        from vault_cli.cli.trusting import check_trust

        return check_trust(inv, lambda path: not wanted or _is_below(path, wanted))
    snapshot = inv.snapshot
    found = _all_findings(inv)
    if wanted:
        found = [item for item in found if _is_below(item.path, wanted)]
    allowed = {(r.path, code) for r in snapshot.records for code in r.allow}
    bad = [item for item in found if _counts(item, allowed)]
    counts = {
        "records": len(snapshot.records),
        "unreadable": len(snapshot.unreadable),
        "problems": len(bad),
    }
    data = {
        "counts": counts,
        "unreadable": list(snapshot.unreadable),
        "skipped": dict(snapshot.skipped),
    }
    notes = [f"{number} in {name}/ not read" for name, number in sorted(snapshot.skipped.items())]

    def lines() -> Iterator[Line]:
        for item in found:
            yield from finding_lines(item)
        yield summary_line(found)

    return inv.out.show(
        View(data, lines, None, found, notes, exit_code=1 if bad else 0, listed=True)
    )


def _all_findings(inv: Invocation) -> list[Diagnostic]:
    """Return what is wrong with settings, files, relations and skills, sorted."""
    from vault_cli.cli.admission import admission_findings
    from vault_cli.features.health import check as check_health
    from vault_cli.features.scopes import check_scopes
    from vault_cli.features.suspects import find_suspects

    snapshot = inv.snapshot
    head = _head_texts(inv)
    extra = check_health(
        snapshot,
        now=inv.now,
        head=head,
        load=lambda path: _bytes_of(inv, path),
        files=_attachments(inv),
    )
    settings = inv.vault.config.diagnostics
    own = admission_findings(inv, head)
    suspects = find_suspects(snapshot.records, inv.vault.config.gates)
    extra += (*check_scopes(snapshot), *inv.reading.clashes(), *own, *suspects)
    found = (*settings, *snapshot.diagnostics, *extra, *_skill_findings(inv))
    return sorted(dict.fromkeys(found))


def _bytes_of(inv: Invocation, path: str) -> bytes:
    """Return a file's bytes, none when it cannot be read: one file never stops the check."""
    try:
        return inv.read(path)
    except VaultError:
        return b""


def _counts(found: Diagnostic, allowed: set[tuple[str, str]]) -> bool:
    """Tell whether a finding makes `check` fail: an error, or a warning that holds."""
    if found.severity == "error":
        return True
    return found.severity == "warning" and found.holds and (found.path, found.code) not in allowed


def _checked_path(inv: Invocation, text: str) -> str:
    """Return the vault-relative form of a path, which may be the vault itself ("")."""
    if (inv.cwd / text).resolve() == inv.root.resolve():
        return ""
    return inv.vault_path(text)


def _is_below(path: str, wanted: tuple[str, ...]) -> bool:
    return any(name in ("", path) or path.startswith(f"{name}/") for name in wanted)


def _head_texts(inv: Invocation) -> dict[str, bytes] | None:
    """Return the committed bytes of records that differ from HEAD; None without a commit."""
    from vault_cli.cli.repairing import committed_texts

    texts = committed_texts(inv)
    if texts is None:
        return None
    return {path: data for path, data in texts.items() if data is not None}


def _attachments(inv: Invocation) -> set[str]:
    """Return the files that are no records, so that links to them can be judged."""
    import os

    found: set[str] = set()
    root = os.fspath(inv.root)
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        base = os.path.relpath(folder, root).replace(os.sep, "/")
        prefix = "" if base == "." else f"{base}/"
        found.update(prefix + name for name in names if not name.endswith(".md"))
    return found


def _skill_findings(inv: Invocation) -> list[Diagnostic]:
    """Check every SKILL.md against the Agent Skills format, and the listing as a whole."""
    from vault_cli.features.skills import check_skill, listing_budget, listing_notes

    found: list[Diagnostic] = []
    paths = {*(record.path for record in inv.snapshot.records), *inv.snapshot.unreadable}
    for path in sorted(paths):
        name = skill_folder(path)
        if name:
            with suppress(VaultError):  # why it cannot be read is a finding already
                found += check_skill(path, inv.read(path), name)
    skills = [
        (name, record.summary)
        for record in inv.snapshot.records
        if (name := skill_folder(record.path))
    ]
    limit = int(inv.vault.config["graduation.skills_budget"])
    return found + list(listing_notes(listing_budget(skills, limit=limit)))
