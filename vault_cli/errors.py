"""Errors of a request and diagnostics of a file. Imports nothing of ours.

Two channels, kept apart: a problem *in a file* is a value (`Diagnostic`) that travels with the
snapshot and never stops the reading of other files; a problem *of a request* is a `VaultError`
that carries its exit code and a hint, and ends the command.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

Severity = Literal["error", "warning", "note"]


class Diagnostic(NamedTuple):
    """One finding about one file; findings sort by path and line.

    Args:
        path: vault-relative POSIX path, as it is on disk (show it escaped).
        line: 1-based line counted from the top of the *file*; 0 when the finding has no line.
        code: stable kebab-case code, documented in the README (for example `yaml-syntax`).
        severity: `error` keeps the record out of the snapshot, `warning` may hold it from the
            render (see `holds`), `note` never changes anything.
        message: what is wrong, in plain words, with the offending text where that helps.
        hint: what to do next; never a destructive command.
        holds: the record is loaded for reading but is not rendered until a person allows the code.
    """

    path: str
    line: int
    code: str
    severity: Severity
    message: str
    hint: str = ""
    holds: bool = False

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape of a diagnostic."""
        return {
            "path": self.path,
            "line": self.line,
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            "holds": self.holds,
        }


class VaultError(Exception):
    """Base of every expected error: a message, a hint and an exit code (table in the README).

    Args:
        message: what happened and where.
        hint: what the person can do next.
        diagnostics: findings that explain the error, shown below it and in `--json`.
        missing: an id that is not in the vault; another vault may hold it.
    """

    exit_code: ClassVar[int] = 2
    kind: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        diagnostics: tuple[Diagnostic, ...] = (),
        missing: str = "",
    ) -> None:
        super().__init__(message)
        self.missing = missing
        self.message = message
        self.hint = hint
        self.diagnostics = diagnostics


class UsageError(VaultError):
    """Bad usage or configuration (exit 2)."""

    exit_code = 2
    kind = "usage"


class NeedsPersonError(VaultError):
    """A preview was shown and a person has to confirm (exit 3)."""

    exit_code = 3
    kind = "needs-person"


class RefusedError(VaultError):
    """Refused by admission, lifecycle, a locked line or a dependency (exit 4)."""

    exit_code = 4
    kind = "refused"


class ChangedMeanwhileError(VaultError):
    """A digest or the git state differs from what the change was planned on (exit 5)."""

    exit_code = 5
    kind = "changed-meanwhile"


class NotFoundError(VaultError):
    """Nothing has this id, path or name; the nearest ones are named (exit 6)."""

    exit_code = 6
    kind = "not-found"


class StoreError(VaultError):
    """git or the disk failed; nothing acknowledged was lost (exit 7)."""

    exit_code = 7
    kind = "store"
