"""`export`: records for another program, or to keep. May import everything below `cli`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.filters import one_of
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View
from vault_cli.cli.views import plural
from vault_cli.errors import Diagnostic, RefusedError, StoreError, UsageError
from vault_cli.store.places import expand_home, real_path

if TYPE_CHECKING:
    from datetime import datetime

    from vault_cli.features.export_parts import Bundle, Entry
    from vault_cli.model.record import Kind, Record, Status

FormatName = Annotated[
    str, typer.Argument(metavar="FORMAT", help="json, markdown, expmem, claude-code, mcp-memory.")
]
_KEPT = ("json", "markdown")
"""Formats for keeping: they hold everything."""

Target = Annotated[
    str, typer.Argument(metavar="DIR", help="An empty or new folder; `-`: stdout (one file).")
]
Schema = Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of json instead.")]


def export(
    ctx: typer.Context,
    format_name: FormatName,
    target: Target = "-",
    status: flags.Statuses = None,
    kind: flags.Kinds = None,
    scope: flags.Scopes = None,
    schema: Schema = False,
) -> int:
    """Write records as files of another program, or to keep.

    json and markdown hold every record but what is in quarantine, with its bytes and their SHA-256;
    `mvault import mvault FILE` reads the first back. claude-code and mcp-memory hold what is in
    force now, of global scope and of the project you stand in (--scope says otherwise); expmem also
    drafts, which are candidates there. A record with a secret never goes along. What a format has
    no place for is named.

    Examples:
      mvault export json - > backup.json
      mvault export markdown ~/bundle
      mvault export claude-code ~/out --scope global
      mvault export json --schema
    """
    from vault_cli.features.exporting import FORMATS, export_records, json_export_schema

    inv: Invocation = ctx.obj
    if schema:
        from vault_cli.cli.output import to_json

        found = json_export_schema()
        return inv.out.show(View(found, raw=to_json(found) + "\n"))
    if format_name not in FORMATS:
        raise UsageError(
            f"unknown format {format_name}", hint=f"Known formats: {', '.join(FORMATS)}."
        )
    entries, left = _entries(inv, format_name, status, kind, scope)
    bundle = export_records(format_name, entries, now=inv.now, home=str(Path.home()))
    return _write(inv, format_name, target, bundle, entries, left)


def _entries(
    inv: Invocation,
    name: str,
    status: list[str] | None,
    kind: list[str] | None,
    scope: list[str] | None,
) -> tuple[list[Entry], list[Diagnostic]]:
    """Return the records that go along with their bytes, and why others do not."""
    from vault_cli.features.export_parts import Entry
    from vault_cli.model.record import Kind, Status

    statuses = {one_of(Status, text, "status") for text in status or ()} or _default(name)
    kinds = {one_of(Kind, text, "kind") for text in kind or ()} or _default_kinds(name)
    scopes = scope or _default_scopes(inv, name)
    entries: list[Entry] = []
    left: list[Diagnostic] = []
    read, records = _sources(inv, name)
    for record in records:
        if record.status not in statuses or record.kind not in kinds:
            continue
        why = _why_not(record, name, inv.now)
        if scopes and not _in_scope(record, scopes):
            if scope:
                continue
            why = f"its scope is {record.scope}; --scope takes it along"
        data = None if why else read(record)
        if data is None:
            why = why or "its text cannot be read any more"
            left.append(Diagnostic(record.path, 0, "left-out", "warning", why))
        else:
            entries.append(Entry(record, data))
    return entries, left


def _sources(
    inv: Invocation, name: str
) -> tuple[Callable[[Record], bytes | None], Iterable[Record]]:
    """Return what is exported, and what reads the bytes of one of them.

    What is to be kept are the files as they are. Another program is given what counts here: of a
    text that others changed the admitted one.
    """
    from vault_cli.cli.placing import bytes_of
    from vault_cli.store.guard import guard_snapshot
    from vault_cli.store.policy import policies_of

    whole = inv.whole_snapshot()
    if name in _KEPT or not policies_of(inv.vault.root, inv.vault.config):
        return lambda record: inv.read(record.path), whole.records
    guarded = guard_snapshot(inv.vault, whole)
    records = guarded.snapshot.standing().records
    return lambda record: bytes_of(inv, record, guarded), records


def _default(name: str) -> set[Status]:
    """Return the statuses that go along when nobody says which."""
    from vault_cli.model.record import IN_FORCE, Status

    never = {Status.QUARANTINED, Status.TOMBSTONED}
    if name in _KEPT:
        return set(Status) - never
    if name == "expmem":
        return {*IN_FORCE, Status.CANDIDATE, Status.DISPUTED}
    return set(IN_FORCE)


def _default_kinds(name: str) -> set[Kind]:
    """Return the kinds that go along: what somebody may know, and all there is for keeping."""
    from vault_cli.model.record import Kind

    apart = {Kind.TOPIC, Kind.TASK, Kind.TICKET, Kind.REFLECTION, Kind.PERSONA, Kind.SKILL}
    return set(Kind) if name in _KEPT else set(Kind) - apart


def _default_scopes(inv: Invocation, name: str) -> list[str]:
    """Return the scopes that go along when nobody says which; none: all of them.

    Another program's folder belongs to one project: another client's notes do not go into it.
    """
    if name in _KEPT or name == "expmem":
        return []
    from vault_cli.cli.rendering import find_project

    project = find_project(inv)
    return ["global", *([f"project:{project}"] if project else [])]


def _in_scope(record: Record, scopes: Iterable[str]) -> bool:
    own = str(record.scope)
    return any(text in (own, record.scope.level) for text in scopes)


def _why_not(record: Record, name: str, now: datetime) -> str:
    """Say why a record stays here, "" when it goes along."""
    from vault_cli.text.refusal import NEVER_WRITTEN

    if any(found.code in NEVER_WRITTEN for found in record.findings):
        return "it holds a secret or personal data"
    if str(record.status) in ("quarantined", "tombstoned"):
        return f"it is {record.status}"
    return "" if name in _KEPT else _why_not_told(record, name, now)


def _why_not_told(record: Record, name: str, now: datetime) -> str:
    """Say why another program is not told of a record, "" when it is."""
    if record.withheld:
        return f"it does not count here: {record.withheld}"
    if record.foreign:
        return "it came from others, and nobody looked at it here"
    if record.is_silent:
        return "it is held from the render"
    state = record.validity.state_at(now)
    return f"it is {state}" if name != "expmem" and state != "current" else ""


def _write(
    inv: Invocation,
    name: str,
    target: str,
    bundle: Bundle,
    entries: list[Entry],
    left: list[Diagnostic],
) -> int:
    found = left
    notes = [_lost_note(bundle)] if bundle.lost else []
    if target == "-" and not inv.options.json:
        if not bundle.single:
            raise UsageError(
                f"{name} is several files; name a folder", hint=f"mvault export {name} DIR"
            )
        text = bundle.files[bundle.single].decode("utf-8")
        return inv.out.show(View({}, raw=text, diagnostics=found, notes=notes))
    data = {
        "format": name,
        "records": [_head(entry.record) for entry in entries],
        "left_out": len(left),
        "lost": {key: list(value) for key, value in bundle.lost.items()},
        "files": sorted(bundle.files),
        "target": "" if target == "-" else target,
        "dry_run": inv.options.dry_run,
    }
    if target == "-":
        if bundle.single:
            data["text"] = bundle.files[bundle.single].decode("utf-8")
        return inv.out.show(View(data, diagnostics=found))
    place = inv.cwd / expand_home(target)
    _require_room(inv, place)
    if not inv.options.dry_run:
        _write_files(place, bundle)
    note = f"exported {plural(len(entries), 'record')} as {name}"
    note = f"dry run, nothing written: {note}" if inv.options.dry_run else note
    return inv.out.show(
        View(data, lambda: sorted(bundle.files), diagnostics=found, notes=(note, *notes))
    )


def _head(record: Record) -> dict[str, object]:
    from vault_cli.cli.views import brief_data

    return brief_data(record)


def _lost_note(bundle: Bundle) -> str:
    """Say once which keys the format has no place for, and of how many records."""
    from collections import Counter

    counts = Counter(key for keys in bundle.lost.values() for key in keys)
    named = ", ".join(f"{key} ({count})" for key, count in counts.most_common())
    return f"no place in the format, by records: {named}"


def _require_room(inv: Invocation, place: Path) -> None:
    """Refuse a folder that holds something, or lies in the vault: an export overwrites nothing."""
    if real_path(place).is_relative_to(real_path(inv.root)):
        raise RefusedError(
            f"{place} lies in the vault", hint="Name a folder elsewhere; nothing was written."
        )
    try:
        if place.is_symlink() or (place.exists() and (not place.is_dir() or any(place.iterdir()))):
            raise RefusedError(
                f"{place} is not an empty folder", hint="Name a new one; nothing was written."
            )
    except OSError as error:
        raise StoreError(f"{place} cannot be read: {error.strerror}") from error


def _write_files(place: Path, bundle: Bundle) -> None:
    """Write every file anew, for the person's eyes only, as the files of a vault are."""
    try:
        for name, data in _by_folder(bundle):
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
    except OSError as error:
        raise StoreError(
            f"{place} cannot be written: {error.strerror}",
            hint="What was written so far is left there; name another folder.",
        ) from error


def _by_folder(bundle: Bundle) -> Iterator[tuple[str, bytes]]:
    yield from sorted(bundle.files.items())
