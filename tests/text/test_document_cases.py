"""Acceptance cases of front matter and encoding, and the hostile files, as bytes."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers import HOSTILE_VAULT, case_folder

from vault_cli.text.document import compose_document, parse_document, patch_document
from vault_cli.text.fields import read_record


def read(case: str, name: str) -> bytes:
    return (case_folder(case) / name).read_bytes()


def record(case: str, name: str) -> Any:
    found, findings = read_record(read(case, f"vault/{name}"), name)
    assert found is not None, findings
    return found


def findings(case: str, name: str) -> list[tuple[int, str]]:
    _, found = read_record(read(case, f"vault/{name}"), name)
    return [(finding.line, finding.code) for finding in found]


def line_diff(old: bytes, new: bytes) -> list[str]:
    lines = difflib.ndiff(
        old.decode().splitlines(keepends=True), new.decode().splitlines(keepends=True)
    )
    return [line for line in lines if line[0] in "-+"]


def test_colon_in_title() -> None:
    found, said = read_record(read("fm-01", "vault/bad.md"), "bad.md")
    assert found is None
    assert (said[0].path, said[0].line, said[0].code) == ("bad.md", 4, "yaml-colon")
    assert '"Release rule: freeze before tagging"' in said[0].hint
    assert record("fm-01", "good.md").title == "Tag only from main"


def test_value_types() -> None:
    a, b, c = (record("fm-03", f"{name}.md") for name in "abc")
    assert [r.title for r in (a, b, c)] == ["2026-06-03", "20240425", "yes"]
    assert [r.topics for r in (a, b, c)] == [("ci",), (), ("on", "off", "no")]
    assert b.fields["version"] == "1.10"


def test_dashes_inside_the_text() -> None:
    data = read("fm-05", "vault/m-0501.md")
    document = parse_document(data, "m.md")
    assert document.front["note"] == "---not-a-fence --- still the value"
    assert "Third section" in document.body
    assert document.body.count("\n---\n") == 4
    approved = patch_document(data, {"status": "active"}, "m.md")
    assert line_diff(data, approved) == ["- status: candidate\n", "+ status: active\n"]


def test_adopt_a_note_with_its_own_block() -> None:
    data = read("fm-07", "note.md")
    changes = {"id": "n-1", "kind": "note", "status": "candidate"}
    adopted = patch_document(data, changes, "note.md")
    assert adopted.count(b"\n---\n") == 1
    assert [line[0] for line in line_diff(data, adopted)] == ["+", "+", "+"]
    assert patch_document(adopted, changes, "note.md") == adopted


def test_fence_at_end_of_file() -> None:
    assert record("fm-09", "eof.md").title == "Ends at the fence"
    assert record("fm-09", "spaces.md").title == "dashes at the end---"
    empty = record("fm-09", "empty.md")
    assert (empty.adopted, empty.findings) == (False, ())
    data = read("fm-09", "vault/eof.md")
    approved = patch_document(data, {"status": "active"}, "eof.md")
    assert approved == data.replace(b"candidate", b"active")


def test_written_titles_parse_everywhere() -> None:
    titles = read("fm-11", "titles.txt").decode().splitlines()
    assert len(titles) == 20
    for title in titles:
        data = compose_document({"title": title, "applies_when": title}, "Body.\n")
        block = data.decode().split("---\n")[1]
        assert yaml.safe_load(block) == {"title": title, "applies_when": title}
        assert parse_document(data, "a.md").front["title"] == title


def test_text_before_the_block() -> None:
    assert findings("fm-13", "m-1301.md") == [(4, "front-not-first")]


def test_encodings() -> None:
    data = read("en-01", "vault/m-2101.md")
    assert record("en-01", "m-2101.md").title == "Use the internal mirror"
    assert patch_document(data, {"status": "active"}, "m.md") == data.replace(
        b"candidate", b"active"
    )
    _, said = read_record(read("en-03", "vault/m-2301.md"), "m-2301.md")
    assert said[0].code == "not-utf8"
    assert "UTF-16" in said[0].message
    assert "iconv" in said[0].hint
    found, _ = read_record(read("rf-13", "doc.md"), "doc.md")
    assert found is not None
    assert found.title == "Inbox agent rules"


def test_real_files() -> None:
    assert findings("rf-01", "star.md") == [(7, "yaml-star")]
    assert findings("rf-03", "Templates/Lesson.md") == [(2, "yaml-template")]
    assert findings("rf-03", "m-d301.md") == []
    assert findings("rf-05", "twice.md") == [(8, "repeated-key")]
    assert findings("rf-05", "status.md") == [(7, "duplicate-key")]
    assert findings("rf-11", "reflow.md") == [(8, "yaml-stray")]
    assert findings("rf-11", "glued.md") == [(5, "yaml-colon")]
    assert findings("rf-21", "a.md") == [(7, "comment-in-value")]
    assert findings("rf-21", "b.md") == [(4, "comment-in-value")]
    assert findings("rf-25", "m-d2501.md") == []
    assert findings("rf-25", "m-d2502.md") == [(10, "conflict-markers")]


def test_number_ids() -> None:
    names = ("a", "b", "b2", "c", "d")
    ids = [record("rf-07", f"{name}.md").id for name in names]
    assert ids == ["202205021009", "0123", "123", "1_000", "12e3"]
    assert record("rf-07", "a.md").fields["at"] == "12:30"
    assert record("rf-07", "c.md").supersedes == ("12e3",)


def test_a_repeated_key_stays_in_both_places() -> None:
    data = read("rf-05", "vault/twice.md")
    new = patch_document(data, {"status": "active"}, "twice.md")
    assert new == data.replace(b"candidate", b"active")


@pytest.mark.parametrize("name", ["rf-17/m-d1701.md", "rf-21/a.md", "rf-21/b.md"])
def test_one_line_changes_in_real_files(name: str) -> None:
    case, _, file = name.partition("/")
    data = read(case, f"vault/{file}")
    new = patch_document(data, {"status": "active"}, file)
    assert new == data.replace(b"status: candidate", b"status: active")


@pytest.mark.parametrize(
    ("name", "line", "code", "says"),
    [
        ("1.md", 3, "yaml-colon", "a: b"),
        ("2.md", 4, "yaml-tab", "tab"),
        ("3.md", 3, "yaml-quote", "not closed"),
        ("4.md", 4, "yaml-sign", "@lin"),
        ("5.md", 3, "yaml-star", "**/*.ts"),
        ("6.md", 2, "bad-id", "m-a706 - stray"),
        ("7.md", 2, "bad-id", "null"),
        ("8.md", 3, "yaml-full-width-colon", "full-width"),
    ],
)
def test_error_texts_that_help(name: str, line: int, code: str, says: str) -> None:
    found, said = read_record(read("cl-07", f"vault/{name}"), name)
    assert found is None
    assert [(finding.line, finding.code) for finding in said] == [(line, code)]
    assert says in said[0].message
    assert said[0].hint


def test_the_hostile_vault_gets_the_expected_verdicts(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, str(HOSTILE_VAULT), str(tmp_path)], check=True, capture_output=True
    )
    wrong, seen = [], 0
    for line in (tmp_path / "expected.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["path"] is None or case["case"].startswith(("name-", "link-", "fifo", "dir-")):
            continue  # names and links are the store's to judge
        data = Path(os.fsencode(tmp_path / "files" / case["path"]).decode()).read_bytes()
        found, said = read_record(data, case["path"])
        seen += 1
        if found is None:
            verdict = "reject"
            assert all(finding.hint for finding in said if finding.severity == "error")
        else:
            verdict = "flag" if found.held_by else "ok"
        expected = {"neutral": "ok", "skip": "ok"}.get(case["expect"], case["expect"])
        if verdict != expected:
            wrong.append((case["case"], case["expect"], verdict, said))
    assert wrong == []
    assert seen > 70
