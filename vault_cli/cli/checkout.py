"""Where the code is that records speak about: which checkout answers for which record.

May import everything below `cli`.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.model.anchors import STALE, UNVERIFIABLE, Anchor, Verdict, read_anchors
from vault_cli.store.places import PROJECT_FOLDER, expand_home

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Record
    from vault_cli.store.anchor_cache import AnchorCache
    from vault_cli.store.project_history import ProjectHistory
    from vault_cli.store.project_tree import ProjectTree

NO_PROJECT = "no checkout of its project is at hand"
OTHER_PROJECT = "it is of another project"
NOT_KNOWN = "this repository never had that content: it may be of another project"

Judged = list[tuple[Anchor, Verdict]]


class AnchorReader:
    """Says of each record what became of its code; the port `features.anchors.Judge`.

    The checkout is `$MVAULT_PROJECT_ROOT`, else the one that holds the project vault (`.mvault/`),
    else the one around the working directory. It answers for the records of a project vault and
    for those whose scope is that project. Of other records in a vault of a person's own it is not
    known whose code they mean: a file that differs is stale only when this repository once had
    the anchored content, and else nobody's business here.

    Args:
        inv: the running command.
        project_of: gives the id of the project at hand.
    """

    def __init__(self, inv: Invocation, project_of: Callable[[Invocation], str]) -> None:
        self._inv = inv
        self._project_of = project_of
        self._found: dict[tuple[str, str], Judged] = {}

    def __call__(self, record: Record) -> Judged:
        """Return the anchors of a record and what became of each; looked at once a run."""
        key = record.vault, record.path
        if key not in self._found:
            self._found[key] = self._judge(record, read_anchors(record))
        return self._found[key]

    def find_stale(self, records: Sequence[Record]) -> list[Record]:
        """Return the records of whom an anchor is stale, and keep what was found for later runs."""
        self.look(records)
        self.save()
        return [one for one in records if any(verdict.state == STALE for _, verdict in self(one))]

    def look(self, records: Sequence[Record]) -> None:
        """Look at the code of many records: folder by folder, and with one question to git."""
        anchors = {(record.vault, record.path): read_anchors(record) for record in records}
        mine = [one for one in records if anchors[one.vault, one.path] and not self.why_not(one)]
        if mine and self.tree is not None:
            self.tree.look_all(a.path for one in mine for a in anchors[one.vault, one.path])
            self._ask_of_strangers([one for one in mine if not self.is_ours(one)], anchors)
        for one in records:
            key = one.vault, one.path
            self._found[key] = self._judge(one, anchors[key])

    def _ask_of_strangers(
        self, records: Sequence[Record], anchors: Mapping[tuple[str, str], Sequence[Anchor]]
    ) -> None:
        """Ask git at once which old contents it knows of records that may be another project's."""
        assert self.tree is not None  # noqa: S101 - the caller asked
        unsure = [a for one in records for a in anchors[one.vault, one.path]]
        pairs = zip(unsure, self.tree.compare(unsure), strict=True)
        blobs = {anchor.blob for anchor, verdict in pairs if verdict.state == STALE}
        if blobs:
            self.history.has_blobs(blobs)

    def _judge(self, record: Record, anchors: Sequence[Anchor]) -> Judged:
        if not anchors:
            return []
        reason = self.why_not(record)
        if reason or self.tree is None:
            return [(a, Verdict(UNVERIFIABLE, a.problem or reason)) for a in anchors]
        verdicts = self.tree.compare(anchors)
        if not self.is_ours(record):
            verdicts = self._doubt(anchors, verdicts)
        return list(zip(anchors, verdicts, strict=True))

    def _doubt(self, anchors: Sequence[Anchor], verdicts: Sequence[Verdict]) -> list[Verdict]:
        stale = {a.blob for a, v in zip(anchors, verdicts, strict=True) if v.state == STALE}
        known = self.history.has_blobs(stale) if stale else set()
        unknown = Verdict(UNVERIFIABLE, NOT_KNOWN)
        return [
            unknown if v.state == STALE and a.blob not in known else v
            for a, v in zip(anchors, verdicts, strict=True)
        ]

    def why_not(self, record: Record) -> str:
        """Return why this run cannot look at the code of a record, "" when it can."""
        if self.tree is None:
            return NO_PROJECT
        scope = record.scope
        if scope.level != "project":
            return ""
        if self.project:
            return "" if scope.name == self.project else OTHER_PROJECT
        return "" if self._named or self._is_in_project_vault(record) else OTHER_PROJECT

    def is_ours(self, record: Record) -> bool:
        """Tell whether a record that may be looked at is surely about this project."""
        return record.scope.level == "project" or self._is_in_project_vault(record) or self._named

    def _is_in_project_vault(self, record: Record) -> bool:
        if record.vault:
            return record.vault == "project"
        return self._inv.root.name == PROJECT_FOLDER

    @property
    def _named(self) -> bool:
        return bool(self._inv.environ.get("MVAULT_PROJECT_ROOT", "").strip())

    @cached_property
    def project(self) -> str:
        """The id of the project at hand, "" when it has none."""
        from vault_cli.cli.project import project_id

        if self._named and self.top is not None and not self._inv.environ.get("MVAULT_PROJECT"):
            return project_id(self.top, self._inv.root)
        return self._project_of(self._inv)

    @cached_property
    def top(self) -> Path | None:
        """The root of the project at hand, from which paths of anchors start."""
        from vault_cli.cli.project import find_checkout

        inv = self._inv
        if self._named:
            return inv.cwd / expand_home(inv.environ["MVAULT_PROJECT_ROOT"].strip())
        for vault in (inv.root, inv.layers.home):
            if vault.name == PROJECT_FOLDER:
                return vault.parent
        checkout = find_checkout(inv.cwd, inv.root)
        return checkout.top if checkout is not None else None

    @cached_property
    def tree(self) -> ProjectTree | None:
        """The files of the project at hand."""
        from vault_cli.store.project_tree import ProjectTree

        return ProjectTree(self.top, self._cache) if self.top is not None else None

    @cached_property
    def history(self) -> ProjectHistory:
        """What git knows of the project at hand; only where there is one."""
        from vault_cli.store.project_history import ProjectHistory

        assert self.tree is not None  # noqa: S101 - callers looked at a file of it
        return ProjectHistory(self.tree, self._cache)

    @cached_property
    def _cache(self) -> AnchorCache:
        from vault_cli.store.anchor_cache import AnchorCache

        return AnchorCache(self._inv.layers.home)

    def save(self) -> None:
        """Keep what was worked out for the next run."""
        if self._found:
            self._cache.save()


