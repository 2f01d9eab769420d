"""`render`, `brief`: what is in force, for a prompt. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.option_groups import RenderChoices, takes
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.rendering import Wanted, make_options, make_query, render_query
from vault_cli.store.places import expand_home

if TYPE_CHECKING:
    from vault_cli.cli.clocks import Clocks
    from vault_cli.hosts.sinks import SinkResult
    from vault_cli.model.record import Snapshot
    from vault_cli.recall.render import Block, RenderOptions
    from vault_cli.recall.select import Query, Selection

_LEVEL_STYLES = {"full": "green", "line": "green", "id": "yellow", "omitted": "red"}


@takes(choices=RenderChoices)
def render(
    ctx: typer.Context,
    choices: RenderChoices,
    receipt: flags.WithReceipt = False,
    to: flags.Targets = None,
    at: flags.At = "",
    valid_at: flags.ValidAt = "",
    known_at: flags.KnownAt = "",
    with_user: flags.WithUser = False,
    since: flags.Since = "",
    batch: flags.Batch = False,
) -> int:
    """Print what is in force as a block for a prompt.

    The same vault, options and day give the same bytes. What does not fit is named in the block;
    --receipt and --json say why. --to replaces only what stands between the markers of FILE; into a
    file of a project with a vault of its own goes what that vault holds, and not what is yours.
    --at is what was rendered at a time: --known-at and --valid-at in one. --since prints only what
    is new, changed or gone since a receipt, a day or a commit, to be put behind a block that stays
    as it is; --batch leaves a file alone until enough is new; what is gone or changed never waits.
    --session and --to note which records were shown (`mvault stats`).

    Examples:
      mvault render --query "flaky npm test" --budget 4000 --receipt
      mvault render --to AGENTS.md --to CLAUDE.md
      mvault render --since @1
      mvault render --at 2026-07-15
      mvault render --known-at HEAD~3 --valid-at 2026-06-01
    """
    from vault_cli.cli.since import render_since, session_of

    inv: Invocation = ctx.obj
    _check_since(since, batch=batch, to=to, at=at or valid_at or known_at)
    alone = bool(to) and not with_user and _belongs_to_project(inv, to or [])
    clocks = _clocks(inv, at, valid_at, known_at, alone=alone)
    _choice(choices.unit, ("bytes", "characters"), "--unit")
    wanted = choices.with_session(session_of(inv, choices.session)).wanted(clocks.moment)
    asked = make_query(inv, wanted), make_options(inv, wanted)
    if since:
        return render_since(inv, since, clocks, asked)
    return _deliver(inv, clocks, asked, to or [], explained=receipt, batch=batch)


def _deliver(
    inv: Invocation,
    clocks: Clocks,
    asked: tuple[Query, RenderOptions],
    to: list[str],
    *,
    explained: bool,
    batch: bool,
) -> int:
    """Render, print it or put it into files, and keep what was shown."""
    from vault_cli.cli.receipts import keep_receipt
    from vault_cli.cli.since import note_exposure
    from vault_cli.recall.select import select_records

    snapshot, (query, options) = clocks.snapshot, asked
    block = render_query(snapshot, query, options)
    _tell_beside(inv, clocks, block, explained=explained)
    waits = _why_wait(inv, block, to, select_records(snapshot, query)) if batch else ""
    if to:
        code, changed = _write_files(inv, block, to, snapshot, explained=explained, waits=waits)
    else:
        code, changed = _print(inv, block, snapshot, explained=explained), False
    if clocks.is_plain and not (inv.options.dry_run or waits):
        keep_receipt(inv, block, asked, [str(_target(inv, name)) for name in to])
        if changed or query.session:
            note_exposure(inv, block, query.session)
    return code


def _check_since(since: str, *, batch: bool, to: list[str] | None, at: str) -> None:
    from vault_cli.errors import UsageError

    if since and (to or at):
        raise UsageError(
            "--since goes with neither --to nor a past time",
            hint="It prints a notice about the vault as it is.",
        )
    if batch and not to:
        raise UsageError("--batch goes with --to FILE", hint="Printed is always the whole block.")


def _print(inv: Invocation, block: Block, snapshot: Snapshot, *, explained: bool) -> int:
    view = View(
        lambda: block_data(block, snapshot),
        raw=block.text,
        diagnostics=snapshot.diagnostics,
        notes=(summary(block, explained=explained),),
        listed=True,
    )
    return inv.out.show(view)


def _tell_beside(inv: Invocation, clocks: Clocks, block: Block, *, explained: bool) -> None:
    """Say on stderr what belongs to a block and must not stand in it."""
    from vault_cli.cli.clocks import note_forgotten, warn_unreadable

    warn_unreadable(inv, clocks)
    if clocks.forgotten:  # the receipt measures every entry
        for note in note_forgotten(clocks, {line.id for line in block.receipt.lines}):
            inv.out.say(note)
    if explained:
        for line in receipt_lines(block):
            inv.out.report(line)


def _clocks(inv: Invocation, at: str, valid_at: str, known_at: str, *, alone: bool) -> Clocks:
    """Return the clocks of a render: `--at` sets both, `--valid-at` may still move one."""
    from vault_cli.cli.clocks import set_clocks
    from vault_cli.errors import UsageError

    if at and known_at:
        raise UsageError(
            "--at and --known-at exclude each other",
            hint="--at DATE is --known-at DATE together with --valid-at DATE.",
        )
    view = "belief" if at else ""
    inv.reading.pass_over_waiting()
    return set_clocks(inv, view, valid_at, at or known_at, whole=True, alone=alone, guarded=True)


def brief(
    ctx: typer.Context,
    query: flags.Task = "",
    most: flags.Most = 400,
    session: flags.SessionId = "",
    project: flags.Project = None,
) -> int:
    """Say in a few lines what is in force: counts, and the titles that matter most.

    Whole titles only; with --query those that fit come first.

    Examples:
      mvault brief
      mvault brief --query "支付回调" --max 200
    """
    from vault_cli.cli.rendering import aside_text, count_aside, make_query
    from vault_cli.recall.brief import write_brief
    from vault_cli.recall.select import select_records

    inv: Invocation = ctx.obj
    wanted = Wanted(query=query, session=session, project=project)
    inv.reading.pass_over_waiting()
    snapshot = inv.reading.snapshot(whole=True, guarded=True, teams=True)
    selection = select_records(snapshot, make_query(inv, wanted))
    found = write_brief(selection, most)
    aside = count_aside(selection.excluded)
    inv.warn_unreadable(snapshot)
    data = {
        "brief": found.text,
        "shown": list(found.shown),
        "in_force": found.total,
        "not_here": aside,
    }
    which = "more" if "trust" in aside else "more in force"  # what is kept out is not in force
    more = f"{sum(aside.values())} {which}, not here: {aside_text(aside)}"
    notes = (more,) if aside else ()
    view = View(data, raw=found.text, diagnostics=snapshot.diagnostics, notes=notes, listed=True)
    return inv.out.show(view)


def _belongs_to_project(inv: Invocation, names: list[str]) -> bool:
    """Tell whether a file to write is one of the project's, which others may be given.

    What a person keeps for themselves does not go into it unasked.
    """
    import os

    if inv.layers.beside is None:
        return False
    top = os.path.realpath(inv.layers.top)
    places = [Path(os.path.realpath(_target(inv, name))) for name in names]
    if not any(place.is_relative_to(top) or _is_of(inv, place) for place in places):
        return False
    inv.out.say("the file is the project's: your own vault is left out (--with-user writes it too)")
    return True


def _is_of(inv: Invocation, place: Path) -> bool:
    """Tell whether a file lies in another work tree of the project's repository."""
    from vault_cli.errors import StoreError
    from vault_cli.store.git_place import find_place

    try:
        one, other = find_place(inv.layers.home), find_place(place.parent)
    except StoreError:  # a git folder that cannot be found: nobody knows, so what is own stays out
        return True
    return one is not None and other is not None and one.common_dir == other.common_dir


