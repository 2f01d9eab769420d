"""A change as a value: what to write, expected digests, and what the commit says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vault_cli.errors import Diagnostic
from vault_cli.model.lifecycle import Actor

ABSENT = ""
"""Expected digest of a path that must not exist yet."""

ALLOW_TRAILER: Final = "Vault-Allow"
"""Trailer that names a code a person lets pass; only with it a secret may be written."""


@dataclass(frozen=True, slots=True)
class Put:
    """Write `data` at `path`.

    Args:
        path: vault-relative POSIX path.
        data: the whole new file.
        expects: SHA-256 hex of the bytes the edit was planned on, or ABSENT for a new file.
    """

    path: str
    data: bytes
    expects: str = ABSENT


@dataclass(frozen=True, slots=True)
class Move:
    """Move `path` to `target`, with `data` as the new bytes (equal to the old ones if unchanged).

    Args:
        path: vault-relative source; must hold bytes with digest `expects`.
        target: vault-relative destination; must not exist.
    """

    path: str
    target: str
    data: bytes
    expects: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove `path`, whose bytes must have the digest `expects`."""

    path: str
    expects: str


Edit = Put | Move | Remove


@dataclass(frozen=True, slots=True)
class Change:
    """One planned change = one commit.

    Args:
        verb: what is done: `add`, `approve`, `reject`, `edit`, `graduate` ...
        subject: the commit subject after the verb, for example `(lesson): Check …`; the gate
            writes `f"{verb}{subject}"`, made one line and cut to 72 columns.
        edits: at least one; paths are distinct.
        reason: body of the commit message, may be empty.
        ids: record ids, one `Vault-Id` trailer each.
        actor: who asked.
        origin: how it came in (cli editor hook mcp import reflection sync).
        extra: further trailers as (name, value), for example how an approval was given.
        touched: ids of further records that the change alters in passing (a predecessor): they
            get their `Vault-Id` trailers behind `ids`, so that their history names the change.
        discarded: paths whose uncommitted bytes are given up on purpose: they are not recorded
            as a hand edit before the change.
    """

    verb: str
    subject: str
    edits: tuple[Edit, ...]
    reason: str = ""
    ids: tuple[str, ...] = ()
    actor: Actor = Actor.PERSON
    origin: str = "cli"
    extra: tuple[tuple[str, str], ...] = ()
    touched: tuple[str, ...] = ()
    discarded: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do (no change = no commit)."""
        return not self.edits


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the gate did.

    Args:
        commit: full hex id of the commit of the change, "" when there was nothing to do.
        paths: vault-relative paths that were touched.
        edit_commits: commits that recorded pending hand edits of touched files first.
        diagnostics: findings about the new texts (never `error`: those are refused).
    """

    commit: str = ""
    paths: tuple[str, ...] = ()
    edit_commits: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
