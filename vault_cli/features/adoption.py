"""Hand-written notes become drafts, in place: `adopt`. May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.features.quarantine import not_adoptable, refuse_held
from vault_cli.features.records import (
    Planned,
    broken_file,
    digest_of,
    other_ids,
    patch_keys,
    present_keys,
    read_checked,
)
from vault_cli.features.suspects import find_suspects
from vault_cli.model.change import Change, Edit, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.text.fields import read_record
from vault_cli.text.names import new_id
from vault_cli.text.scan import ALL


def plan_adopt(
    snapshot: Snapshot,
    files: Mapping[str, bytes],
    *,
    actor: Actor,
    random_int: Callable[[int], int],
    kind: Kind | None = None,
    origin: str = "cli",
    gates: frozenset[str] = ALL,
) -> Planned:
    """Plan to give notes an id, a kind and a status, in place and nothing else.

    A note with a secret or personal data is left as it is, and the others are adopted
    (`Planned.left_out`); so is one that the scanner holds when anybody but a person asks.

    A key that is there already is left alone (tags, a foreign `type`); a clash is a note. A
    SKILL.md gets them under `metadata`. Adopting again changes nothing.

    Args:
        snapshot: the vault the files are in.
        files: bytes by vault-relative path.
        actor: who asks.
        random_int: random integer below its argument, for the ids.
        kind: for notes that do not say what they are; default by folder, else note.
        origin: how the request came in.
        gates: the gates of admission that are on.

    Raises:
        RefusedError: none of the files can be used (diagnostics attached). A file that the vault
            does not read (`vault.toml`, README.md, a picture) is never one.
    """
    taken = other_ids(snapshot)
    known = {record.path for record in snapshot.records} | set(snapshot.unreadable)
    found = _Sorted()
    for path, data in sorted(files.items()):
        record = found.read(data, path, gates, actor) if path in known else None
        if record is None:
            found.notes += () if path in known else (_not_a_note(path),)
            continue
        new, own_id = _adopted(record, data, kind, taken, random_int)
        found.ids.append(own_id)
        found.notes += (*_type_clash(record, kind), *find_suspects((record,), gates))
        found.notes += (item for item in record.findings if item.code == "key-spelling")
        if new != data:
            read_checked(new, path)
            taken.add(own_id)
            found.edits.append(Put(path, new, digest_of(data)))
    if not found.ids and (found.notes or found.left):
        raise _none_adopted([*found.notes, *found.left])
    change = Change(
        verb="adopt",
        subject=_adopt_subject(files, found.edits),
        edits=tuple(found.edits),
        ids=tuple(found.ids),
        actor=actor,
        origin=origin,
    )
    return Planned(change, change.ids, tuple(found.notes), left_out=tuple(found.left))


@dataclass(slots=True)
class _Sorted:
    """What becomes of the files.

    Args:
        edits: of those that change.
        notes: findings that leave nothing out by themselves.
        left: findings that leave their file as it is.
        ids: of those that are adopted, also where nothing changes.
    """

    edits: list[Edit] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)
    left: list[Diagnostic] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def read(self, data: bytes, path: str, gates: frozenset[str], actor: Actor) -> Record | None:
        """Return a note that can be adopted; else keep why not, and return None."""
        record, diagnostics = read_record(data, path, gates)
        if record is None:
            self.notes += [item for item in diagnostics if item.severity == "error"]
            return None
        stops = not_adoptable(record, actor)
        self.left += stops
        return None if stops else record


def _not_a_note(path: str) -> Diagnostic:
    """Return the finding about a file that the vault does not read: it is never written to."""
    text = "not a note of the vault, so it is left alone"
    hint = "Notes end in .md; README.md, dot-folders and the folders of files.ignore are not read."
    return Diagnostic(path, 0, "not-a-note", "error", text, hint)


def _none_adopted(notes: list[Diagnostic]) -> RefusedError:
    if all(note.holds for note in notes):
        return refuse_held(notes)
    if any(note.code != "not-a-note" for note in notes):
        return broken_file(notes[0].path, notes)
    one = f"{notes[0].path} is not a note of the vault"
    text = one if len(notes) == 1 else f"none of these {len(notes)} files is a note of the vault"
    return RefusedError(text, hint="Nothing was changed.", diagnostics=tuple(notes))


def _adopt_subject(files: Mapping[str, bytes], edits: list[Edit]) -> str:
    if len(edits) == 1:
        return f": {edits[0].path}"
    return f": {len(edits) or len(files)} notes"


def _adopted(
    record: Record,
    data: bytes,
    kind: Kind | None,
    taken: set[str],
    random_int: Callable[[int], int],
) -> tuple[bytes, str]:
    present = present_keys(record)
    chosen = kind if kind and not _says_kind(record) else record.kind
    values: dict[str, Any] = {}
    own_id = record.id
    if not record.adopted:
        own_id = new_id(chosen, taken, random_int)
        values["id"] = own_id
    if "kind" not in present and not is_skill_file(record.path):
        values["kind"] = str(chosen)
    if "status" not in present:
        values["status"] = str(Status.CANDIDATE)
    return (patch_keys(data, record.path, values) if values else data), own_id


def _says_kind(record: Record) -> bool:
    said = record.fields.get("kind") or record.fields.get("type")
    return isinstance(said, str) and (said in set(Kind) or said == "directive")


def _type_clash(record: Record, kind: Kind | None) -> list[Diagnostic]:
    foreign = record.fields.get("type")
    if not isinstance(foreign, str) or "kind" in record.fields:
        return []
    if _says_kind(record):
        if kind is None or kind is record.kind:
            return []
        text = f"the note says type: {foreign}; it was adopted as {record.kind}, not {kind}"
    else:
        text = (
            f"type: {foreign} is not a kind of ours; it is kept, and kind is {kind or record.kind}"
        )
    hint = "To change it: mvault edit ID, key kind."
    return [Diagnostic(record.path, 0, "type-kept", "note", text, hint)]
