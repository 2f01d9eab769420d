from __future__ import annotations

from typing import Any

import pytest

from vault_cli.errors import RefusedError
from vault_cli.features.aftermath import clashes_of, require_sound, snapshot_after
from vault_cli.features.records import digest_of
from vault_cli.model.change import Change, Edit, Move, Put, Remove


def fact(note: Any, **keys: str) -> str:
    return note(**{"id": "f-1", "kind": "fact", "status": "active", "title": "T", **keys})


def change(*edits: Edit) -> Change:
    return Change("undo", ": x", edits)


def test_the_records_after_a_change(make_vault: Any, note: Any) -> None:
    vault = make_vault(
        {"a.md": fact(note), "b.md": fact(note, id="f-2"), "c.md": fact(note, id="f-3")}
    )
    digests = {path: digest_of(data) for path, data in vault.files.items()}
    planned = change(
        Put("a.md", fact(note, status="deprecated").encode(), digests["a.md"]),
        Remove("b.md", digests["b.md"]),
        Move("c.md", "memories/c.md", vault.files["c.md"], digests["c.md"]),
        Put("tombstones/f-2.md", fact(note, id="f-2", status="tombstoned").encode()),
        Put("skills/a/notes.txt", b"x"),
    )
    after = snapshot_after(vault.snapshot(), planned)
    vault.apply(planned)
    assert after.records == vault.snapshot().records


def test_a_second_successor_or_a_circle_is_refused(make_vault: Any, note: Any) -> None:
    files = {
        "a.md": fact(note, status="superseded"),
        "b.md": fact(note, id="f-2", status="deprecated", supersedes="[f-1]"),
        "c.md": fact(note, id="f-3", supersedes="[f-1]"),
    }
    vault = make_vault(files)
    back = Put("b.md", files["b.md"].replace("deprecated", "active").encode(),
               digest_of(vault.files["b.md"]))  # fmt: skip
    with pytest.raises(RefusedError, match="f-1 would have 2 successors: f-2, f-3"):
        require_sound(vault.snapshot(), change(back))
    ring = Put("a.md", fact(note, supersedes="[f-2]").encode(), digest_of(vault.files["a.md"]))
    with pytest.raises(RefusedError, match="in a circle: f-1 -> f-2 -> f-1"):
        require_sound(vault.snapshot(), change(ring))
    # what was wrong before is no reason to refuse
    vault.apply(change(back))
    assert list(clashes_of(vault.snapshot())) == ["f-1"]
    other = Put("d.md", fact(note, id="f-4", title="另一个").encode())
    require_sound(vault.snapshot(), change(other))
