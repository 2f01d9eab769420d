"""`import` and `audit-store`: other programs' memories. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View
from vault_cli.cli.views import plural
from vault_cli.errors import Diagnostic, RefusedError, StoreError, UsageError
from vault_cli.store.places import expand_home, real_path

if TYPE_CHECKING:
    from datetime import datetime

    from vault_cli.features.importing import ImportPlan, Outcome
    from vault_cli.features.store_audit import Flaw
    from vault_cli.model.foreign import Item, Store

FormatName = Annotated[
    str, typer.Argument(metavar="FORMAT", help="A format, auto to find it, or all of two programs.")
]
FormatOption = Annotated[
    str, typer.Option("--format", metavar="FORMAT", help="A format by name, or auto to find it.")
]
StorePath = Annotated[str, typer.Argument(metavar="PATH", help="Folder or file; only read.")]
SourcePath = Annotated[
    str, typer.Argument(metavar="[PATH]", help="Folder or file; default: the program's own place.")
]
Workspace = Annotated[
    str, typer.Option("--workspace", metavar="FOLDER", help="The project all of it is about.")
]
Scope = Annotated[
    str, typer.Option("--scope", help="global, project (this one), project:ID, session:ID for all.")
]


def import_store(
    ctx: typer.Context,
    format_name: FormatName,
    path: SourcePath = "",
    workspace: Workspace = "",
    scope: Scope = "",
) -> int:
    """Take another program's memories in as drafts, in one commit.

    The source is only read. Every memory goes through the admission check: one with a secret is
    refused, what else is suspicious goes into quarantine (exit 4 when there was any). What the
    source says about status, counters and dates is kept as its claim, below `claimed`. A second
    import changes nothing; what changed over there updates its draft, or becomes a draft that
    would supersede the record in force.

    Formats: claude-code, codex, instructions, markdown, basic-memory, expmem, error-improvement,
    self-improvement, dsh-lessons, cognition-engine, notebook, mem0, memory-server, mvault. `all`
    without a path reads Claude Code and Codex where they keep their memories.

    Examples:
      mvault import all --dry-run
      mvault import auto ~/.claude
      mvault import claude-code ~/.claude/projects --workspace ~/src/web
      mvault import instructions . --json
    """
    inv: Invocation = ctx.obj
    store = open_store(inv, format_name, path)
    plan = _plan(inv, store, workspace, scope)
    return _submit(inv, store, plan)


def open_store(inv: Invocation, format_name: str, path: str) -> Store:
    """Read a foreign store; nothing of it is written.

    Raises:
        UsageError: no such format. NotFoundError: nothing is there.
    """
    from vault_cli.hosts.importers.table import default_place, read_all, read_store

    if not path and format_name == "all":
        return read_all(Path.home(), inv.environ)
    typed = expand_home(path) if path else default_place(format_name, Path.home(), inv.environ)
    return read_store(format_name, typed if typed.is_absolute() else inv.cwd / typed, Path.home())


def _plan(inv: Invocation, store: Store, workspace: str, scope: str) -> ImportPlan:
    from vault_cli.features.importing import plan_import

    return plan_import(
        inv.whole_snapshot(),
        store,
        inv.read,
        scope_of=_counting(scope_finder(inv, workspace, scope), len(store.items)),
        now=inv.now,
        random_int=inv.random_int,
        actor=inv.actor,
        gates=inv.vault.config.gates,
    )


def _counting(find: Callable[[Item], str], total: int) -> Callable[[Item], str]:
    """Return the same function, asked once an item; who follows is told how many there were."""
    from vault_cli.store.progress import report

    numbers = count()

    def ask(item: Item) -> str:
        report("importing", next(numbers), total)
        return find(item)

    return ask


def scope_finder(inv: Invocation, workspace: str, scope: str) -> Callable[[Item], str]:
    """Return what tells the scope of an item: what was typed, else the project by its folder."""
    from vault_cli.cli.rendering import scope_here
    from vault_cli.features.foreign import scope_by_name

    fixed = scope_here(inv, scope) if scope else ""
    named = str(real_path(inv.cwd / expand_home(workspace))) if workspace else ""
    seen: dict[str, str] = {}

    def find(item: Item) -> str:
        if fixed:
            return fixed
        one = replace(item, workspace=named, scope="") if named else item
        if not one.workspace or one.scope or one.session:
            return scope_by_name(one)
        if one.workspace not in seen:
            seen[one.workspace] = _project_of(inv, one.workspace)
        own = seen[one.workspace]
        return f"project:{own}" if own else scope_by_name(replace(one, project=""))

    return find


def _project_of(inv: Invocation, folder: str) -> str:
    """Return the id of the project in a folder of this machine, "" when there is none to be had."""
    from vault_cli.cli.project import project_id

    place = Path(folder)
    if not place.is_absolute() or not place.is_dir():
        return ""
    return project_id(place, inv.root, remote=str(inv.vault.config["project.remote"]))


def _submit(inv: Invocation, store: Store, plan: ImportPlan) -> int:
    lost = sum(plan.totals.get(name, 0) for name in ("held", "refused"))
    code = RefusedError.exit_code if lost else 0
    if plan.held.edits and not inv.options.dry_run:
        inv.vault.apply(plan.held)
    done = f"imported {plural(len(plan.change.edits), 'record')} from {store.format}"
    hints = []
    if plan.change.edits:
        hints.append("A person looks at them and puts them in force: mvault review")
    if plan.held.edits:
        hints.append("What is held back: mvault quarantine list")
    return inv.submit(
        Plan(
            plan.change,
            f"{done} ({_counts(plan)})",
            data={"import": report_data(store, plan)},
            hints=hints,
            findings=_findings(store, plan),
            nothing=f"every memory of the store is here ({_counts(plan) or 'there is none'})",
            exit_code=code,
        )
    )


def _counts(plan: ImportPlan) -> str:
    return ", ".join(f"{count} {name}" for name, count in plan.totals.items())


def _findings(store: Store, plan: ImportPlan) -> list[Diagnostic]:
    """Return what is worth a line on stderr: all but what only the drafts themselves say."""
    found = list(store.notes)
    for outcome in plan.outcomes:
        if outcome.action in ("held", "refused", "forgotten"):
            found += outcome.notes
        else:
            found += [n for n in outcome.notes if n.severity == "warning" or n.code == "field-left"]
    return [masked(item) for item in dict.fromkeys(found)]


def masked(found: Diagnostic) -> Diagnostic:
    """Return a finding without a value that its path or message may hold."""
    from vault_cli.text.scan import mask_secrets

    return found._replace(path=mask_secrets(found.path), message=mask_secrets(found.message))


def report_data(store: Store, plan: ImportPlan) -> dict[str, Any]:
    """Return the report of an import for `--json`: totals, every file, every item."""
    return {
        "format": store.format,
        "totals": plan.totals,
        "files": _files_data(store),
        "items": [_item_data(outcome) for outcome in plan.outcomes],
        "places": {key: list(value) for key, value in store.places.items()},
    }


def _files_data(store: Store) -> list[dict[str, Any]]:
    from vault_cli.text.scan import mask_secrets

    return [
        {
            "file": mask_secrets(source.file),
            "sha256": source.sha256,
            "state": source.state,
            "items": source.items,
            "why": source.why,
        }
        for source in store.sources
    ]


def _item_data(outcome: Outcome) -> dict[str, Any]:
    """Return one item of the report; no text of one that was refused or held."""
    from vault_cli.text.scan import mask_secrets

    item = outcome.item
    is_shown = outcome.action not in ("refused", "held")
    return {
        "alias": mask_secrets(item.alias),
        "action": outcome.action,
        "id": outcome.record_id,
        "kind": str(item.kind),
        **({"title": mask_secrets(item.title)} if is_shown else {}),
        "scope": mask_secrets(outcome.scope),
        "file": mask_secrets(item.file),
        "line": item.line,
        "codes": list(dict.fromkeys(note.code for note in outcome.notes)),
        "left": list(item.left),
    }


def audit_store(ctx: typer.Context, path: StorePath, format_name: FormatOption = "auto") -> int:
    """Say what is wrong with another program's memories before they are imported.

    Secrets (never shown), injections, junk, duplicates, contradictions, what is stale and what
    stands under the wrong project: each with the file, the line and what shows it, and totals.
    Nothing is written, and no vault is needed. Exit 1 when anything was found.

    Examples:
      mvault audit-store ~/.claude
      mvault audit-store ~/.dsh/expmem --format expmem --json
    """
    from vault_cli.features.store_audit import audit_store as find_flaws

    inv: Invocation = ctx.obj
    store = open_store(inv, format_name, path)
    flaws = find_flaws(store, now=_now(inv), is_there=_is_there)
    view = View(
        _audit_data(store, flaws),
        lambda: _audit_lines(store, flaws),
        diagnostics=[masked(note) for note in store.notes],
        exit_code=1 if flaws else 0,
    )
    return inv.out.show(view)


def _now(inv: Invocation) -> datetime:
    """Return the instant of this run, also where there is no vault."""
    from vault_cli.store.clock import read_clock

    try:
        return inv.now
    except (UsageError, StoreError):
        return read_clock("", inv.environ)


def _is_there(workspace: str, path: str) -> bool | None:
    place = Path(workspace)
    return (place / path).exists() if place.is_dir() else None


def _audit_data(store: Store, flaws: Sequence[Flaw]) -> dict[str, Any]:
    from vault_cli.features.store_audit import totals_of

    return {
        "format": store.format,
        "items": len(store.items),
        "files": _files_data(store),
        "totals": totals_of(flaws),
        "flaws": [_flaw_data(flaw) for flaw in flaws],
    }


def _flaw_data(flaw: Flaw) -> dict[str, Any]:
    from vault_cli.text.scan import mask_secrets

    other = mask_secrets(flaw.other.alias) if flaw.other else ""
    return {
        "category": flaw.category,
        "code": flaw.code,
        "alias": mask_secrets(flaw.item.alias),
        "file": mask_secrets(flaw.item.file),
        "line": flaw.line,
        "evidence": flaw.evidence,
        **({"other": other} if other else {}),
    }


def _audit_lines(store: Store, flaws: Sequence[Flaw]) -> Iterator[Line]:
    from vault_cli.features.store_audit import totals_of

    for flaw in flaws:
        data = _flaw_data(flaw)
        place = f"{data['file']}:{flaw.line}" if flaw.line else data["file"]
        yield [("yellow", f"{flaw.category:14}"), f"{place}: {flaw.code}: {flaw.evidence}"]
    counts = ", ".join(f"{count} {name}" for name, count in totals_of(flaws).items() if count)
    yield f"{plural(len(store.items), 'item')} of {store.format}: {counts or 'nothing found'}"
