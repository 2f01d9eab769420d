"""A checked request as a file: a draft, or a text that is held back. May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.composing import DraftRequest, compose_draft
from vault_cli.features.likeness import Nearby, find_alike
from vault_cli.features.quarantine import (
    LOW_AUTHORITY,
    OUTSIDE,
    held_list,
    is_quarantined,
    quarantine_path,
    require_no_values,
)
from vault_cli.features.records import broken_file, subject_of
from vault_cli.model.change import ALLOW_TRAILER, Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.text.fields import read_record
from vault_cli.text.names import file_name
from vault_cli.text.scan import QUARANTINE_KEY


@dataclass(frozen=True, slots=True)
class Draft:
    """A request as a file: its bytes, as what they read, and what was found about it.

    Args:
        data: the bytes.
        record: the record, with the path it is written to.
        alike: who says the same or the opposite.
        passing: codes of its findings that a person lets pass.
        is_held: whether it goes into quarantine.
    """

    data: bytes
    record: Record
    alike: tuple[Diagnostic, ...]
    passing: tuple[str, ...]
    is_held: bool


@dataclass(frozen=True, slots=True)
class Composer:
    """Makes one checked request a file (the arguments are those of `plan_add`)."""

    request: DraftRequest
    own_id: str
    now: datetime
    actor: Actor
    origin: str
    gates: frozenset[str]
    nearby: Nearby | None = None

    @property
    def source(self) -> str:
        """Who claims it: what the request says, else whoever asks."""
        return self.request.source or ("user" if self.actor is Actor.PERSON else "agent")

    def compose(self, snapshot: Snapshot, allow: Collection[str]) -> Draft:
        """Write the draft; what is held goes into quarantine with what was found."""
        name = file_name(self.request.title, self.own_id)
        path = f"drafts/{self.now.strftime('%Y-%m')}/{name}"
        data, record = self._write(path, Status.CANDIDATE)
        try:
            require_no_values(record, allow)
        except RefusedError as error:
            error.diagnostics = _as_given(error.diagnostics, data, self.request.body)
            raise
        holding = {found.code for found in record.held_by}
        passing = tuple(code for code in dict.fromkeys(allow) if code in holding)
        if passing:
            data, record = self._write(path, Status.CANDIDATE, allow=list(passing))
        alike = _alike(snapshot, record, self.now, self.gates, self.nearby)
        outvoted = tuple(f for f in alike if f.code == LOW_AUTHORITY and self.source in OUTSIDE)
        held = is_quarantined(record, outvoted, actor=self.actor, source=self.source, allow=passing)
        if held:
            found = {QUARANTINE_KEY: held_list(record, outvoted, self.gates)}
            data, record = self._write(quarantine_path(self.own_id), Status.QUARANTINED, **found)
        return Draft(data, record, alike, passing, held)

    def _write(self, path: str, status: Status, **more: Any) -> tuple[bytes, Record]:
        full = replace(self.request, extra=MappingProxyType({**self.request.extra, **more}))
        data = compose_draft(
            full, self.own_id, status=str(status), source=self.source, origin=self.origin,
            now=self.now,
        )  # fmt: skip
        return data, _scanned(data, path, self.gates)

    def change_to(self, draft: Draft) -> Change:
        """Return the change that writes the draft."""
        return Change(
            verb="quarantine" if draft.is_held else "add",
            subject=subject_of(draft.record),
            edits=(Put(draft.record.path, draft.data),),
            reason=self.request.reason.strip(),
            ids=(self.own_id,),
            actor=self.actor,
            origin=self.origin,
            extra=tuple((ALLOW_TRAILER, code) for code in draft.passing),
        )


def _as_given(found: Iterable[Diagnostic], data: bytes, body: str) -> tuple[Diagnostic, ...]:
    """Return findings in a composed file with the line of the text as it was given, 0 elsewhere."""
    lines = data.decode("utf-8").split("\n")
    given = body.replace("\r\n", "\n").split("\n")

    def line_of(line: int) -> int:
        text = lines[line - 1] if line else ""
        places = [number for number, own in enumerate(given, 1) if own == text]
        before = lines[: line - 1].count(text)
        return places[before] if line and before < len(places) else 0

    return tuple(item._replace(line=line_of(item.line)) for item in found)


def _scanned(data: bytes, path: str, gates: frozenset[str]) -> Record:
    """Read a planned text as the gates of this vault see it."""
    record, findings = read_record(data, path, gates)
    if record is None:
        raise broken_file(path, findings)
    return record


def _alike(
    snapshot: Snapshot,
    record: Record,
    now: datetime,
    gates: frozenset[str],
    nearby: Nearby | None,
) -> tuple[Diagnostic, ...]:
    """Return who says the same or the opposite; about authority only when that gate is on."""
    found = find_alike(snapshot, record, now, nearby)
    return tuple(f for f in found if f.code != LOW_AUTHORITY or "authority" in gates)
