"""No locale changes what is in force, nor which bytes a name has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import PROJECT, git, run

OLD = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""Python's own ways around an old locale, switched off."""

LOCALES = ("C", "POSIX", "en_US.ISO-8859-1", "zh_CN.GBK")


def answer(
    root: Path, *args: str | bytes, locale: str, more: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "PYTHONPATH": str(PROJECT), **OLD, "LC_ALL": locale, **(more or {})}
    return subprocess.run(
        [sys.executable, "-m", "vault_cli", "--vault", str(root), *args],
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "保管库"
    run("init", place, cwd=tmp_path).ok()
    own = run("--vault", place, "add", "rule", "--title", "中文标题 é", "--body", "没有例外。").ok()
    run("--vault", place, "approve", own.out.strip(), "--yes").ok()
    return place


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("command", ["render", "status", "list", "log"])
def test_an_answer_has_the_same_bytes_in_every_locale(
    root: Path, locale: str, command: str
) -> None:
    plain = answer(root, command, locale="C.UTF-8")
    assert plain.returncode == 0, plain.stderr
    other = answer(root, command, locale=locale)
    assert (other.returncode, other.stdout) == (0, plain.stdout), other.stderr


@pytest.mark.parametrize("locale", LOCALES)
def test_words_and_names_are_written_as_typed(root: Path, locale: str) -> None:
    made = answer(root, "add", "note", "--title", "第二 ü".encode(), "--body", "x", locale=locale)
    assert made.returncode == 0, made.stderr
    names = git(root, "-c", "core.quotepath=false", "ls-files", "*.md").splitlines()
    assert any("第二" in name for name in names)
    assert git(root, "status", "--porcelain") == ""
    assert "第二 ü" in git(root, "log", "-1", "--format=%s")


def test_an_argument_that_is_no_utf8_arrives_as_it_is(root: Path) -> None:
    done = answer(root, "show", b"\xff\xfe", locale="C")
    assert done.returncode == 6
    assert b"Traceback" not in done.stderr
