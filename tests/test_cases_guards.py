"""Acceptance cases about counting failures."""

from __future__ import annotations

from pathlib import Path

from helpers import copy_case, make_vault, run


def test_ho_07_only_group_a_is_proposed(tmp_path: Path) -> None:
    case = copy_case("ho-07", tmp_path)
    root = make_vault(tmp_path)
    words = ("guard", "failures", "--all", "--from", case / "failures.jsonl", "--json")
    first = run(*words, cwd=root).ok().data
    again = run(*words, cwd=root).ok().data
    assert (first["taken_in"], again["taken_in"]) == (12, 0)
    assert again["failures"] == first["failures"]
    assert sorted(row["raw"] for row in first["failures"]) == [1, 1, 2, 2, 2, 4]
    none = [row for row in first["failures"] if row["benign"]]
    assert [(row["raw"], row["counted"], row["benign"]) for row in none] == [(2, 0, {"grep": 2})]
    done = run("guard", "propose", "--json", cwd=root).ok().data["proposals"]
    assert [item["counted"] for item in done] == [4]
