"""`check`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, finding_lines
from vault_cli.cli.views import (
    record_data,
    summary_line,
)
from vault_cli.errors import Diagnostic, UsageError, VaultError
from vault_cli.model.paths import skill_folder
from vault_cli.store.places import real_path

if TYPE_CHECKING:
    from vault_cli.model.record import Snapshot


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
    conflicts: Annotated[
        bool,
        typer.Option("--conflicts", help="Also compare what is in force: who stands against whom."),
    ] = False,
    stale: Annotated[
        bool,
        typer.Option("--stale", help="Also look at the code that records speak about (`anchor`)."),
    ] = False,
    ci: Annotated[
        bool, typer.Option("--ci", help="For a pull request: also what the branch does.")
    ] = False,
    base: Annotated[
        str, typer.Option("--base", metavar="REV", help="With --ci: what the branch goes out from.")
    ] = "",
    annotate: Annotated[
        str,
        typer.Option("--annotate", metavar="STYLE", help="With --ci: github, gitlab or text."),
    ] = "",
    yes: flags.Yes = False,
) -> int:
    """Check every file of the vault, or only some; exit 1 when something has to be done.

    Errors keep a file out; some warnings hold a record back from the render, and the last line
    counts them. Both end with 1. Other warnings and notes do not. --fix repairs lost and double
    successors, circles, one-sided conflicts, misspelt statuses and a `verified` that nothing
    carries; what needs a choice is left and said. --trust says of every record in force where it
    came from, which commit admitted it, by whom and how, and which one made its present text.
    --conflicts names pairs that contradict each other, under a topic or about one subject;
    nothing is decided. --stale names the records whose code has changed or is gone, what changed,
    and the command to go on with. --ci also compares with the commit a branch goes out from (steps
    of status nobody may take by hand, secrets in any of its commits), looks for records without
    room in the block and for generated blocks that drifted, and writes annotations.

    Examples:
      mvault check
      mvault check --conflicts
      mvault check --stale
      mvault check --trust
      mvault check --ci --base origin/main
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
    if (base or annotate) and not ci:
        raise UsageError(
            "--base and --annotate go with --ci", hint="Run: mvault check --ci --base REV"
        )
    if ci:
        return _check_branch(inv, base, annotate)
    if jumps:
        raise UsageError("--jumps goes with --fix", hint="Run: mvault check --fix --jumps")
    if trust:
        from vault_cli.cli.trusting import check_trust

        return check_trust(inv, lambda path: not wanted or _is_below(path, wanted))
    return _check_files(inv, wanted, conflicts=conflicts, stale=stale)


def _check_branch(inv: Invocation, base: str, style: str) -> int:
    """Check the whole vault and a branch of it, for a build machine."""
    from vault_cli.cli.ci import check_ci

    found = _all_findings(inv)
    allowed = {(record.path, code) for record in inv.snapshot.records for code in record.allow}
    counts = [_counts(item, allowed) for item in found]
    return check_ci(inv, found, counts, base=base, style=style)


def _check_files(inv: Invocation, wanted: tuple[str, ...], *, conflicts: bool, stale: bool) -> int:
    """Say what is wrong with the files; exit 1 when something has to be done."""
    snapshot = inv.snapshot
    found = _all_findings(inv)
    tensions = _tensions(inv) if conflicts else ()
    code, anchors, elsewhere = _stale(inv, wanted) if stale else ([], [], [])
    found = sorted((*found, *(item for item, _ in tensions), *code))
    if wanted:
        found = [item for item in found if _is_below(item.path, wanted)]
    allowed = {(r.path, code) for r in snapshot.records for code in r.allow}
    bad = [item for item in found if _counts(item, allowed)]
    counts = {
        "records": len(snapshot.records),
        "unreadable": len(snapshot.unreadable),
        "problems": len(bad),
    }
    data: dict[str, Any] = {
        "counts": counts,
        "unreadable": list(snapshot.unreadable),
        "skipped": dict(snapshot.skipped),
    }
    if conflicts:
        data["conflicts"] = [pair for _, pair in tensions]
    if stale:
        data["anchors"] = anchors
    notes = [f"{number} in {name}/ not read" for name, number in sorted(snapshot.skipped.items())]
    notes += elsewhere

    def lines() -> Iterator[Line]:
        for item in found:
            yield from finding_lines(item)
        yield summary_line(found, holding=sum(item.severity == "warning" for item in bad))

    return inv.out.show(
        View(data, lines, None, found, notes, exit_code=1 if bad else 0, listed=True)
    )


def _stale(
    inv: Invocation, wanted: tuple[str, ...]
) -> tuple[list[Diagnostic], list[dict[str, Any]], list[str]]:
    """Return what became of the code that records speak about; see `find_stale_code`."""
    from vault_cli.cli.anchor import find_stale_code

    records = _admitted(inv).records
    return find_stale_code(inv, [r for r in records if not wanted or _is_below(r.path, wanted)])


def _admitted(inv: Invocation) -> Snapshot:
    """Return the whole records of the vault that is written, without texts that wait."""
    found = inv.reading.snapshot(whole=True, alone=True, guarded=True).standing()
    return replace(found, records=tuple(r for r in found.records if not r.withheld))


def _tensions(inv: Invocation) -> list[tuple[Diagnostic, dict[str, Any]]]:
    """Return the pairs in force that contradict each other: the finding, and what --json says."""
    from vault_cli.features.tensions import find_tensions, tension_findings

    found = find_tensions(_admitted(inv), inv.now)
    pairs = [
        {
            "code": item.code,
            "records": [record_data(item.one), record_data(item.other)],
            "topics": list(item.topics),
            "why": item.why,
            "sentences": [item.mine, item.theirs],
        }
        for item in found
    ]
    return list(zip(tension_findings(found), pairs, strict=True))


def _all_findings(inv: Invocation) -> list[Diagnostic]:
    """Return what is wrong with settings, files, relations and skills, sorted."""
    from vault_cli.cli.admission import admission_findings
    from vault_cli.cli.guarding import ledger_findings
    from vault_cli.cli.usage_findings import usage_findings, usage_secrets
    from vault_cli.cli.where import find_elsewhere
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
        elsewhere=find_elsewhere(inv),
    )
    settings = inv.vault.config.diagnostics
    secrets = usage_secrets(inv)
    own = [*secrets, *admission_findings(inv, head, secrets)]
    extra += (*check_scopes(snapshot), *inv.reading.clashes(), *own)
    extra += find_suspects(snapshot.records, inv.vault.config.gates)
    extra += (*usage_findings(inv), *ledger_findings(inv.vault))
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
    if real_path(inv.cwd / text) == real_path(inv.root):
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
