"""A bisection under way: kept in `.state/`, carried on, answered. + everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from math import ceil, log2
from typing import TYPE_CHECKING, Any, Final

from vault_cli.cli.history import SHORT, repository
from vault_cli.cli.output import Line, View, told
from vault_cli.errors import NotFoundError, StoreError, UsageError, VaultError
from vault_cli.features.bisect import (
    BAD,
    GOOD,
    SKIP,
    Commit,
    Judged,
    Search,
    Step,
    find_step,
    is_left,
)
from vault_cli.store.sealed import read_sealed, write_sealed

if TYPE_CHECKING:
    from vault_cli.cli.diff import Rendered
    from vault_cli.cli.invocation import Invocation
    from vault_cli.recall.block import Block, RenderOptions
    from vault_cli.recall.select import Query
    from vault_cli.store.repo import CommitInfo

PLACE: Final = ".state/bisect.json"
_SCHEMA: Final = 1


class Bisection:
    """A search for the commit that made the block bad.

    Args:
        inv: the running command.
        search: what was judged so far.
    """

    def __init__(self, inv: Invocation, search: Search) -> None:
        from vault_cli.recall.repeat import read_settings

        self.inv = inv
        self.search = search
        self.repo = repository(inv)
        self._asked = read_settings(search.settings)
        self._digests: dict[str, str] = {}
        self._last: tuple[str, Rendered] | None = None

    # Kept

    @classmethod
    def begin(cls, inv: Invocation, query: Query, options: RenderOptions) -> Bisection:
        """Return a new one without a verdict.

        Raises:
            UsageError: the query holds a secret, which must not be kept; or no git repository.
        """
        from vault_cli.recall.repeat import settings_data
        from vault_cli.text.scan import mask_secrets

        if mask_secrets(query.text) != query.text:
            raise UsageError(
                "the query holds a secret, and a bisection is kept on disk",
                hint="Ask without it.",
            )
        return cls(inv, Search(settings_data(query, options)))

    @classmethod
    def load(cls, inv: Invocation) -> Bisection:
        """Return the one that is under way.

        Raises:
            NotFoundError: there is none.
        """
        search = _read(inv)
        if search is None:
            raise NotFoundError(
                "no bisection is under way", hint="mvault bisect start [BAD [GOOD...]] begins one."
            )
        return cls(inv, search)

    @staticmethod
    def is_under_way(inv: Invocation) -> bool:
        """Tell whether there is one."""
        return _read(inv) is not None

    @staticmethod
    def end(inv: Invocation) -> None:
        """Forget it; a link or a folder in its place is nothing of ours, and stays."""
        from vault_cli.store.files import remove_file

        with suppress(NotFoundError):
            remove_file(inv.root, PLACE)

    def _save(self) -> None:
        from vault_cli.store.opening import Folders

        if self.inv.options.dry_run:
            return
        data = {"schema": _SCHEMA, **self.search._asdict()}
        try:
            with Folders(self.inv.root) as folders:
                kept = write_sealed(folders, PLACE, data)
        except OSError as error:
            raise StoreError(f"{PLACE} cannot be written: {error.strerror}") from error
        if not kept:
            raise StoreError(
                f"{PLACE} cannot be written: there is no folder for this machine's secret",
                hint="Set MVAULT_STATE_DIR to a folder that you may write.",
            )

    # Verdicts

    def mark(self, verdict: str, names: Sequence[str]) -> None:
        """Take a verdict on commits as typed; on none: on the one that is asked about, else HEAD.

        Raises:
            NotFoundError: git does not know one.
            UsageError: it is not among those that are left, or it contradicts an older verdict.
        """
        from vault_cli.cli.clocks import resolve_known

        commits = [resolve_known(self.inv, name) for name in names]
        if not commits and not self.search.current and verdict == SKIP:
            raise UsageError("no block is asked about", hint="`mvault bisect` shows the state.")
        for commit in commits or [self.search.current or self.repo.head()]:
            if not commit:
                raise NotFoundError("there is no commit yet")
            self._require_place(verdict, commit)
            judged = Judged(verdict, commit, self._digest_or_none(commit, verdict))
            self._require_agreement(judged)
            self.search = self.search.judge(judged)
            self.__dict__.pop("graph", None)

    def _digest_or_none(self, commit: str, verdict: str) -> str:
        """Return the digest of a block; of one that cannot even be read "" when it is skipped."""
        try:
            return self.digest(commit)
        except StoreError:
            if verdict != SKIP:
                raise
            return ""

    def _require_place(self, verdict: str, commit: str) -> None:
        search = self.search
        if search.bad and search.goods:
            if is_left(self.graph, search, commit):
                return
            raise UsageError(
                f"{commit[:SHORT]} is not among the commits that are left: those that"
                f" {search.bad[:SHORT]} (bad) has and the good ones have not",
                hint="`mvault bisect log` lists the verdicts; `mvault bisect reset` ends it.",
            )
        bad = commit if verdict == BAD else search.bad
        goods = (commit,) if verdict == GOOD else search.goods
        for good in goods if bad else ():
            base = self.repo.merge_base(good, bad)
            if base != good or good == bad:
                hint = f"A commit that both have: {base[:SHORT]}" if base and base != bad else ""
                raise UsageError(
                    f"{good[:SHORT]} (good) is not older than {bad[:SHORT]} (bad)",
                    hint=hint or "Name a bad commit and one before it that was good.",
                )

    def _require_agreement(self, judged: Judged) -> None:
        """Refuse a verdict that contradicts another one on the same block."""
        if judged.verdict == SKIP:
            return
        known = self.search.verdict_on(judged.block)
        if known not in {"", SKIP, judged.verdict}:
            others = (j for j in self.search.judged if j.block == judged.block)
            other = next(others).commit[:SHORT]
            raise UsageError(
                f"{judged.commit[:SHORT]} cannot be {judged.verdict}: it gives the same block as"
                f" {other}, which is {known}",
                hint="What differs is not in this block: try other options (--scope, --query, …)"
                " after `mvault bisect reset`; a hand edit is in no commit yet.",
            )

    def require_ends(self) -> None:
        """Raise UsageError unless a good and a bad commit are known."""
        if self._missing:
            raise UsageError(
                f"name {self._missing} first", hint="mvault bisect bad; mvault bisect good COMMIT"
            )

    @property
    def _missing(self) -> str:
        ends = {"a bad commit": self.search.bad, "a good commit": self.search.goods}
        return " and ".join(name for name, known in ends.items() if not known)

    # Blocks

    def render(self, commit: str) -> Block:
        """Return the block of a commit."""
        block = self._rendered(commit).block
        assert block is not None  # noqa: S101 - only a kept receipt has none
        return block

    def digest(self, commit: str) -> str:
        """Return a digest of the block of a commit."""
        from vault_cli.plain.naming import receipt_id

        if commit not in self._digests:
            self._digests[commit] = receipt_id(self.render(commit).text, ())
        return self._digests[commit]

    def _rendered(self, commit: str) -> Rendered:
        from vault_cli.cli.diff import Rendered
        from vault_cli.cli.rendering import render_query
        from vault_cli.model.record import Snapshot
        from vault_cli.store.guard import guard_snapshot

        if self._last is not None and self._last[0] == commit:
            return self._last[1]
        if commit and self.repo.folder_id(commit):
            snapshot = self.inv.reading.snapshot(whole=True, at=commit, alone=True)
        else:  # before the vault was there
            snapshot = Snapshot(commit=commit)
        snapshot = guard_snapshot(self.inv.vault, snapshot).snapshot
        block = render_query(snapshot, *self._asked)
        self._last = commit, Rendered(commit[:SHORT] or "nothing", snapshot, block)
        return self._last[1]

    @cached_property
    def graph(self) -> Sequence[Commit]:
        """The commits between the good and the bad, children first."""
        try:
            found = self.repo.graph(self.search.bad, self.search.goods)
        except StoreError as error:
            raise StoreError(
                "the commits of this bisection are not in the repository any more",
                hint="Was the history rewritten? `mvault bisect reset` ends it.",
            ) from error
        return [Commit(*row) for row in found]

    # Answers

    def proceed(self) -> View:
        """Go on to the next block that nobody judged, keep that, and return what to show."""
        if self._missing:
            self._save()
            missing = self._missing
            note = f"bisection begun; still to be named: {missing}"
            hint = "mvault bisect bad [COMMIT]; mvault bisect good COMMIT"
            return View(self._data("waiting"), notes=(note,), hints=(hint,))
        self.search, step = find_step(self.graph, self.search, self.digest)
        self._save()
        if step.ask:
            return self._question(step)
        return self._undecided(step) if step.rest.choices else self._found(step)

    def _data(self, state: str, **more: Any) -> dict[str, Any]:
        bad, goods = self.search.bad, list(self.search.goods)
        base = {"state": state, "bad": bad, "good": goods, "commit": None, "block": ""}
        return {**base, "left": 0, "steps": 0, "open": [], "found": None, **more}

    def _question(self, step: Step) -> View:
        left = len(step.rest.choices)
        steps = ceil(log2(left + 1))
        block = self.render(step.ask).text
        info = self._infos([step.ask])[step.ask]
        data = self._data("asking", commit=info, block=block, left=left, steps=steps)
        count = f"{left} to judge at most, about {steps} {'step' if steps == 1 else 'steps'}"
        notes = [f"is this block good? {self.describe(step.ask)}", count]
        if not block:
            notes.append("(the block is empty)")
        hint = "mvault bisect good | bad | skip; or mvault bisect run -- PROGRAM"
        return View(data, raw=block, notes=notes, hints=(hint,))

    def _undecided(self, step: Step) -> View:
        commits = [step.rest.bad, *step.rest.choices]
        infos = self._infos(commits)
        data = self._data("undecided", open=[infos[commit] for commit in commits])
        note = "only skipped commits are left: the first bad one is one of these"

        def lines() -> Iterator[Line]:
            yield from (_commit_line(infos[commit]) for commit in commits)

        return View(data, lines, notes=(note,), exit_code=1)

    def _found(self, step: Step) -> View:
        from vault_cli.cli.diff import Comparison, diff_lines

        commit = step.rest.bad
        info = self._infos([commit])[commit]
        new = self._rendered(commit)
        old = self._rendered(next(iter(self.repo.commit_info(commit).parents), ""))
        diff = Comparison(self.inv, old, new).diff
        undo = f"mvault undo {commit[:SHORT]}"
        found = {**info, "diff": diff.as_data(), "undo": undo}

        def lines() -> Iterator[Line]:
            yield [("bold", f"{commit[:SHORT]} is the first bad commit")]
            yield from _found_lines(info)
            yield ""
            yield from diff_lines(diff)

        hints = (f"To take it back: {undo}", "`mvault bisect reset` ends the search.")
        return View(self._data("found", found=found), lines, hints=hints)

    def describe(self, commit: str) -> str:
        """Return a commit in words: its id, day and subject."""
        info = self._infos([commit])[commit]
        return told(f"{commit[:SHORT]}  {info['date'][:10]}  {info['subject']}")

    def _infos(self, commits: Sequence[str]) -> dict[str, dict[str, Any]]:
        from vault_cli.cli.provenance import attribution_data

        found: dict[str, CommitInfo] = self.repo.read_commits(list(dict.fromkeys(commits)))
        return {name: attribution_data(info) for name, info in found.items()}


def _found_lines(info: dict[str, Any]) -> Iterator[Line]:
    who = " ".join(part for part in (info["actor"] or "by hand", info["agent"]) if part)
    yield told(info["subject"])
    yield [("dim", "author: "), told(info["author"])]
    yield [("dim", "date: "), f"{info['date'][:10]}  ({told(who)})"]
    yield from (f"  {told(line)}" for line in info["reason"].splitlines())


def _commit_line(info: dict[str, Any]) -> Line:
    return [("yellow", info["commit"][:SHORT]), told(f"  {info['date'][:10]}  {info['subject']}")]


def _read(inv: Invocation) -> Search | None:
    """Return the kept search; None when there is none, or another version or machine wrote it."""
    from vault_cli.recall.repeat import read_settings

    data = read_sealed(inv.root, PLACE)
    if data is None or data.pop("schema", None) != _SCHEMA or set(data) != set(Search._fields):
        return None
    judged = tuple(Judged(*row) for row in data["judged"])
    try:
        read_settings(data["settings"])
    except VaultError:
        return None
    return Search(data["settings"], judged, data["current"])


def log_view(found: Bisection) -> View:
    """Return the verdicts so far, oldest first."""
    judged = found.search.judged
    infos = found._infos([item.commit for item in judged])  # noqa: SLF001 - one module
    rows = [
        {"verdict": item.verdict, "same_block": item.same, **infos[item.commit]} for item in judged
    ]
    styles = {GOOD: "green", BAD: "red", SKIP: "yellow"}

    def lines() -> Iterator[Line]:
        for row in rows:
            same = ("dim", "  (its block was judged already)" * row["same_block"])
            yield [(styles[row["verdict"]], f"{row['verdict']:<5}"), "  ", *_commit_line(row), same]

    return View({"verdicts": rows}, lines, notes=() if rows else ("no verdict yet",))
