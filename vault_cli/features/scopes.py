"""What records say about their reach, and what a setting hides. + `recall`, `text`, `model`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from vault_cli.errors import Diagnostic
from vault_cli.features.promotion import boundary_of
from vault_cli.model.record import Record, Scope, Snapshot
from vault_cli.recall.score import EXTERNAL_SOURCES, MACHINE_ORIGINS
from vault_cli.text.late import late

_PATH: Final = late(r"[/~\\]|[A-Za-z]:[/\\]|\.\.?(?:/|$)|file:")


def check_scopes(snapshot: Snapshot) -> list[Diagnostic]:
    """Check what records say about their reach; structure only, never whether it is wise.

    Args:
        snapshot: the records of one vault.
    """
    return [found for record in snapshot.records for found in _check_scope(record)]


def _check_scope(record: Record) -> Iterator[Diagnostic]:
    scope = record.scope
    if scope.level == "project" and (_PATH.match(scope.name) or "://" in scope.name):
        text = "the scope names a project by a path or an address, which fits no other machine"
        hint = f"mvault edit {record.id} --set scope=project:host/owner/name"
        yield Diagnostic(record.path, 0, "scope-name", "warning", text, hint)
    promoted = record.fields.get("promoted_from")
    if promoted is not None and not _is_scope(str(promoted)):
        text = "promoted_from is no scope"
        hint = "It is written by `mvault promote`; correct it by hand."
        yield Diagnostic(record.path, 0, "bad-promoted-from", "warning", text, hint)
    derived = promoted is not None or record.origin in MACHINE_ORIGINS
    derived = derived or record.source in EXTERNAL_SOURCES
    if record.in_force and scope.level == "global" and derived and not boundary_of(record):
        text = "holds everywhere, was not written by a person, and says nowhere where it does not"
        hint = f'mvault edit {record.id} --set boundary="…"'
        yield Diagnostic(record.path, 0, "no-boundary", "note", text, hint)


def _is_scope(text: str) -> bool:
    try:
        Scope.parse(text)
    except ValueError:
        return False
    return True
