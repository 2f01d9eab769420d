"""`anchor`, and what `check --stale` says. May import everything below `cli`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any
from unicodedata import normalize

import typer

from vault_cli.cli import flags
from vault_cli.cli.checkout import NOT_KNOWN, AnchorReader, project_path
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import View
from vault_cli.cli.provenance import anchor_lines
from vault_cli.cli.rendering import find_project
from vault_cli.cli.views import plural
from vault_cli.errors import NotFoundError, UsageError
from vault_cli.model.anchors import STALE, Anchor, read_anchors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vault_cli.errors import Diagnostic
    from vault_cli.features.anchors import Request, Stale
    from vault_cli.model.change import Change
    from vault_cli.model.record import Record

_MOST_EXPLAINED = 200
"""Of more stale anchors the rest is named without what changed in the file."""


def anchor(
    ctx: typer.Context,
    record_id: flags.AnyId,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH...]", help="Files of the project, from here or its root."),
    ] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take these anchors out; a path as it is written.")
    ] = False,
    refresh: Annotated[
        bool,
        typer.Option("--refresh", help="It is still right: anchor to the files as they are now."),
    ] = False,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Say which files of the project a record speaks about, and in which state.

    An anchor is a path and the blob id that git gives the file's present content, committed or
    not. It is fresh while the file has that content, stale when it has another or is gone, and
    unverifiable where nobody can tell: lists, `show`, `check --stale` and the block say so. Line
    ends do not count. Without PATH the anchors are listed; --refresh without PATH takes all of
    them. A name that starts with a dash comes after `--`.

    Examples:
      mvault anchor l-7k3qd2m src/cart.py src/price.py
      mvault anchor l-7k3qd2m
      mvault anchor l-7k3qd2m --refresh
      mvault anchor l-7k3qd2m src/cart.py --remove
    """
    from vault_cli.features.anchors import Request, plan_anchor

    inv: Invocation = ctx.obj
    if remove and refresh:
        raise UsageError("--remove and --refresh exclude each other", hint="Give one of them.")
    record = inv.find(record_id)
    reader = AnchorReader(inv, find_project)
    if not paths and not refresh:
        return _list_anchors(inv, record, reader, remove=remove)
    if remove:
        request = Request(record, remove=_written(inv, record, reader, paths or ()), reason=reason)
    else:
        blobs = _present_blobs(inv, record, reader, paths or (), refresh=refresh)
        request = Request(record, add=blobs, reason=reason)
    planned = plan_anchor(
        request,
        inv.read(record.path),
        actor=inv.decider(yes=yes) if record.in_force else inv.actor,
    )
    reader.save()
    return inv.submit(_worded(planned.change, request, reader, yes=yes))


def _worded(change: Change, request: Request, reader: AnchorReader, *, yes: bool) -> Plan:
    """Return a change with what is said about it."""
    record, removed = request.record, bool(request.remove)
    names = ", ".join(request.remove or request.add)
    done = f"{record.id} is not anchored to {names} any more"
    return Plan(
        change,
        done if removed else f"{record.id} is anchored to {names}",
        "Take it out?" if removed else "Anchor it?",
        yes=yes,
        nothing=f"{record.id} is anchored so already",
        hints=() if removed or reader.is_ours(record) else (_scope_hint(record, reader),),
    )


def _scope_hint(record: Record, reader: AnchorReader) -> str:
    own = f"To bind it to this one: mvault promote {record.id} --to project"
    why = f"Its scope is {record.scope}, no project: it is stale where git knows the old content."
    return f"{why} {own}" if reader.project else why


def _list_anchors(inv: Invocation, record: Record, reader: AnchorReader, *, remove: bool) -> int:
    """Show the anchors of a record and their states."""
    from vault_cli.features.anchors import anchor_data

    if remove:
        known = ", ".join(item.path for item in read_anchors(record)) or "none"
        raise UsageError("--remove needs a path", hint=f"Its anchors: {known}")
    anchors = [anchor_data(*pair) for pair in reader(record)]
    reader.save()
    data = {"id": record.id, "path": record.path, "anchors": anchors}
    states = Counter(item["state"] for item in anchors)
    told = ", ".join(f"{number} {state}" for state, number in sorted(states.items()))
    note = told or f"{record.id} has no anchors: mvault anchor {record.id} PATH"
    return inv.out.show(View(data, lambda: list(anchor_lines(anchors))[1:], None, (), (note,)))


def _written(
    inv: Invocation, record: Record, reader: AnchorReader, paths: Sequence[str]
) -> tuple[str, ...]:
    """Return paths to take out as the record writes them: typed so, or as a file from here."""
    written = {item.path for item in read_anchors(record)}
    found = []
    for text in paths:
        path = text.removeprefix("./")
        if text not in written and path not in written and reader.top is not None:
            try:
                path = project_path(reader.top, inv.cwd, text)
            except (NotFoundError, UsageError):
                path = text
        found.append(text if text in written else path)
    return tuple(dict.fromkeys(found))


