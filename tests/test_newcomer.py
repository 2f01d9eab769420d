"""What a person meets who tries the commands for the first time: they do what they promise."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import git, run


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """An empty vault, as the working directory of nobody."""
    run("init", tmp_path).ok()
    return tmp_path


def add(vault: Path, *argv: str, approve: bool = True) -> str:
    """Add a record, put it in force unless told otherwise, and return its id."""
    record_id = run("add", *argv, cwd=vault).ok().out.split()[-1]
    if approve:
        run("approve", record_id, "--yes", cwd=vault).ok()
    return record_id


def file_of(vault: Path, record_id: str) -> Path:
    """The file of a record."""
    return vault / run("show", record_id, "--json", cwd=vault).ok().data["path"]


@pytest.mark.parametrize("title", ["Lock first", "先看锁文件"])
def test_a_pending_misspelling_is_repaired_and_taken_back_byte_by_byte(
    vault: Path, title: str
) -> None:
    path = file_of(vault, add(vault, "note", "--title", title, "--body", f"{title}."))
    path.write_bytes(path.read_bytes().replace(b"status: active", b"status: actve"))
    misspelt = path.read_bytes()

    run("check", "--fix", "--yes", cwd=vault).ok()
    assert b"status: active" in path.read_bytes()
    assert git(vault, "show", f"HEAD~1:{path.relative_to(vault)}").encode() + b"\n" == misspelt
    assert title in run("render", cwd=vault).ok().out

    run("undo", "--yes", cwd=vault).ok()
    assert path.read_bytes() == misspelt
    run("undo", "--yes", cwd=vault).ok()
    assert run("check", cwd=vault).code == 0


def test_a_secret_in_a_pending_misspelling_still_stops_the_repair(vault: Path) -> None:
    path = file_of(vault, add(vault, "note", "--title", "Lock", "--body", "Look first."))
    text = path.read_text().replace("status: active", "status: actve")
    path.write_text(text + "\nghp_" + "x8Kq2LmZ7vRt4NwPy6BsJd3FhGc9AeUiOoY1\n")
    answer = run("check", "--fix", "--yes", cwd=vault)
    assert answer.code == 4
    assert "secret" in answer.err
    assert b"actve" in path.read_bytes()
