"""Whatever stands in a field of a foreign record: it has a place, or is named. Nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from foreign_stores import IDS, expmem_record, put

from vault_cli.hosts.importers.table import read_store

WORD = "odd-词"
ODD: tuple[Any, ...] = (WORD, [WORD], {"key": WORD}, [{"key": WORD}])

RECORDS: Mapping[str, Mapping[str, Any]] = {
    "dsh-lessons": {
        "kind": "lesson", "title": "T", "problem": "P", "pattern": "P", "attempted": "A",
        "correction": "C", "avoid": "V", "instead": "I", "applies_when": "W", "boundary": "B",
        "confidence": "high", "critique": "K", "relation": "new", "evidence_task_ids": ["t0"],
        "conflicts": ["t0#1"], "text": "X", "content": "X",
    },
    "cognition-engine": {
        "id": "ctxt-00001", "content": "C", "kind": "fact", "topics": ["t"], "text": "T",
        "validFrom": "2026-01-01", "validTo": "2026-02-01", "recordedAt": 1, "supersededAt": 2,
        "supersededBy": "mem-2", "mergedInto": "mem-3", "when": "w", "helpful": 1,
        "conflictWith": ["ctxt-00002"], "checklist": True,
    },
    "memory-server": {
        "type": "entity", "name": "N", "entityType": "preference", "observations": ["o"],
    },
    "error-improvement": {
        "id": "l1", "title": "T", "kind": "lesson", "mistake": "M", "prevention": "P",
        "problem": "Q", "solution": "S", "scope": "global", "keywords": ["k"], "confirmed": True,
        "applies_when": "w", "enabled": True, "maturity": "core", "hits": 1, "evidence": "e",
        "supersedes": "l0", "attributed_to": "me",
    },
    "mem0": {
        "id": "m", "memory": "M", "text": "T", "data": "D", "categories": ["c"], "user_id": "u",
        "metadata": {"importance": 5}, "expiration_date": "2026-01-01",
    },
    "expmem": expmem_record(
        0, workspace="/w", claimedAt=1, evidenceText="E", supersedes=[IDS[1]],
        conflictsWith=[IDS[2]], reflection={"question": "Q", "sourceMemoryIds": [IDS[3]]},
        verification={"actor": {"kind": "user"}},
    ),
}  # fmt: skip


def write(name: str, record: Mapping[str, Any], root: Path) -> Path:
    """Put a record where its program has it; return what is to be imported."""
    if name == "dsh-lessons":
        whole = {"record_type": "reflection", "task_id": "t1", "lessons": [record]}
        (root / "tasks.jsonl").write_text(json.dumps(whole) + "\n")
        return root
    if name == "memory-server":
        (root / "memory.jsonl").write_text(json.dumps(record) + "\n")
        return root
    if name == "expmem":
        put(root / "archive" / "experience" / f"{IDS[0]}.json", record)
        return root
    whole = {
        "cognition-engine": {"memories": [record]},
        "error-improvement": {"error-improvement": {"lessons": [record]}},
        "mem0": {"results": [record]},
    }[name]
    put(root / "export.json", whole)
    return root / "export.json"


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, record in RECORDS.items() for key in record]
)
@pytest.mark.parametrize("odd", ODD, ids=["text", "list", "object", "objects"])
def test_an_odd_value_is_kept_or_named(name: str, key: str, odd: Any, tmp_path: Path) -> None:
    place = write(name, {**RECORDS[name], key: odd}, tmp_path)
    store = read_store(name, place, tmp_path / "home")
    if not store.items:  # not to be taken without it: the file, or the entry, is named
        assert store.notes
        return
    (item,) = store.items
    assert WORD in repr(item) or key in item.left


@pytest.mark.parametrize("name", RECORDS)
def test_a_whole_record_leaves_nothing_over(name: str, tmp_path: Path) -> None:
    store = read_store(name, write(name, RECORDS[name], tmp_path), tmp_path / "home")
    assert len(store.items) == 1
    assert not store.items[0].left
    assert not store.notes
