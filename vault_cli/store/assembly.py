"""One snapshot of what many files hold, with the findings that need all of them. + `model`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from vault_cli.errors import Diagnostic, Severity
from vault_cli.model.record import Record, Snapshot
from vault_cli.store.codec import Parsed

_COPY_NAME: Final = (
    r"(?i)conflicted copy|case conflict|\.sync-conflict-|-MacBook[^/]* of |冲突.?副本|衝突"
    r"|[ _]\(\d+\)\.md$|(?<=\S) \d{1,2}\.md$"
)
"""How sync programs call the second file they make when both sides changed; seldom looked at."""


def assemble(
    parsed: Mapping[str, Parsed],
    findings: Iterable[Diagnostic],
    *,
    skipped: Mapping[str, int] | None = None,
    commit: str = "",
) -> Snapshot:
    """Join records and findings, those about names and duplicates included."""
    listed = list(findings)
    extra: dict[str, list[Diagnostic]] = {}
    for finding in listed:
        if finding.path in parsed:
            extra.setdefault(finding.path, []).append(finding)
    records = [record for record, _ in parsed.values() if record is not None]
    for group in _same_ids(records):
        found = _duplicate_findings(group)
        heard = [record.path for record in group if not record.is_silent]
        if len(heard) == 1:  # a copy that is held for its own text makes no doubt of the other
            found = [finding for finding in found if finding.path != heard[0]]
        listed.append(found[0])
        for finding in found:
            extra.setdefault(finding.path, []).append(finding)
    if extra:
        records = [
            replace(r, findings=(*r.findings, *extra[r.path])) if r.path in extra else r
            for r in records
        ]
    for _, own in parsed.values():
        if own:
            listed.extend(own)
    return Snapshot(
        records=tuple(records),
        diagnostics=tuple(sorted(listed)),
        unreadable=tuple(sorted({d.path for d in listed if d.severity == "error"})),
        skipped=MappingProxyType(dict(skipped or {})),
        commit=commit,
    )


def _same_ids(records: list[Record]) -> list[list[Record]]:
    if len({record.id for record in records}) == len(records):
        return []
    first: dict[str, Record] = {}
    groups: dict[str, list[Record]] = {}
    for record in records:
        known = first.setdefault(record.id, record)
        if known is not record:
            groups.setdefault(record.id, [known]).append(record)
    return list(groups.values())


def _duplicate_findings(group: list[Record]) -> list[Diagnostic]:
    """Return one finding per file; the first is for the plainest name and stands for all."""
    ordered = sorted(group, key=lambda r: (re.search(_COPY_NAME, r.path) is not None, r.path))
    names = ", ".join(repr(r.path) for r in ordered)
    copies = [r.path for r in ordered if re.search(_COPY_NAME, r.path)]
    message = f"the id {ordered[0].id} stands in {len(group)} files: {names}"
    if copies:
        message += f"; conflict copies of a sync program: {', '.join(map(repr, copies))}"
    hint = "Keep the right text in one file and move the others out of the vault."
    holds = any(record.adopted for record in group)
    if not holds:  # notes that nobody adopted: only their file names are the same
        hint = "`mvault adopt` gives each an id of its own."
    severity: Severity = "warning" if holds else "note"
    return [Diagnostic(r.path, 0, "duplicate-id", severity, message, hint, holds) for r in ordered]
