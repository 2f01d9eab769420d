"""A memory of another program, before it is a record. Imports: standard library, `model.record`.

An importer in `hosts/importers/` fills these; a planner makes drafts of them. What the source says
about status, counters and dates of its own is kept as its claim and believed by nobody.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from vault_cli.errors import Diagnostic
from vault_cli.model.record import Kind

CLAIMED: Final = "claimed"
"""Key of a record for what its source said of it: status, counters, dates, fields of its own."""

CONTENT: Final = "content_sha256"
"""Key below `CLAIMED`: SHA-256 of the content as it was imported, which tells an edit made here."""

UNASSIGNED: Final = "unassigned/"
"""Beginning of a project id that no checkout has: what belongs to a project nobody named yet."""

ECHO: Final = re.compile(r"mvault ([a-z0-9][a-z0-9_-]{0,79}) ([0-9a-f]{16})")
"""Mark in a record that was exported to another program: id, and `echo_digest` of the text."""


def echo_digest(title: str, body: str) -> str:
    """Return 16 digits of the SHA-256 of a title and a text, blanks at the ends of lines apart.

    An export carries it, so that what another program only kept is told from what it changed.
    """
    lines = [title.strip(), *(line.rstrip() for line in body.strip().split("\n"))]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Item:
    """One memory of a foreign store.

    Args:
        alias: its identity over there, `<format>:<id>`; imports are idempotent by it.
        kind: what it is here.
        title: one line, "" takes the first heading or line.
        body: Markdown without front matter.
        sections: further parts by canonical name (`problem`, `avoid` ...).
        by: the format it was read from.
        file: the source file, relative to the home folder (`~/…`) or to what was imported.
        sha256: of the bytes of that file.
        line: where in the file it begins, 0 for the whole file.
        workspace: folder of the project it is about, as a file of the source says; "" for none.
        project: what to call the project while nobody knows its folder; "" for no project at all.
        session: id of the session it is bound to, when it is no longer than that.
        record_id: id it had in a vault, which it keeps where that is free.
        names: other names it goes by over there, for links to it.
        evidence: what the source names as evidence, in our types.
        supersedes, conflicts, derived_from: aliases of items it names.
        claims: what the source says of it that is believed by nobody here (status, counters ...).
        left: names of fields that have no place here.
        echo: it is an export of ours, and its text is as it was written then.
    """

    alias: str
    kind: Kind
    title: str
    body: str = ""
    sections: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    by: str = ""
    file: str = ""
    sha256: str = ""
    line: int = 0
    workspace: str = ""
    project: str = ""
    session: str = ""
    scope: str = ""
    record_id: str = ""
    names: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    summary: str = ""
    applies_when: str = ""
    boundary: str = ""
    importance: int | None = None
    confidence: str = ""
    source: str = "import"
    valid_from: str = ""
    valid_to: str = ""
    required: bool = False
    checklist: bool = False
    correction: bool = False
    evidence: tuple[Mapping[str, Any], ...] = ()
    supersedes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    claims: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    left: tuple[str, ...] = ()
    echo: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """One file that was looked at.

    Args:
        file: as `Item.file`.
        sha256: of its bytes, "" when they could not be read.
        items: how many memories it gave.
        state: `read`, `skipped` (no memory by its kind) or `failed`.
        why: in a few words, for what was not read.
    """

    file: str
    sha256: str = ""
    items: int = 0
    state: str = "read"
    why: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """What an importer found in a folder or a file.

    Args:
        format: name of the format.
        items: the memories, in the order of the source.
        sources: every file that was looked at, by name.
        notes: findings; their paths are those of `sources`.
        places: folders that a project without a known folder could be, by `Item.project`.
    """

    format: str
    items: tuple[Item, ...] = ()
    sources: tuple[Source, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    places: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
