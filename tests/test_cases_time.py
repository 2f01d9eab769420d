"""Acceptance cases about corrections, periods and opposites, through the real command line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from helpers import case_folder, case_vault, commit_count, listed, make_vault, rendered, run

ALIKE = ("duplicate-text", "near-duplicate", "similar-text", "contradiction", "rejected-before")


def alike_codes(answer: dict[str, Any]) -> list[str]:
    return [found["code"] for found in answer["diagnostics"] if found["code"] in ALIKE]


def add(root: Path, kind: str, title: str, *more: str) -> tuple[str, dict[str, Any]]:
    """Add a draft; return its id and the whole JSON answer."""
    answer = run("--vault", root, "--json", "add", kind, "--title", title, *more).ok().json
    return answer["data"]["id"], answer


def test_ti_03_a_correction_replaces_but_keeps(tmp_path: Path) -> None:
    root = case_vault("ti-03", tmp_path)
    path = root / "m-c301.md"
    before = path.read_bytes()
    block = rendered(root)
    assert "PostgreSQL" in block
    body = "项目使用 FastAPI 和 MySQL。\n"
    revised = run(
        "--vault",
        root,
        "--json",
        "revise",
        "m-c301",
        "--body",
        body,
        "--reason",
        "数据库换成 MySQL",
    ).ok()
    new = revised.data["id"]
    commits = commit_count(root)
    run("--vault", root, "approve", new, "--yes", "--reason", "数据库换成 MySQL").ok()
    # Both changes are in ONE commit.
    assert commit_count(root) == commits + 1
    # Render and default search have only the new one.
    block = rendered(root)
    assert "MySQL" in block
    assert "PostgreSQL" not in block
    in_force = listed(root, "--status", "active")
    assert set(in_force) == {new}
    # The old file keeps its text, gets the end of validity and the pointer; the new one points back.
    old = run("--vault", root, "--json", "show", "m-c301").ok().data
    assert old["body"].strip() == "项目使用 FastAPI 和 PostgreSQL。"
    assert (old["status"], old["valid_to"]) == ("superseded", "2026-11-29")
    assert old["fields"]["superseded_by"] == new
    assert run("--vault", root, "--json", "show", new).ok().data["supersedes"] == ["m-c301"]
    # History shows old, new, time and reason.
    entry = run("--vault", root, "--json", "log", "m-c301").ok().data["commits"][0]
    text = run("--vault", root, "log", "m-c301").ok().out
    assert "数据库换成 MySQL" in str(entry) + text
    assert new in str(entry)
    age = datetime.now(UTC) - datetime.fromisoformat(entry["date"])  # git's clock, not ours
    assert timedelta(0) <= age + timedelta(seconds=1) < timedelta(hours=1)
    # Undo restores exactly the earlier state.
    run("--vault", root, "undo", "--yes").ok()
    assert path.read_bytes() == before
    assert set(listed(root, "--status", "active")) == {"m-c301"}
    assert "PostgreSQL" in rendered(root)


def test_ti_05_true_again_later(tmp_path: Path) -> None:
    root = case_vault("ti-05", tmp_path)
    title = ("fact", "Alex is on Payments", "--body", "Alex is assigned to Payments.")
    # The duplicate check does not offer to merge periods that do not overlap.
    again, answer = add(root, *title, "--valid-from", "2026-06-01")
    assert alike_codes(answer) == []
    run("--vault", root, "approve", again, "--yes").ok()
    # January and July: yes; April: no.
    for month, there in (("01", True), ("04", False), ("07", True)):
        env = {"MVAULT_NOW": f"2026-{month}-15T12:00:00Z"}
        block = run("--vault", root, "render", env=env).ok().out
        assert ("Alex is assigned to Payments." in block) is there, month
    refused = run("--vault", root, "merge", again, "m-c501", "--yes")
    assert refused.code == 4
    assert "period" in refused.err
    # Exactly equal text AND overlapping period is called a duplicate.
    _, answer = add(root, *title, "--valid-from", "2026-02-01")
    assert alike_codes(answer) == ["duplicate-text"] * 2


def case_pairs() -> list[tuple[str, str]]:
    lines = (case_folder("ti-07") / "pairs.txt").read_text(encoding="utf-8").splitlines()
    texts = [line.split(" ", 1)[1] for line in lines]
    return list(zip(texts[::2], texts[1::2], strict=True))


@pytest.mark.parametrize("as_body", [False, True], ids=["title", "body"])
@pytest.mark.parametrize("number", range(1, 9))
def test_ti_07_the_opposite_is_not_a_duplicate(
    tmp_path: Path, number: int, *, as_body: bool
) -> None:
    first, second = case_pairs()[number - 1]
    root = make_vault(tmp_path)

    def capture(text: str, name: str) -> tuple[str, dict[str, Any]]:
        return add(root, "note", name, "--body", text) if as_body else add(root, "note", text)

    one, _ = capture(first, "Deploy")
    other, answer = capture(second, "Notes from Mei")
    codes = alike_codes(answer)
    if number <= 5:
        # The second is kept and shown as in conflict with the first.
        assert codes == ["contradiction"]
        found = next(d for d in answer["diagnostics"] if d["code"] == "contradiction")
        assert one in found["message"]
        assert first.rstrip(".。") in found["message"]
        assert second.rstrip(".。") in found["message"]
        # Both are visible, nothing is decided by the program.
        shown = run("--vault", root, "approve", other)
        assert shown.code == 3
        assert f"contradiction  {one}" in shown.out
    elif number <= 7:
        assert codes == ["duplicate-text"]
    else:
        assert codes == []
    assert {item["status"] for item in listed(root).values()} == {"candidate"}
    assert set(listed(root)) == {one, other}


def test_ti_07_a_conflict_is_named_and_rendered_side_by_side(tmp_path: Path) -> None:
    first, second = case_pairs()[1]
    root = make_vault(tmp_path)
    one, other = (add(root, "rule", text, "--applies-when", "发版")[0] for text in (first, second))
    run("--vault", root, "approve", one, other, "--yes").ok()
    commits = commit_count(root)
    run("--vault", root, "conflict", one, other, "--type", "contradiction", "--yes").ok()
    assert commit_count(root) == commits + 1
    block = rendered(root)
    part = next(part for part in block.split("### ") if part.startswith("Conflicts"))
    assert "nothing was decided" in part
    assert "(contradiction)" in part
    assert first in part
    assert second in part
