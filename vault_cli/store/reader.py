"""Files to Snapshot, through the derived cache. May import `text`, `model`, `errors`."""

from __future__ import annotations

import errno
import gc
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from vault_cli.errors import Diagnostic, Severity, StoreError
from vault_cli.model.record import Record, Snapshot
from vault_cli.store.codec import Parsed, Row, decode_rows, encode_parsed
from vault_cli.store.config import Config
from vault_cli.store.index import Entry, Index
from vault_cli.store.opening import Folders, explain_os_error, read_at
from vault_cli.store.walk import (
    DEFAULT_IGNORE,
    MAX_FILE,
    Stamp,
    check_name,
    find_collisions,
    is_record_path,
    stamp_of,
    too_large,
    walk_records,
)

_COPY_NAME: Final = re.compile(
    r"conflicted copy|case conflict|\.sync-conflict-|-MacBook[^/]* of |冲突.?副本|衝突"
    r"|[ _]\(\d+\)\.md$|(?<=\S) \d{1,2}\.md$",
    re.IGNORECASE,
)
"""How sync programs call the second file they make when both sides changed."""

_DAMAGE: Final = (ValueError, TypeError, KeyError, IndexError, RecursionError)
"""What decoding a damaged row may raise."""


def read_vault(root: Path, config: Config, *, use_cache: bool = True) -> Snapshot:
    """Read every record of the vault: stat all, reuse what the cache has, parse the rest.

    Adds the findings that need all files: duplicate ids, conflict copies, colliding names.
    Works on a read-only vault and never takes the vault's lock.

    Raises:
        NotFoundError, StoreError: the root itself cannot be opened.
    """
    with _paused_collector():
        walk = walk_records(root, config["files.ignore"])
        index = Index(root) if use_cache else None
        parsed = _read_files(root, walk.stamps, index)
    findings = (*config.diagnostics, *walk.diagnostics)
    return _assemble(parsed, findings, skipped=walk.skipped)


def snapshot_of_tree(
    files: Mapping[str, bytes], commit: str, *, ignore: Iterable[str] = DEFAULT_IGNORE
) -> Snapshot:
    """Build a Snapshot from the bytes of a git tree (`Repository.read_tree`).

    Args:
        files: regular files by vault-relative path; those that are no records are passed over.
        commit: full id of the commit, kept in the Snapshot.
        ignore: setting `files.ignore`.
    """
    parsed: dict[str, Parsed] = {}
    findings: list[Diagnostic] = []
    for path in sorted(path for path in files if is_record_path(path, ignore)):
        name_finding = check_name(path)
        if name_finding is not None:
            findings.append(name_finding)
        if name_finding is not None and name_finding.severity == "error":
            continue
        if len(files[path]) > MAX_FILE:
            findings.append(too_large(path))
        else:
            parsed[path] = _parse(files[path], path)
    findings.extend(find_collisions(parsed))
    return _assemble(parsed, findings, commit=commit)


