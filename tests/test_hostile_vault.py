"""The hostile vault through the real commands: every file gets its verdict, good files stay good.

reject: named by `check` as an error, not listed, not rendered. flag: readable or named, never
rendered. neutral and ok: listed and rendered. skip: no error.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import HOSTILE_VAULT, Result, run


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """The generated files and what is expected of each."""
    folder = tmp_path_factory.mktemp("hostile")
    subprocess.run(
        [sys.executable, str(HOSTILE_VAULT), str(folder)], check=True, capture_output=True
    )
    lines = (folder / "expected.jsonl").read_text("utf-8").splitlines()
    return folder / "files", [json.loads(line) for line in lines]


def vault_with(files: Path, root: Path) -> Path:
    """A vault that holds copies of the hostile files."""
    shutil.copytree(files, root, symlinks=True, ignore=shutil.ignore_patterns("fifo.md"))
    if (files / "fifo.md").exists():
        import os

        os.mkfifo(root / "fifo.md")
    run("init", root).ok()
    return root


def verdict(path: str, errors: set[str], held: set[str], listed: set[str], shown: set[str]) -> str:
    """What the commands did with one file."""
    if path in errors:
        return "reject" if path not in listed and path not in shown else "error-but-used"
    if path in held:
        return "flag" if path not in shown else "held-but-shown"
    return "ok" if path in shown else "listed" if path in listed else "skip"


FINE = {
    "reject": {"reject"},
    "flag": {"flag", "reject"},
    "neutral": {"ok"},
    "ok": {"ok"},
    "skip": {"skip", "listed"},
}


def test_every_file_gets_its_verdict(
    hostile: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    files, expected = hostile
    root = vault_with(files, tmp_path / "vault")
    before = tree_bytes(root)
    check = run("--vault", root, "--json", "check")
    assert check.code == 1
    found = check.json["diagnostics"]
    errors = {d["path"] for d in found if d["severity"] == "error"}
    held = {d["path"] for d in found if d["holds"]}
    records = run("--vault", root, "--json", "list").ok().data["records"]
    listed = {r["path"] for r in records}
    rendered = run("--vault", root, "--json", "render", "--budget", "0").ok()
    shown = {line["path"] for line in rendered.data["receipt"]["lines"] if line["level"] == "full"}
    wrong = [
        (case["case"], case["expect"], got)
        for case in expected
        if case["path"] is not None
        and (got := verdict(case["path"], errors, held, listed, shown)) not in FINE[case["expect"]]
    ]
    assert wrong == [], wrong
    assert sum(case["path"] is not None for case in expected) >= 100
    assert all(d["message"] and d["hint"] for d in found if d["severity"] == "error")
    assert_harmless(check, rendered)
    assert tree_bytes(root) == before


def tree_bytes(root: Path) -> dict[str, bytes]:
    """Bytes of every regular file outside git's and our own folders."""
    return {
        str(p): p.read_bytes()
        for p in sorted(root.iterdir())
        if p.is_file() and not p.is_symlink() and p.suffix == ".md"
    }


def assert_harmless(*results: Result) -> None:
    """No control, no bidi override, no tag character, no byte of a link's target."""
    secret = Path("/etc/passwd").read_text("utf-8").splitlines()[0]
    for result in results:
        for text in (result.out, result.err):
            assert secret not in text
            assert not any(ord(c) < 32 and c not in "\n\t" for c in text)
            assert not any("\u202a" <= c <= "\u202e" or c >= "\U000e0000" for c in text)
