"""Which code a record speaks about, as written."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from vault_cli.model.anchors import MOST_ANCHORS, path_problem, read_anchors
from vault_cli.model.record import Kind, Record, Status

BLOB = "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"


def record(anchors: Any) -> Record:
    return Record("f-1", Kind.FACT, "memories/f.md", "", Status.ACTIVE, "T", "T.\n",
                  fields=MappingProxyType({"anchors": anchors}))  # fmt: skip


@pytest.mark.parametrize(
    ("written", "blob", "problem"),
    [
        ({"path": "a.json", "blob": BLOB}, BLOB, ""),
        ({"path": " a.json ", "blob": " 3B18E51… "}, "3b18e51", ""),
        ({"path": "a.json", "blob": "0a" * 32}, "0a" * 32, ""),
        ({"path": "a.json", "blob": 1234567}, "1234567", ""),
        ({"path": "a.json", "blob": "3b18"}, "3b18", "less than 7 digits"),
        ({"path": "a.json", "blob": "0a" * 33}, "0a" * 33, "no object id"),
        ({"path": "a.json", "blob": "HEAD:a.json"}, "head:a.json", "no object id"),
        ({"path": "a.json", "blob": ["x"]}, "['x']", "no object id"),
        ({"path": "a.json"}, "", "names no blob"),
        ("a.json", "", "names no blob"),
    ],
)
def test_an_entry_is_read_as_it_was_meant(written: Any, blob: str, problem: str) -> None:
    (anchor,) = read_anchors(record([written, {"blob": BLOB}, None, 7, {"path": ""}]))
    assert (anchor.path, anchor.blob) == ("a.json", blob)
    assert problem in anchor.problem
    assert bool(problem) == bool(anchor.problem)


@pytest.mark.parametrize("value", [None, "", [], {}, 7, [[]], [None]])
def test_what_names_no_path_is_no_anchor(value: Any) -> None:
    assert read_anchors(record(value)) == []


def test_one_entry_may_stand_alone() -> None:
    assert [a.path for a in read_anchors(record({"path": "甲.py", "blob": BLOB}))] == ["甲.py"]


def test_a_long_list_is_not_looked_up_to_its_end() -> None:
    many = [{"path": f"{n}.py", "blob": BLOB} for n in range(MOST_ANCHORS + 5)]
    problems = [anchor.problem for anchor in read_anchors(record(many))]
    assert problems.count("") == MOST_ANCHORS
    assert all("only 100" in problem for problem in problems[MOST_ANCHORS:])


@pytest.mark.parametrize(
    "path",
    [
        "a",
        "-a",
        "src/甲 乙.py",
        "a#b: c",
        "...",
        "~a/b",
        ".github/x.yml",
        "git/a",
        ".gitignore",
        "é",
    ],
)
def test_a_file_of_the_project(path: str) -> None:
    assert path_problem(path) == ""


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/etc/passwd", "absolute"),
        ("C:/Windows", "absolute"),
        ("c:x", "absolute"),
        ("../x", "leads out"),
        ("a/../../x", "leads out"),
        ("a/..", "leads out"),
        ("src\\a.py", "slashes"),
        ("a//b", "empty part"),
        ("./a", "empty part"),
        ("a/", "empty part"),
        ("", "empty part"),
        (".git/config", "git's own"),
        ("a/.GIT/hooks/x", "git's own"),
        ("sub/git~1/x", "git's own"),
        (".git. /x", "git's own"),
        ("a\nb", "no name"),
        ("a\0b", "no name"),
        ("a" * 1001, "no name"),
    ],
)
def test_what_can_be_no_file_of_the_project(path: str, problem: str) -> None:
    assert problem in path_problem(path)