def _present_blobs(
    inv: Invocation, record: Record, reader: AnchorReader, paths: Sequence[str], *, refresh: bool
) -> dict[str, str]:
    """Return the paths to anchor and the ids of their present contents.

    Raises:
        UsageError: no checkout of the record's project is at hand, or a file cannot be read.
        NotFoundError: a file is not there, or `--refresh` names one that is no anchor.
    """
    reason = reader.why_not(record)
    if reason or reader.top is None:
        raise UsageError(
            f"{record.id} cannot be anchored here: {reason}",
            hint="Run it in the checkout of its project, or set $MVAULT_PROJECT_ROOT.",
        )
    anchors = {normalize("NFC", item.path): item for item in read_anchors(record)}
    if not paths:
        return _refreshed(inv, record, reader, anchors.values())
    found = [project_path(reader.top, inv.cwd, text) for text in paths]
    missing = [path for path in found if refresh and path not in anchors]
    if missing:
        known = ", ".join(anchors) or "none"
        raise NotFoundError(f"{record.id} has no anchor {missing[0]}", hint=f"Its anchors: {known}")
    return {path: _blob_for(reader, path) for path in found}


def _refreshed(
    inv: Invocation, record: Record, reader: AnchorReader, anchors: Sequence[Anchor] | Any
) -> dict[str, str]:
    """Return the present ids of all anchors; those that cannot be read stay, which is said."""
    blobs = {}
    for item in anchors:
        try:
            blobs[item.path] = _blob_for(reader, item.path)
        except (NotFoundError, UsageError) as error:
            inv.out.warn(f"{error.message}; this anchor stays as it is")
    if not blobs:
        raise UsageError(
            f"{record.id} has no anchor that can be refreshed",
            hint=f"Set one: mvault anchor {record.id} PATH",
        )
    return blobs


def _blob_for(reader: AnchorReader, path: str) -> str:
    """Return the id of a file's content: HEAD's own where it is that content, else as LF text.

    Raises:
        NotFoundError: it is gone. UsageError: it cannot be read, or is not a project's file.
    """
    from vault_cli.model.anchors import path_problem

    tree, problem = reader.tree, path_problem(path)
    if problem or tree is None:
        raise UsageError(f"{path}: {problem}")
    if tree.place is None:
        raise UsageError(f"{tree.top} is in no git repository", hint="Make it one first: git init")
    seen = tree.look(path)
    if seen.gone:
        raise NotFoundError(f"no such file: {path}")
    if seen.why:
        raise UsageError(f"{path}: {seen.why}")
    committed = reader.history.committed(path)
    known = committed in seen.ids or (committed and committed == tree.pointer_id(path))
    return committed if known else seen.ids[0]


def find_stale_code(
    inv: Invocation, records: Sequence[Record]
) -> tuple[list[Diagnostic], list[dict[str, Any]], list[str]]:
    """Return what `check --stale` says of these records.

    Returns:
        The findings, what `--json` says, and notes about what could not be compared here.
    """
    from vault_cli.features.anchors import find_stale, stale_findings

    reader = AnchorReader(inv, find_project)
    reader.look([record for record in records if "anchors" in record.fields])
    found = find_stale(records, reader)
    stale = [item for item in found if item.verdict.state == STALE]
    explained = _explain(stale[:_MOST_EXPLAINED], reader)
    elsewhere = [item for item in found if _is_elsewhere(item, reader)]
    rest = [item for item in found if item.verdict.state != STALE and item not in elsewhere]
    told = [*explained, *stale[_MOST_EXPLAINED:], *rest]
    counts = Counter(item.verdict.why for item in elsewhere)
    notes = [f"{plural(n, 'anchor')} not compared: {why}" for why, n in sorted(counts.items())]
    reader.save()
    return stale_findings(told), [item.as_data() for item in (*told, *elsewhere)], notes


def _is_elsewhere(item: Stale, reader: AnchorReader) -> bool:
    """Tell whether nothing is wrong with an anchor: its code is just not here."""
    if item.verdict.state == STALE or item.anchor.problem:
        return False
    return item.verdict.why == NOT_KNOWN or bool(reader.why_not(item.record))


def _explain(found: Sequence[Stale], reader: AnchorReader) -> list[Stale]:
    """Add what changed in the files, and where their old contents lie now."""
    from vault_cli.features.anchors import count_lines

    if not found or reader.tree is None:
        return list(found)
    changed = {item.anchor.blob for item in found if item.verdict.blob}
    texts = reader.history.read_old(changed)
    explained = []
    for item in found:
        blob, path = item.anchor.blob, item.anchor.path
        moved = tuple(other for other in reader.history.find_moved(blob) if other != path)
        old, new = texts.get(blob), reader.tree.read(path) if blob in texts else None
        lines = None
        if item.verdict.blob and old is not None and new is not None:
            lines = count_lines(old, new.replace(b"\r\n", b"\n"))
        explained.append(item._replace(lines=lines, moved=moved))
    return explained
