"""Record and its parts. Imports: standard library, `errors` and `model.tables`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from vault_cli.errors import Diagnostic
from vault_cli.model.tables import SCOPE_LEVELS
from vault_cli.model.validity import Validity

ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
"""What an id may look like; ids are text, found and kept as typed."""

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
"""Lower-case Crockford base32 alphabet of generated ids (7 random characters)."""


class Kind(StrEnum):
    """What a record is."""

    LESSON = "lesson"
    FAILURE = "failure"
    RULE = "rule"
    FACT = "fact"
    PREFERENCE = "preference"
    INSIGHT = "insight"
    HYPOTHESIS = "hypothesis"
    RESOURCE = "resource"
    DECISION = "decision"
    NOTE = "note"
    RECIPE = "recipe"
    SKILL = "skill"
    TOPIC = "topic"
    TASK = "task"
    TICKET = "ticket"
    REFLECTION = "reflection"
    PERSONA = "persona"
    HANDOFF = "handoff"

    @property
    def letter(self) -> str:
        """Mnemonic first letter of a generated id (failure x, skill k, ticket w, handoff b …)."""
        return _LETTERS.get(self, self.value[0])

    @property
    def folder(self) -> str:
        """Top-level folder where records of this kind live once admitted."""
        return _FOLDERS.get(self, "memories")


_LETTERS = {
    Kind.FAILURE: "x",
    Kind.RESOURCE: "s",
    Kind.SKILL: "k",
    Kind.RECIPE: "c",
    Kind.TOPIC: "o",
    Kind.TICKET: "w",
    Kind.REFLECTION: "e",
    Kind.PERSONA: "a",
    Kind.HANDOFF: "b",
}
_FOLDERS = {
    Kind.RULE: "playbook",
    Kind.RECIPE: "recipes",
    Kind.SKILL: "skills",
    Kind.TOPIC: "topics",
    Kind.TASK: "tasks",
    Kind.TICKET: "tickets",
    Kind.REFLECTION: "reflections",
    Kind.PERSONA: "persona",
    Kind.HANDOFF: "handoff",
}
WORK_COMMANDS = {Kind.TASK: "task", Kind.TICKET: "ticket", Kind.REFLECTION: "reflect"}
"""The command that changes records of a kind that nobody admits."""

WORK_KINDS = frozenset(WORK_COMMANDS)
"""Kinds that say how work goes: nobody admits them, none is rendered, none waits for a review.

They have a state of their own in place of an admission, and are changed by their own commands.
"""


class Status(StrEnum):
    """Stored status of a record."""

    CANDIDATE = "candidate"
    ACTIVE = "active"
    VERIFIED = "verified"
    DISPUTED = "disputed"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"
    TOMBSTONED = "tombstoned"


IN_FORCE = frozenset({Status.ACTIVE, Status.VERIFIED})
"""Statuses that are rendered and enforced."""

_ABOUT_COPIES = frozenset({"duplicate-id", "name-collision"})
"""Findings about several files that hold each other: none of them is known to be the wrong one."""

ENDED = frozenset({Status.SUPERSEDED, Status.DEPRECATED, Status.REJECTED, Status.TOMBSTONED})
"""Statuses of records that are kept for history only."""

_RESTRICTION = {
    Status.VERIFIED: 0,
    Status.ACTIVE: 1,
    Status.CANDIDATE: 2,
    Status.DISPUTED: 3,  # more than a draft: approving it alone must not pass over the objection
    Status.DEPRECATED: 4,
    Status.SUPERSEDED: 5,
    Status.REJECTED: 6,
    Status.QUARANTINED: 7,
    Status.TOMBSTONED: 8,
}
_FOLDER_STATUS = {
    "drafts": Status.CANDIDATE,
    "quarantine": Status.QUARANTINED,
    "tombstones": Status.TOMBSTONED,
}


def restrict_status(written: Status, path: str) -> Status:
    """Return the effective status: the more restrictive of what is written and the folder says.

    Args:
        written: status in the front matter.
        path: vault-relative POSIX path.
    """
    by_folder = _FOLDER_STATUS.get(path.partition("/")[0])
    if by_folder is None or _RESTRICTION[written] >= _RESTRICTION[by_folder]:
        return written
    return by_folder


def more_restrictive(one: Status, other: Status) -> Status:
    """Return the one of two statuses that lets less be rendered."""
    return one if _RESTRICTION[one] >= _RESTRICTION[other] else other


class Scope(NamedTuple):
    """Who sees a record: `global`, `project:<id>` or `session:<id>`."""

    level: str = "global"
    name: str = ""

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read `global`, `project:<id>` or `session:<id>`; raise ValueError otherwise."""
        level, _, name = text.strip().partition(":")
        if level == "global" and not name:
            return cls()
        if level in SCOPE_LEVELS[1:] and name.strip():
            return cls(level, name.strip())
        raise ValueError(text)

    def __str__(self) -> str:
        return f"{self.level}:{self.name}" if self.name else self.level


