"""Transcripts: `$ command`, then stdout, `2> ` stderr and `? code`, as a person would see them.

Each Markdown file beside this one is one session in a fresh folder. Lines `$ mvault …` run the
real entry point; other `$ …` lines run in a shell. The clock stands still and ids are drawn from
a seed; commit ids and folders are scrubbed. `pytest --update-golden` writes what was seen.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from helpers import NOW, run

HERE = Path(__file__).parent
SESSIONS = sorted(HERE.glob("*.md"))
_COMMIT = re.compile(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{10}\b")
_MACHINE = re.compile(r"\bmachine [0-9a-z]{12}\b")
_THEN = re.compile(r"(In force when that began\n).*?\n\n", re.DOTALL)


def answer_of(command: str, folder: Path) -> list[str]:
    """Run one command line and return its answer as transcript lines."""
    words = shlex.split(command, comments=True)
    settings = [word for word in words if re.fullmatch(r"[A-Z_]+=.*", word)]
    env = {"MVAULT_SEED": "7", **dict(word.split("=", 1) for word in settings)}
    rest = [word for word in words if word not in settings]
    if rest[:1] == ["mvault"]:
        result = run(*rest[1:], cwd=folder, env=env)
        code, out, err = result.code, result.out, result.err
    else:
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
            env={**os.environ, **env},
        )  # fmt: skip
        code, out, err = done.returncode, done.stdout, done.stderr
    lines = scrub(out, folder).splitlines()
    lines += [f"2> {line}".rstrip() for line in scrub(err, folder).splitlines()]
    return lines + ([f"? {code}"] if code else [])


def scrub(text: str, folder: Path) -> str:
    """Replace what differs between runs."""
    text = text.replace(str(folder.resolve()), "DIR").replace(str(folder), "DIR")
    text = text.replace(os.environ["HOME"], "HOME")
    # The clock of mvault stands still, git's does not: commits are of the day the test runs.
    for today in {datetime.now(UTC).date(), datetime.now().astimezone().date()}:
        text = text.replace(today.isoformat(), NOW[:10])
    text = _THEN.sub("\\1(what commits of that time hold)\n\n", text)
    text = _MACHINE.sub("machine MACHINE", text)
    return _COMMIT.sub("COMMIT", text)


def played(text: str, folder: Path) -> Iterator[str]:
    """Yield the lines of a transcript with every answer replaced by what was seen."""
    inside = waiting = False
    for line in text.splitlines():
        if line.startswith("```"):
            inside, waiting = line.startswith("```console"), False
            yield line
        elif inside and line.startswith("$ "):
            waiting = True
            yield line
            yield from answer_of(line[2:], folder)
        elif not (inside and waiting):
            yield line


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_transcript(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "2026-11-30T12:00:00Z")
    wanted = session.read_text(encoding="utf-8")
    seen = "\n".join(played(wanted, tmp_path)) + "\n"
    if request.config.getoption("--update-golden"):
        session.write_text(seen, encoding="utf-8")
    assert seen == session.read_text(encoding="utf-8")