def block_data(block: Block, snapshot: Snapshot) -> dict[str, Any]:
    """Return what `--json` says about a block; it measures every entry."""
    return {"block": block.text, "receipt": block.receipt.as_data(), "commit": snapshot.commit}


def _choice(text: str, allowed: tuple[str, ...], name: str) -> str:
    from vault_cli.errors import UsageError

    if text and text not in allowed:
        raise UsageError(f"{name} {text}: unknown", hint=f"Use {', '.join(allowed)}.")
    return text


def summary(block: Block, *, explained: bool = False) -> str:
    """Return the status line of a render: shown, left out, size.

    Args:
        block: what was rendered.
        explained: the receipt is shown already.
    """
    receipt = block.receipt
    limit = f" of {receipt.budget}" if receipt.budget else ""
    why = "" if explained else " (--receipt says why)"
    out = f", {receipt.omitted} left out{why}" if receipt.omitted else ""
    aside = f", {len(receipt.excluded)} not eligible" if receipt.excluded else ""
    return (
        f"{receipt.shown} shown{_by_vault(block)}{out}{aside}; {receipt.used}{limit} {receipt.unit}"
    )


def _by_vault(block: Block) -> str:
    """Return how many entries come from which vault, "" when one was read."""
    shown = [line.vault for line in block.receipt.lines if line.level != "omitted"]
    counts = {name: shown.count(name) for name in sorted({*shown} - {""})}
    text = ", ".join(f"{number} {name}" for name, number in counts.items())
    return f" ({text})" if text else ""