class Tally(NamedTuple):
    """Sums of observations (folded from `usage/`); never written into the record.

    Args:
        exposures: how many renders showed it, up to the last use of any record.
        citations: how often an agent that was shown it named it.
        helpful, harmful: judgements that count (see `model.observation.fold`).
        hits: matches of its guard, and uses a person noted.
        succeeded, failed: outcomes of tasks it was used in.
        last_used: the last day of any of these but exposures (`2026-11-30`, UTC), "" for never.
    """

    exposures: int = 0
    citations: int = 0
    helpful: int = 0
    harmful: int = 0
    hits: int = 0
    succeeded: int = 0
    failed: int = 0
    last_used: str = ""


GLOBAL = Scope()
ALWAYS = Validity()
NO_TALLY = Tally()


@dataclass(frozen=True, slots=True)
class Record:
    """One Markdown file, typed. Built by `text.fields.read_record`; never written back whole.

    Args:
        id: identity; the front matter's `id`, or the file stem for a file not yet adopted.
        adopted: whether the front matter holds an id.
        path: vault-relative POSIX path.
        digest: SHA-256 hex of the file's bytes, the precondition of every edit.
        written_status: status in the file; use `status` for the effective one.
        title: key `title`, else first level-1 heading, else file stem. Never empty.
        body: text after the front matter, LF line ends, no BOM.
        fields: the whole front matter as read (text, lists, maps; unknown keys included).
        findings: warnings and notes about this file (errors keep a record out altogether).
        vault: `project` or `user` in a snapshot of both vaults, `team:NAME` of a team vault, else
            "" (see `recall.together`).
        withheld: why the person's own trust settings keep it out of what is shown to an agent, else
            "". Set by the program after reading (see `store.guard`), never by a file.
        waits: of an admitted text that is shown in the place of another: what waits for a person,
            else "". Set like `withheld`.
        foreign: it is not in force, and nothing says that it was made or looked at here: it has no
            say about what is. Set like `withheld`.
        lapsed: why it counts as active although it says `verified` (`model.evidence`), else "".
    """

    id: str
    kind: Kind
    path: str
    digest: str
    written_status: Status
    title: str
    body: str
    adopted: bool = True
    scope: Scope = GLOBAL
    topics: tuple[str, ...] = ()
    applies_when: str = ""
    keywords: tuple[str, ...] = ()
    summary: str = ""
    importance: int | None = None
    confidence: str = ""
    source: str = ""
    origin: str = ""
    created: str = ""
    validity: Validity = ALWAYS
    supersedes: tuple[str, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    derived_from: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    required: bool = False
    checklist: bool = False
    correction: bool = False
    boundary: str = ""
    branch: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    hits: int = 0
    fields: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    findings: tuple[Diagnostic, ...] = ()
    vault: str = ""
    withheld: str = ""
    waits: str = ""
    foreign: bool = False
    lapsed: str = ""

    @property
    def status(self) -> Status:
        """Effective status: the more restrictive of `written_status` and the folder."""
        return restrict_status(self.written_status, self.path)

    @property
    def is_draft(self) -> bool:
        """Whether it is a candidate that waits for a person; work goes on without one."""
        if self.status is not Status.CANDIDATE:
            return False
        return self.kind not in WORK_KINDS or self.path.startswith("drafts/")

    @property
    def in_force(self) -> bool:
        """Whether a person admitted it (validity and holds are checked by selection)."""
        return self.status in IN_FORCE

    @property
    def held_by(self) -> tuple[Diagnostic, ...]:
        """Findings that keep the record from the render and that no person has allowed."""
        return tuple(f for f in self.findings if f.holds and f.code not in self.allow)

    @property
    def has_effect(self) -> bool:
        """Whether it has a say in a block: it is in force, or a topic that takes a heading away."""
        status = self.status
        return status in IN_FORCE or (self.kind is Kind.TOPIC and status is Status.DEPRECATED)

    @property
    def is_silent(self) -> bool:
        """Whether nothing it says counts for another record: it is withheld, or its text is held.

        Copies of one id are not: they hold each other, and nobody knows which is the right one.
        """
        if self.withheld:  # first: of what waits nobody needs to know what a scan would say
            return True
        return bool(self.findings) and any(f.code not in _ABOUT_COPIES for f in self.held_by)

    @property
    def is_unseen(self) -> bool:
        """Whether it is of others, and nobody let it count here."""
        return self.foreign or bool(self.withheld)

    @property
    def has_say(self) -> bool:
        """Whether it counts for another record: as support, and in what is usual for a search."""
        return not (self.foreign or self.is_silent)

    @property
    def team(self) -> str:
        """The name of the team vault that it is read from, "" for a vault of one's own."""
        return self.vault.removeprefix(TEAM) if self.vault.startswith(TEAM) else ""

    @property
    def size(self) -> int:
        """Characters of the body."""
        return len(self.body)

    @property
    def weight(self) -> int:
        """Importance 1-10: the author's, else the default of the kind."""
        default = _DEFAULT_IMPORTANCE.get(self.kind, 5)
        return default if self.importance is None else self.importance


TEAM: Final = "team:"
"""Begins `Record.vault` of what is read from a team vault; no vault of one's own is called so."""

_DEFAULT_IMPORTANCE = {Kind.PREFERENCE: 8, Kind.LESSON: 7, Kind.RECIPE: 6}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All records at one moment, and everything that was wrong with the rest.

    Args:
        records: readable records sorted by path. Several may share an id (a finding on each
            of them says so, with `holds`); `by_id` then has none of them.
        diagnostics: every finding, of readable and unreadable files, sorted by path and line.
        unreadable: paths of files that hold an `error` diagnostic (not in `records`).
        skipped: how many files were passed over by the ignore list, by folder name.
        tallies: folded observations by record id.
        settled: those of them that a watermark has taken in, which a render shows; None: the same.
        passed_over: path and digest of the texts of which only the front matter was read.
        commit: hex id of the commit this snapshot shows, or "" for the working tree.
    """

    records: tuple[Record, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    unreadable: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    tallies: Mapping[str, Tally] = field(default_factory=lambda: MappingProxyType({}))
    commit: str = ""
    settled: Mapping[str, Tally] | None = None
    passed_over: frozenset[tuple[str, str]] = frozenset()

    @property
    def by_id(self) -> dict[str, Record]:
        """Map of unambiguous ids to their records."""
        counts = Counter(record.id for record in self.records)
        return {record.id: record for record in self.records if counts[record.id] == 1}

    def heard(self) -> Snapshot:
        """Return the snapshot without the records whose words must not count for others."""
        return replace(self, records=tuple(r for r in self.records if not r.is_silent))

    def speaking(self) -> Snapshot:
        """Return the snapshot with the records that have a say only."""
        return replace(self, records=tuple(r for r in self.records if r.has_say))

    def standing(self) -> Snapshot:
        """Return the snapshot without the texts in whose place an admitted one is shown."""
        known = {(r.vault, r.id) for r in self.records if r.waits}
        if not known:
            return self
        kept = (r for r in self.records if not (r.withheld and (r.vault, r.id) in known))
        return replace(self, records=tuple(kept))

    def at_watermark(self) -> Snapshot:
        """Return the snapshot with the observations that a render goes by."""
        return self if self.settled is None else replace(self, tallies=self.settled, settled=None)

    def tally(self, record_id: str) -> Tally:
        """Return the folded observations of one record (zeros when there are none)."""
        return self.tallies.get(record_id, NO_TALLY)