def project_path(top: Path, cwd: Path, text: str) -> str:
    """Return the path of a file as an anchor names it: from the project's root, with slashes.

    Links on the way are resolved, so that the real file is named.

    Args:
        top: the project's root.
        cwd: working directory.
        text: as typed, from here or from the project's root; absolute ones too.

    Raises:
        NotFoundError: there is no such file. UsageError: it is not a file of the project, or its
            name cannot be written down.
    """
    from unicodedata import normalize

    from vault_cli.errors import NotFoundError, UsageError
    from vault_cli.model.anchors import path_problem
    from vault_cli.store.project_tree import spellings

    real = os.path.realpath(top)
    forms = spellings(text)
    places = [os.path.join(base, form) for base in (cwd, real) for form in forms]  # noqa: PTH118
    found = next((place for place in places if _is_file(place)), None)
    if found is None:
        folder = any(map(os.path.isdir, places))
        raise NotFoundError(
            f"{text} is a folder" if folder else f"no such file: {text}",
            hint="Name files: paths start here or at the project's root.",
        )
    full = os.path.realpath(found)
    inside = full.startswith(real.rstrip(os.sep) + os.sep)
    path = os.path.relpath(full, real).replace(os.sep, "/") if inside else ""
    problem = path_problem(path) if inside else f"it is not a file of the project {real}"
    if not problem and not _is_text(path):
        problem = "its name is not UTF-8"
    if problem:
        raise UsageError(
            f"{text}: {problem}", hint="An anchor names a file of the project by its path in it."
        )
    return normalize("NFC", path)


def _is_file(place: str) -> bool:
    try:
        return os.path.isfile(place)  # noqa: PTH113
    except ValueError:  # a NUL
        return False


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
