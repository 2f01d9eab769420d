"""`diff`: two renders compared, with the commit and the reason of every change.

May import everything below `cli`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli.history import repository
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.option_groups import RenderChoices, takes
from vault_cli.cli.output import Line, View, inline, told
from vault_cli.cli.rendering import Wanted, make_options, make_query, render_query
from vault_cli.recall.fate import GONE

if TYPE_CHECKING:
    from vault_cli.cli.receipts import Again
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.recall.block import Block
    from vault_cli.recall.explain import BlockDiff, EntryChange, Side
    from vault_cli.recall.fate import Fate
    from vault_cli.store.repo import CommitInfo

WORK_TREE = "working tree"

Apart = Annotated[
    bool,
    typer.Option("--at", help="Each for its own time: what was rendered then (as `render --at`)."),
]


@takes(choices=RenderChoices)
def diff(
    ctx: typer.Context,
    choices: RenderChoices,
    old: Annotated[
        str, typer.Argument(metavar="[A]", help="Commit, date, or @1 for the last render kept.")
    ] = "HEAD",
    new: Annotated[
        str, typer.Argument(metavar="[B]", help="As A (default: the files as they are).")
    ] = "",
    at: Apart = False,
) -> int:
    """Compare two renders: what an agent would be told before and after, and why it differs.

    Both are rendered for today, with the same options; with --at each for its own time. `@1` is the
    last render that was given out, `@2` the one before, `@ID` one by its id (`why` and `log
    --renders` tell them): such a one is rendered with the options it had. Of every entry that came,
    went, moved or changed the reason is said, and the commit that did it. A commit belongs to one
    vault, which alone is compared then.

    Examples:
      mvault diff
      mvault diff HEAD~5 HEAD
      mvault diff --at 2026-06-01 2026-07-01
      mvault diff @1
    """
    inv: Invocation = ctx.obj
    repository(inv)
    wanted = choices.wanted()
    from vault_cli.cli.reading import is_commit
    from vault_cli.store.receipts import is_receipt

    alone = any(is_commit(name) for name in (old, new) if not is_receipt(name))
    marked = all(not name or is_receipt(name) for name in (old, new))
    outside = _outside(inv, old, new)
    sides = [
        _render_side(inv, wanted, name, at=at, alone=alone, marked=marked, outside=outside)
        for name in (old, new)
    ]
    return inv.out.show(_view(Comparison(inv, sides[0], sides[1])))


class Rendered:
    """One side: what was rendered of which records.

    Args:
        name: as it was typed.
        snapshot: the records; None of a receipt whose render cannot be repeated.
        block: the render; None as above.
        kept: the receipt it is from, None for a commit, a date or the working tree.
    """

    def __init__(
        self, name: str, snapshot: Snapshot | None, block: Block | None, kept: Again | None = None
    ) -> None:
        self.name = name
        self.snapshot = snapshot
        self.block = block
        self.kept = kept

    @cached_property
    def records(self) -> dict[str, Record]:
        """Its records by id."""
        return self.snapshot.by_id if self.snapshot is not None else {}

    @cached_property
    def fates(self) -> Mapping[str, Fate]:
        """What became of each record, by id."""
        from vault_cli.recall.fate import Fates

        if self.snapshot is None or self.block is None:
            return {}
        fates = Fates(self.snapshot, self.block)
        return {key: fates.of(record) for key, record in self.records.items()}

    def side(self, *, marked: bool) -> Side:
        """Return it for the comparison; `marked`: by the marks that receipts keep of texts."""
        from vault_cli.recall.explain import side_of
        from vault_cli.store.receipts import mark_text

        if self.block is None:
            assert self.kept is not None  # noqa: S101 - only a receipt has no block
            return self.kept.side
        return side_of(self.block, mark_text) if marked else side_of(self.block)


def _outside(inv: Invocation, *names: str) -> frozenset[str]:
    """Return what a sparse checkout keeps out of the working tree, where that is one of the sides.

    Nobody took it away: what cannot be compared is no difference.
    """
    repo = inv.vault.repo
    return frozenset(repo.outside_checkout()) if repo is not None and "" in names else frozenset()


def _render_side(
    inv: Invocation,
    wanted: Wanted,
    name: str,
    *,
    at: bool,
    alone: bool,
    marked: bool,
    outside: frozenset[str],
) -> Rendered:
    """Render what a name means: a commit, a date, a kept render, or "" for the working tree."""
    from vault_cli.cli.receipts import render_again
    from vault_cli.store.receipts import is_receipt

    if is_receipt(name):
        again = render_again(inv, name)
        return Rendered(name, again.snapshot, again.block, again)
    snapshot = None
    if at and name:
        from vault_cli.cli.clocks import set_clocks

        clocks = set_clocks(inv, "belief", "", name, whole=True, alone=alone)
        wanted, snapshot = replace(wanted, moment=clocks.moment), clocks.snapshot
    if snapshot is None:
        snapshot = inv.reading.snapshot(whole=True, at=name, alone=alone, guarded=not name)
    if outside and name:
        kept = tuple(record for record in snapshot.records if record.path not in outside)
        snapshot = replace(snapshot, records=kept)
    if outside and not name:
        inv.reading.warn(snapshot)
    query = make_query(inv, wanted)
    if not marked:  # of a past day nobody knows what the code was: no side has marks of stale code
        query = replace(query, find_stale=None)
    block = render_query(snapshot, query, make_options(inv, wanted))
    return Rendered(name or WORK_TREE, snapshot, block)


def _view(compared: Comparison) -> View:
    found, old, new = compared.diff, compared.old, compared.new
    data = {"old": old.name, "new": new.name, **found.as_data()}
    data["changed"] = bool(found.lines or found.entries)
    notes = [] if data["changed"] else ["no difference"]
    notes += [
        f"{side.name}: the text it had cannot be rendered again (what was not committed then,"
        " or another setting): compared by entries"
        for side in (old, new)
        if side.block is None
    ]
    return View(data, lambda: diff_lines(found), notes=notes)


class Comparison:
    """Two renders compared, with the reason and the commit of every change.

    Args:
        inv: the running command.
        old, new: the renders.
    """

    def __init__(self, inv: Invocation, old: Rendered, new: Rendered) -> None:
        self.inv = inv
        self.old = old
        self.new = new

    @cached_property
    def diff(self) -> BlockDiff:
        """What differs."""
        from vault_cli.recall.explain import diff_sides

        marked = self.old.block is None or self.new.block is None
        sides = [side.side(marked=marked) for side in (self.old, self.new)]
        found = diff_sides(sides[0], sides[1], (self.old.name, self.new.name))
        return found.explained(self._explain) if found.entries else found

    def _explain(self, change: EntryChange) -> EntryChange:
        """Return a change with its reason, the commit behind it, and the title of today."""
        from vault_cli.recall.fate import say_why

        key = change.id
        title = change.title or next(
            (side.records[key].title for side in (self.new, self.old) if key in side.records), ""
        )
        if self.old.snapshot is None or self.new.snapshot is None:
            return replace(change, title=title)
        before, after = (side.fates.get(key, GONE) for side in (self.old, self.new))
        code, reason = say_why(change, before, after)
        return replace(change, title=title, code=code, reason=reason, commit=self._commit(key))

    def _commit(self, key: str) -> dict[str, Any] | None:
        """Return the newest commit between the two that changed a record; None for none."""
        from vault_cli.cli.provenance import attribution_data

        old, new = (side.records.get(key) for side in (self.old, self.new))
        if old is not None and new is not None and (old.path, old.digest) == (new.path, new.digest):
            return None
        paths = {record.path for record in (old, new) if record is not None}
        home = {"", self.inv.vault_name}
        if not {record.vault for record in (old, new) if record is not None} <= home:
            return None
        if self.new.snapshot is not None and not self.new.snapshot.commit and paths & self._pending:
            return {"commit": "", "subject": "not committed"}
        found = [
            commit
            for commit in self._commits
            if ("Vault-Id", key) in commit.trailers or not paths.isdisjoint(commit.paths)
        ]
        found.sort(key=lambda commit: len(commit.parents) > 1)  # a merge brings what others did
        return attribution_data(found[0]) if found else None

    @cached_property
    def _pending(self) -> frozenset[str]:
        return frozenset(item.path for item in repository(self.inv).pending())

    @cached_property
    def _commits(self) -> Sequence[CommitInfo]:
        repo = repository(self.inv)
        old, new = (
            (side.snapshot.commit if side.snapshot is not None else "") or repo.head()
            for side in (self.old, self.new)
        )
        return repo.commits_between(old, new) if old and new and old != new else ()


def diff_lines(found: BlockDiff) -> Iterator[Line]:
    """Yield the entries with their reasons, then the lines of the texts."""
    from vault_cli.cli.history import SHORT

    for entry in found.entries:
        levels = f" ({entry.old} -> {entry.new})" if entry.change == "level-changed" else ""
        why = f" ({inline(entry.reason)})" if entry.reason else ""
        yield [("bold", f"{entry.change} {entry.id}{levels}"), f": {inline(entry.title)}{why}"]
        if entry.commit is not None:
            who = " ".join(filter(None, (entry.commit.get("actor"), entry.commit.get("agent"))))
            name, subject = entry.commit["commit"][:SHORT], told(entry.commit["subject"])
            yield [("dim", "  " + f"{name} {subject}".strip() + (f" ({told(who)})" * bool(who)))]
    if found.entries and found.lines:
        yield ""
    for text in found.lines:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(text[:1], "")
        yield [(style, text)]
