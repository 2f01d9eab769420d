"""Acceptance cases about search and about the time a record holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import case_folder, case_vault, checked, run, run_real


def found(root: Path, *argv: str) -> list[str]:
    """Ids that a search gives, best first; nothing found is exit 1, never an error."""
    result = run("--vault", root, "--json", "search", *argv)
    assert result.code in (0, 1), result.text
    return [item["id"] for item in result.data["records"]]


def test_se_01_queries_with_signs(tmp_path: Path) -> None:
    root = case_vault("se-01", tmp_path)
    queries = (case_folder("se-01") / "queries.txt").read_text().splitlines()
    wanted = [
        "m-6101", "m-6101", "m-6102", "m-6102", "m-6102", "m-6102", "m-6102", "m-6103", "m-6103",
    ]  # fmt: skip
    # Lines 1 to 9 each find the memory that contains the text.
    for query, record in zip(queries, wanted, strict=False):
        result = run("--vault", root, "search", "--", query).ok()
        assert record in result.out, query
        assert "error" not in result.err
    # Words such as AND, NOT, OR are words unless the product documents operators.
    assert found(root, "--", "foo AND bar") == ["m-6103"]
    assert found(root, "--", "NOT") == ["m-6103"]
    # No error for every query: what no text contains is "nothing found" (exit 1, as documented).
    for query in queries:
        result = run_real("--vault", str(root), "search", "--", query)
        assert result.code == (0 if result.out else 1), query
        assert "error" not in result.err
        assert result.out or "nothing found" in result.err
    # An empty query may be refused with a message; here it lists all by what they are worth.
    assert set(found(root, "")) == set(found(root, " ")) == {"m-6101", "m-6102", "m-6103"}


def test_se_03_several_chinese_words_with_and_without_spaces(tmp_path: Path) -> None:
    root = case_vault("se-03", tmp_path)
    # Queries 1 to 3 find m-6301 and rank it first; query 4 (other order) finds it too.
    for query in ("雾凇", "雾凇 拼音", "雾凇拼音", "拼音雾凇"):
        assert found(root, query)[0] == "m-6301", query
    # Queries 5 and 6 find m-6302.
    for query in ("transmission 卸载", "卸载transmission"):
        assert found(root, query) == ["m-6302"], query
    # m-6303, which shares only one word, ranks below.
    assert found(root, "雾凇拼音") == ["m-6301", "m-6303"]


def test_rf_19_harmless_invisible_signs(tmp_path: Path) -> None:
    root = case_vault("rf-19", tmp_path)
    # Usable; a mild note at most (count and line).
    of_file = [f for f in checked(root) if f["path"] == "m-d1901.md"]
    assert {f["severity"] for f in of_file} <= {"note"}
    signs = [f for f in of_file if f["code"] in ("zero-width", "hidden-characters")]
    assert all(f["line"] and re.search(r"\d", f["message"]) for f in signs)
    assert "m-d1901" in run("--vault", root, "render").ok().out
    # Both searches find it although a zero-width space stands inside the words.
    assert found(root, "插件") == ["m-d1901"]
    assert found(root, "frontmatter") == ["m-d1901"]
    # The id and title used for file names have no invisible signs.
    (item,) = run("--vault", root, "--json", "list").ok().data["records"]
    assert item["id"].isascii()
    run("--vault", root, "revise", "m-d1901", "--body", "短。", "--reason", "shorter").ok()
    names = [path.name for path in (root / "drafts").rglob("*.md")]
    assert len(names) == 1
    assert names[0].isprintable()


@pytest.mark.parametrize("clock", ["2026-04-15T12:00:00Z", "2026-11-30T12:00:00Z"])
def test_ti_05_true_again_later(tmp_path: Path, clock: str) -> None:
    root = case_vault("ti-05", tmp_path)
    again = ("--valid-from", "2026-06-01", "--body", "Alex is assigned to Payments.")
    argv = ("--vault", root, "--json", "add", "fact", "--title", "Alex is on Payments", *again)
    added = run(*argv, env={"MVAULT_NOW": clock}).ok()
    # The duplicate check does not offer to merge periods that do not overlap.
    assert not [d for d in added.json["diagnostics"] if "duplicate" in d["code"]]
    second = added.data["ids"][0]
    run("--vault", root, "approve", second, "--yes").ok()
    # January and July: yes; April: no.
    for day, holds in (("2026-01-15", ["m-c501"]), ("2026-04-15", []), ("2026-07-15", [second])):
        for view in ((), ("--view", "strict"), ("--view", "historical")):
            argv = ("Alex Payments", "--valid-at", day, *view)
            assert found(root, *argv) == holds, (day, view)
        block = run("--vault", root, "render", "--valid-at", day).ok().out
        assert [key for key in ("m-c501", second) if key in block] == holds
        listed = run("--vault", root, "--json", "list", "--valid-at", day).ok().data["records"]
        assert [item["id"] for item in listed] == holds
    assert sorted(found(root, "Alex", "--view", "historical")) == sorted([second, "m-c501"])
    # Exactly equal text AND overlapping period is called a duplicate.
    overlap = ("--valid-from", "2026-07-01", "--body", "Alex is assigned to Payments.")
    argv = ("--vault", root, "--json", "add", "fact", "--title", "Alex is on Payments", *overlap)
    codes = {d["code"] for d in run(*argv).json["diagnostics"]}
    assert codes & {"duplicate-text", "near-duplicate"}