def receipt_lines(block: Block) -> Iterator[Line]:
    """Yield one line per eligible record, then the records in force that were not eligible."""
    width = max((len(line.id) for line in block.receipt.lines), default=0)
    for line in block.receipt.lines:
        yield [
            f"{inline(line.id):<{width}}  {_vault_cell(line.vault)}",
            (_LEVEL_STYLES.get(line.level, ""), f"{line.level:<7}"),
            f"  {line.cost:>6}  {line.group}: {inline(line.title)} ({inline(line.reason)})",
        ]
    for item in block.receipt.excluded:
        start = f"{inline(item.id):<{width}}  {_vault_cell(item.vault)}"
        yield [start, ("dim", "not eligible"), f": {inline(item.reason)}"]


def _vault_cell(name: str) -> str:
    return f"{name:<7}  " if name else ""


def _write_files(
    inv: Invocation,
    block: Block,
    names: list[str],
    snapshot: Snapshot,
    *,
    explained: bool,
    waits: str,
) -> tuple[int, bool]:
    """Put the block into every file, or into none when one of them cannot take it.

    With `waits`, which says why, all of them are left as they are. Returns the exit code, and
    whether one was changed.
    """
    from vault_cli.cli.preview import answer_data
    from vault_cli.hosts.sinks import plan_managed_block, write_managed_block

    targets = [_target(inv, name) for name in names]
    plans = [plan_managed_block(target, block.text) for target in targets]
    if waits:
        plans = [replace(plan, new=plan.old, changed=False) for plan in plans]
    if inv.options.dry_run:
        return _preview_files(inv, plans, block, snapshot), False
    notes: list[str] = []
    files: list[dict[str, Any]] = []
    for target, plan in zip(targets, plans, strict=True):
        done = write_managed_block(target, block.text) if plan.changed else plan
        why = (
            waits or "the block is the same"
            if target.exists()
            else "nothing is in force, so no file is made"
        )
        same = f"{target}: nothing to do, {why}"
        state = f"wrote the block into {target}" if done.changed else same
        notes.append(state)
        files.append({"path": str(done.path), "changed": done.changed})
    changed = [file["path"] for file in files if file["changed"]]
    view = View(
        lambda: {
            **answer_data("render", "render", changed),
            **block_data(block, snapshot),
            "files": files,
            "changed": bool(changed),
            "applied": True,
        },
        diagnostics=snapshot.diagnostics,
        notes=(*notes, summary(block, explained=explained)),
        listed=True,
    )
    return inv.out.show(view), bool(changed)


def _why_wait(inv: Invocation, block: Block, names: list[str], now: Selection) -> str:
    """Return why all of these files may stay as they are for now, "" when one may not."""
    from vault_cli.cli.since import waits_for_more
    from vault_cli.hosts.sinks import plan_managed_block

    plans = [plan_managed_block(_target(inv, name), block.text) for name in names]
    reasons = [waits_for_more(inv, plan.old, now) for plan in plans if plan.changed]
    return reasons[0] if reasons and all(reasons) else ""


def _target(inv: Invocation, name: str) -> Path:
    """Return a file to write into, without `..` where that means the same.

    Raises:
        UsageError: its folder is not there; one is never made for a mistyped name.
        RefusedError: it is a file of the person's settings or state.
    """
    from vault_cli.cli.own_places import require_no_own_place
    from vault_cli.cli.views import shown_path
    from vault_cli.errors import UsageError

    path = shown_path(inv.cwd / expand_home(name))
    if not path.parent.is_dir():
        raise UsageError(
            f"--to {name}: there is no folder {path.parent}",
            hint=f"Make it first, for example: mkdir -p '{path.parent}'",
        )
    require_no_own_place(path, inv.environ)
    return path


def _preview_files(
    inv: Invocation, plans: list[SinkResult], block: Block, snapshot: Snapshot
) -> int:
    from vault_cli.cli.preview import answer_data, diff_lines, plain

    lines: list[Line] = []
    files: list[dict[str, Any]] = []
    for plan in plans:
        name = str(plan.path)
        old = name if plan.old or plan.path.exists() else ""
        lines.extend(diff_lines(plan.old.encode(), plan.new.encode(), old, name))
        files.append({"path": name, "changed": plan.changed})
    changed = [file["path"] for file in files if file["changed"]]
    more = {"files": files, "dry_run": True, "diff": plain(lines)}
    data = {**answer_data("render", "render", changed), **block_data(block, snapshot), **more}
    data["commit"] = snapshot.commit
    return inv.out.show(View(data, lambda: lines, notes=("dry run, nothing written",)))
