"""What is like a draft is found the same whether all records are compared or the nearest of many."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import Result, make_vault, run

from vault_cli.cli import alike

RECORDS = {
    "r-broker": ("playbook", "rule", "Never restart the broker by hand", "It loses its queue."),
    "r-daili": ("playbook", "rule", "不要手动重启消息代理", "队列会丢失。"),
    "n-lunch": ("memories", "note", "Lunch is at noon", "In the garden."),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        f"{folder}/{own}.md": f"---\nid: {own}\nkind: {kind}\nstatus: active\ntitle: {title}\n"
        f"scope: global\n---\n{body}\n"
        for own, (folder, kind, title, body) in RECORDS.items()
    }
    return make_vault(tmp_path, files)


def add(root: Path, title: str, body: str) -> Result:
    argv = ("--vault", root, "--dry-run", "add", "rule", "--title", title, "--body", body)
    return run(*argv, env={"MVAULT_SEED": "1"})


@pytest.mark.parametrize(
    ("title", "body", "code", "other"),
    [
        ("Always restart the broker by hand", "It is quick.", "contradiction", "r-broker"),
        ("Never restart teh broker by hand", "It loses a queue.", "near-duplicate", "r-broker"),
        ("必须手动重启消息代理", "这样很快。", "contradiction", "r-daili"),
        ("不要手动重启消息代理", "队列会丢失。", "duplicate-text", "r-daili"),
        ("Paint the fence green", "Twice a year.", "", ""),
    ],
)
def test_many_records_change_nothing_of_what_is_said(
    root: Path, monkeypatch: pytest.MonkeyPatch, title: str, body: str, code: str, other: str
) -> None:
    said = add(root, title, body).ok().err
    monkeypatch.setattr(alike, "_MANY", 0)
    assert add(root, title, body).ok().err == said
    assert (f"{code}: " in said and other in said) if code else "r-broker" not in said


def test_the_card_of_an_approval_shows_what_is_near_among_many(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    seen = alike.nearby

    def look(*args: object) -> object:
        asked.append("asked")
        return seen(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(alike, "_MANY", 0)
    monkeypatch.setattr(alike, "nearby", look)
    made = run("--vault", root, "add", "rule", "--title", "Restart the broker by hand", "--body",
               "Always.", "--json").ok()  # fmt: skip
    shown = run("--vault", root, "approve", made.data["id"])
    assert asked
    assert "contradiction" in shown.text
    assert "r-broker" in shown.text


def test_a_damaged_search_table_only_costs_time(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    monkeypatch.setattr(alike, "_MANY", 0)
    words = ("Never restart teh broker by hand", "It loses a queue.")
    said = add(root, *words).ok().err
    with sqlite3.connect(root / ".state" / "index.sqlite") as connection:
        connection.execute("UPDATE search_term SET numbers = x'00', counts = x'00'")
    assert add(root, *words).ok().err == said
