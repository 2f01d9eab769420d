"""A session gets the person's own block in time, whatever was pushed into the project's vault."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import commit_all, git, run, write_files
from hook_answers import context_of
from hook_runs import hook, state_of

from vault_cli.cli import hooking
from vault_cli.hook import ready, words
from vault_cli.hook.language import is_chinese
from vault_cli.hook.patience import OutOfTimeError, within
from vault_cli.store import reader
from vault_cli.text import fields

MINE = """---
id: r-0000001
kind: rule
title: {title}
status: active
force: required
---
{body}
"""
DRAFT = """---
id: n-000000{n}
kind: note
title: {title}
status: {status}
---
{body}
"""
TEXTS = [
    ("Never push to production", "Ask for a review first."),
    ("不要直接上线", "先请人评审。"),
]


@pytest.fixture(params=TEXTS, ids=["en", "zh"])
def mine(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    title, body = request.param
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    user = home / "data" / "mvault"
    run("init", user).ok()
    write_files(user, {"playbook/r-0000001.md": MINE.format(title=title, body=body)})
    commit_all(user)
    return str(title)


@pytest.fixture
def clone(tmp_path: Path, mine: str) -> Path:
    theirs = tmp_path / "theirs"
    git(tmp_path, "init", "-q", str(theirs))
    files = {
        f".mvault/drafts/{n}.md": DRAFT.format(
            n=n, title=f"T {n}", status="candidate", body="sk 发布 " * n
        )
        for n in range(1, 6)
    }
    active = DRAFT.format(n=7, title="Theirs 他们的", status="active", body="Run it.")
    write_files(theirs, {".mvault/vault.toml": "schema = 1\n", **files})
    write_files(theirs, {".mvault/memories/theirs.md": active})
    commit_all(theirs)
    git(tmp_path, "clone", "-q", str(theirs), str(tmp_path / "clone"))
    return tmp_path / "clone"


def begin(folder: Path, home: Path, event: str = "SessionStart", prompt: str = "") -> str:
    payload: dict[str, Any] = {"hook_event_name": event, "session_id": "s", "cwd": str(folder)}
    raw = {**payload, "source": "startup", "prompt": prompt}
    return context_of(json.loads(hook("claude-code", event, raw, state_of(home)))) or ""


def scanned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    real = fields.scan_document

    def scan(document: Any, path: str, gates: frozenset[str]) -> Any:
        found.extend([path] if gates else [])
        return real(document, path, gates)

    monkeypatch.setattr(fields, "scan_document", scan)
    return found


def test_what_cannot_be_in_force_is_not_scanned_for_a_block(
    clone: Path, home: Path, mine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = scanned(monkeypatch)
    text = begin(clone, home)
    assert mine in text
    assert "Theirs" not in text
    assert not [path for path in found if path.startswith("drafts/")]
    begin(clone, home, "UserPromptSubmit", f"{mine} 发布")
    assert not [path for path in found if path.startswith("drafts/")]
    run("trust", "--yes", cwd=clone, env={"MVAULT_ACTOR": "person"}).ok()
    assert "Theirs" in begin(clone, home)


def test_drafts_of_an_own_vault_are_scanned_as_before(
    clone: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("trust", "--yes", cwd=clone, env={"MVAULT_ACTOR": "person"}).ok()
    for path in (clone / ".mvault" / ".state").glob("index.*"):
        path.unlink()
    fields._read_once.cache_clear()
    found = scanned(monkeypatch)
    begin(clone, home)
    assert len([path for path in found if path.startswith("drafts/")]) == 5


def slow(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    real = reader.parse_file

    def parse(data: bytes, path: str, *more: Any, **named: Any) -> Any:
        if part in path:
            time.sleep(2)
        return real(data, path, *more, **named)

    monkeypatch.setattr(reader, "parse_file", parse)


def test_the_own_block_comes_when_the_project_cannot_be_read_in_time(
    clone: Path, home: Path, mine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("trust", "--yes", cwd=clone, env={"MVAULT_ACTOR": "person"}).ok()
    for path in (clone / ".mvault" / ".state").glob("index.*"):
        path.unlink()
    monkeypatch.setattr(hooking, "_PATIENCE", {"session-start": 0.3})
    monkeypatch.setattr(hooking, "_SHORT", 0.3)
    with monkeypatch.context() as patch:
        slow(patch, "theirs")
        text = begin(clone, home)
    assert mine in text
    cut = words.in_language(words.CUT_SHORT, chinese=is_chinese(mine)).strip()
    assert text.count(cut) == 1
    assert "takes too long" in (state_of(home) / "hook" / "log").read_text("utf-8")
    assert not list(Path(state_of(home), "hook", ready.FOLDER_NAME).glob("*.json"))
    again = begin(clone, home)
    assert mine in again
    assert cut not in again


def test_a_limit_within_a_limit() -> None:
    with pytest.raises(OutOfTimeError):
        within(0.05, lambda: time.sleep(5))
    assert within(5, lambda: "done") == "done"

    def inner() -> str:
        with pytest.raises(OutOfTimeError):
            within(0.05, lambda: time.sleep(5))
        time.sleep(5)
        return "too late"

    with pytest.raises(OutOfTimeError):
        within(0.2, inner)