@contextmanager
def _paused_collector() -> Iterator[None]:
    """Keep the cyclic collector from walking 10,000 new records again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _parse(data: bytes, path: str) -> Parsed:
    from vault_cli.text.fields import read_record

    return read_record(data, path)


def _read_files(root: Path, stamps: tuple[Stamp, ...], index: Index | None) -> dict[str, Parsed]:
    """Return what each file holds, in the order of `stamps`; files gone meanwhile are left out."""
    rows = index.load() if index else {}
    kept = [
        row
        for stamp in stamps
        if (row := rows.get(stamp[0])) is not None and row[5] and row[:5] == stamp
    ]
    parsed = _decode(kept)
    todo = [stamp for stamp in stamps if stamp.path not in parsed]
    if index is None:
        parsed.update((entry[0].path, entry[2]) for entry in _read_all(root, todo, rows))
    elif todo or len(rows) != len(kept):
        _refresh(root, index, rows, todo, parsed)
    if not todo:
        return parsed
    return {stamp.path: parsed[stamp.path] for stamp in stamps if stamp.path in parsed}


def _decode(rows: list[Row]) -> dict[str, Parsed]:
    """Decode rows at once; if one is damaged, each alone, without the damaged ones."""
    try:
        return dict(zip([row[0] for row in rows], decode_rows(rows), strict=True))
    except _DAMAGE:
        return {row[0]: parsed for row in rows if (parsed := _decode_one(row)) is not None}


def _decode_one(row: Row) -> Parsed | None:
    try:
        return decode_rows([row])[0]
    except _DAMAGE:
        return None


def _refresh(
    root: Path,
    index: Index,
    rows: Mapping[str, Row],
    todo: list[Stamp],
    parsed: dict[str, Parsed],
) -> None:
    """Read what the cache does not have, and bring the cache up to date if it can be written."""
    wanted = {stamp.path for stamp in todo} | parsed.keys()
    with index.updating() as writable:
        entries: list[Entry] = []
        for stamp, digest, result in _read_all(root, todo, rows):
            parsed[stamp.path] = result
            columns = encode_parsed(result, stamp.path, digest) if writable and digest else None
            if columns is not None:
                entries.append(Entry(stamp, digest, columns))
        if writable:
            stored = {entry.stamp.path for entry in entries}
            gone = [path for path in rows if path not in wanted]
            gone.extend(s.path for s in todo if s.path in rows and s.path not in stored)
            index.store(entries, gone)


def _read_all(
    root: Path, stamps: list[Stamp], rows: Mapping[str, Row]
) -> Iterator[tuple[Stamp, str, Parsed]]:
    """Yield (stamp of the bytes read, digest or "", what they hold) for each file still there."""
    from vault_cli.store.files import digest_bytes

    with Folders(root) as folders:
        for stamp in stamps:
            path = stamp.path
            try:
                data, facts = read_at(*folders.locate(path), MAX_FILE)
            except FileNotFoundError:
                continue
            except (OSError, StoreError) as error:
                yield stamp, "", (None, (_unreadable(path, error),))
                continue
            digest = digest_bytes(data)
            row = rows.get(path)
            known = _decode_one(row) if row and row[6] == digest else None
            yield stamp_of(path, facts), digest, known or _parse(data, path)


def _unreadable(path: str, error: OSError | StoreError) -> Diagnostic:
    if isinstance(error, OSError):
        is_link = error.errno in {errno.ELOOP, errno.ENOTDIR}
        problem = explain_os_error(error, path, "read")
        code = "link" if is_link else "unreadable"
        return Diagnostic(path, 0, code, "error", problem.message, problem.hint)
    return Diagnostic(path, 0, "unreadable", "error", error.message, error.hint)


def _assemble(
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
    first: dict[str, Record] = {}
    groups: dict[str, list[Record]] = {}
    for record in records:
        known = first.setdefault(record.id, record)
        if known is not record:
            groups.setdefault(record.id, [known]).append(record)
    return list(groups.values())


def _duplicate_findings(group: list[Record]) -> list[Diagnostic]:
    """Return one finding per file; the first is for the plainest name and stands for all."""
    ordered = sorted(group, key=lambda r: (_COPY_NAME.search(r.path) is not None, r.path))
    names = ", ".join(repr(r.path) for r in ordered)
    copies = [r.path for r in ordered if _COPY_NAME.search(r.path)]
    message = f"the id {ordered[0].id} stands in {len(group)} files: {names}"
    if copies:
        message += f"; conflict copies of a sync program: {', '.join(map(repr, copies))}"
    hint = "Keep the right text in one file and move the others out of the vault."
    holds = any(record.adopted for record in group)
    if not holds:  # notes that nobody adopted: only their file names are the same
        hint = "`mvault adopt` gives each an id of its own."
    severity: Severity = "warning" if holds else "note"
    return [Diagnostic(r.path, 0, "duplicate-id", severity, message, hint, holds) for r in ordered]
