"""What others wrote about a change (subjects, names) hides nothing on a terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import git, make_vault, run

from vault_cli.cli.output import told
from vault_cli.text.hidden import INVISIBLE_CLASS

HIDES = "Ev\u200bil \u200b\u2060 \u00ad\ufe0f\u3164 \u202eName"
NOTE = "---\nid: f-1\nkind: fact\nstatus: active\ntitle: 标题\n---\nText.\n"


@pytest.mark.parametrize(
    "words",
    [
        ("log",),
        ("log", "f-1"),
        ("show", "f-1", "--provenance"),
        ("check", "--trust"),
        ("status",),
        ("undo", "HEAD", "--dry-run"),
    ],
)
def test_subjects_and_names_show_what_they_hide(tmp_path: Path, words: tuple[str, ...]) -> None:
    root = make_vault(tmp_path, {})
    (root / "a.md").write_text(NOTE)
    git(root, "add", "-A")
    git(root, "-c", f"user.name={HIDES}", "commit", "-qm", f"sub {HIDES}\n\nVault-Actor: {HIDES}\n")
    said = run("--vault", root, *words).ok().text
    assert not re.search(f"[{INVISIBLE_CLASS}]", said), ascii(said)
    if words != ("status",):
        assert "\\u{200b}\\u{2060}" in said


def test_honest_names_stay_as_they_are() -> None:
    for name in ("林 ❤️ 测试", "می\u200cخواهم", "Ana <ana@example.org>", "👨‍👩‍👧"):
        assert told(name) == name
    assert told("so\u00adft") == "so\\xadft"
