"""What the program counts or writes about a record is no key of an agent's, in any channel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import make_vault, run, write_files

AGENT = {"MVAULT_ACTOR": "agent"}
PERSON = {"MVAULT_ACTOR": "person"}
CLAIMS = {
    "hits": "1000000",
    "helpful": "99",
    "last_used": "2026-11-30",
    "precedent": "9",
    "created": "2030-01-01",
    "confirmed": "true",
    "approved_by": "person",
    "verified": "true",
    "graduated": "c-1",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path)


def add(root: Path, title: str) -> str:
    said = ("add", "note", "--title", title, "--body", "先看 the lock file, then install.")
    return run("--vault", root, *said, env=AGENT).ok().out.strip()


def file_of(root: Path, record_id: str) -> Path:
    shown = run("--vault", root, "--json", "show", record_id).ok().data
    return root / str(shown["records"][0]["path"] if "records" in shown else shown["path"])


@pytest.mark.parametrize("key", CLAIMS)
@pytest.mark.parametrize("title", ["Look first", "先看清楚"])
def test_an_agent_sets_no_counter_in_its_own_draft(root: Path, key: str, title: str) -> None:
    record = add(root, title)
    place = file_of(root, record)
    before = place.read_bytes()
    refused = run("--vault", root, "edit", record, "--set", f"{key}={CLAIMS[key]}", env=AGENT)
    assert refused.code == 4, refused.text
    assert key in refused.err
    assert place.read_bytes() == before
    payload = json.dumps({"kind": "note", "title": f"{title} 2", "body": "Text.", key: CLAIMS[key]})
    added = run("--vault", root, "add", "note", "--payload", "-", env=AGENT, stdin=payload).ok()
    assert f"\n{key}: {CLAIMS[key]}" not in file_of(root, added.out.strip()).read_text("utf-8")


def test_an_agent_writes_none_in_an_editor_either(root: Path, tmp_path: Path) -> None:
    record = add(root, "看")
    place = file_of(root, record)
    before = place.read_bytes()
    editor = tmp_path / "ed.sh"
    editor.write_text('#!/bin/sh\nsed -i "s/^kind:/hits: 5000\\nkind:/" "$1"\n')
    editor.chmod(0o755)
    env = {**AGENT, "EDITOR": str(editor)}
    refused = run("--vault", root, "edit", record, env=env)
    assert refused.code == 4, refused.text
    assert "hits" in refused.err
    assert place.read_bytes() == before


def test_a_person_may_bring_hits_from_elsewhere(root: Path) -> None:
    record = add(root, "看")
    run("--vault", root, "edit", record, "--set", "hits=4", "--yes", env=PERSON).ok()
    assert b"\nhits: 4\n" in file_of(root, record).read_bytes()


def test_an_agent_may_still_change_what_is_its_own(root: Path) -> None:
    record = add(root, "看")
    write_files(root, {})
    run("--vault", root, "edit", record, "--set", "topics=ci,git", env=AGENT).ok()
    assert b"ci" in file_of(root, record).read_bytes()
