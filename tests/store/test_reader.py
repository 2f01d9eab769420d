"""Files to Snapshot: what is joined, what is named, what hides nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import HOSTILE_VAULT

from vault_cli.model.record import Snapshot
from vault_cli.store.config import load_config
from vault_cli.store.reader import read_vault


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MVAULT_CONFIG", str(tmp_path / "none.toml"))


def note(record_id: str, status: str = "active") -> str:
    return f"---\nid: {record_id}\nkind: note\nstatus: {status}\ntitle: T\n---\nBody.\n"


def read(root: Path) -> Snapshot:
    return read_vault(root, load_config(root, environ=dict(os.environ)))


def put(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(path.name + ".md").write_text(text)


def test_a_broken_file_is_named_and_hides_no_other(tmp_path: Path) -> None:
    put(tmp_path, a=note("n-1"), b="---\nid: [\n---\n", c="\0", z=note("n-2"))
    snapshot = read(tmp_path)
    assert [r.path for r in snapshot.records] == ["a.md", "z.md"]
    assert snapshot.unreadable == ("b.md", "c.md")
    assert {d.path for d in snapshot.diagnostics if d.severity == "error"} == {"b.md", "c.md"}
    assert list(snapshot.diagnostics) == sorted(snapshot.diagnostics)


def test_the_same_id_in_several_files_holds_all_and_is_reported_once(tmp_path: Path) -> None:
    put(
        tmp_path,
        **{
            "m-4501 (conflicted copy 2026-07-10 070952)": note("m-4501"),
            "m-4501": note("m-4501"),
            "m-4501.sync-conflict-20260710-070952-ABCDEFG": note("m-4501"),
            "other": note("n-1"),
        },
    )
    snapshot = read(tmp_path)
    held = [r for r in snapshot.records if any(f.code == "duplicate-id" for f in r.held_by)]
    assert len(held) == 3
    assert snapshot.by_id.keys() == {"n-1"}
    (finding,) = [d for d in snapshot.diagnostics if d.code == "duplicate-id"]
    assert finding.path == "m-4501.md"
    assert all(repr(r.path) in finding.message for r in held)
    copies = finding.message.partition("conflict copies")[2]
    assert copies.count(".md") == 2
    assert "'m-4501.md'" not in copies


def test_notes_nobody_adopted_may_share_a_file_name(tmp_path: Path) -> None:
    put(tmp_path, a__todo="# one\n", b__todo="# two\n")
    snapshot = read(tmp_path)
    assert [r.held_by for r in snapshot.records] == [(), ()]
    assert [d.severity for d in snapshot.diagnostics] == ["note"]


def test_a_name_that_collides_holds_its_record_only(tmp_path: Path) -> None:
    put(tmp_path, Case=note("n-1"), case=note("n-2"))
    if len(list(tmp_path.glob("*.md"))) < 2:
        pytest.skip("this file system folds case")
    assert [(r.path, [f.code for f in r.held_by]) for r in read(tmp_path).records] == [
        ("Case.md", []),
        ("case.md", ["name-collision"]),
    ]


def test_ignored_templates_are_counted(tmp_path: Path) -> None:
    put(tmp_path, Templates__a="{{date}}", Templates__b="---\n{{x}}\n---\n", n=note("n-1"))
    snapshot = read(tmp_path)
    assert snapshot.skipped == {"Templates": 2}
    assert snapshot.diagnostics == ()


def test_ignored_settings_are_reported_with_the_rest(tmp_path: Path) -> None:
    (tmp_path / "vault.toml").write_text(
        "schema = 1\n[trust]\napprove_without_terminal = ['agent']\n"
    )
    assert [d.code for d in read(tmp_path).diagnostics] == ["user-only-setting"]


def test_hostile_files_get_their_verdict_and_hide_no_good_one(tmp_path: Path) -> None:
    import json

    subprocess.run(
        [sys.executable, str(HOSTILE_VAULT), str(tmp_path)], check=True, capture_output=True
    )
    root = tmp_path / "files"
    put(root, **{f"good__{n}": note(f"good-{n}") for n in range(20)})
    snapshot = read(root)
    assert read(root) == snapshot
    records = {r.path: r for r in snapshot.records}
    assert sum(path.startswith("good/") for path in records) == 20
    wrong = []
    for line in (tmp_path / "expected.jsonl").read_text().splitlines():
        case = json.loads(line)
        path = case["path"]
        if path is None:
            continue
        held = path in records and bool(records[path].held_by)
        shown = path in records and records[path].in_force and not held
        verdict = (
            "reject"
            if path in snapshot.unreadable
            else "flag"
            if held
            else "ok"
            if shown
            else "skip"
        )
        wanted = {"neutral": "ok"}.get(case["expect"], case["expect"])
        if case["case"] == "link-in":
            wanted = "reject"  # stricter: no link is read, wherever it leads
        if verdict != wanted:
            wrong.append((case["case"], wanted, verdict))
    assert wrong == []


def test_files_that_change_between_listing_and_reading_are_told_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vault_cli.store import reader

    root = tmp_path / "v"
    put(
        root, a=note("n-1"), gone=note("n-2"), link=note("n-3"), grown=note("n-4"), d__x=note("n-5")
    )
    walk = reader.walk_records

    def and_then(*args: object) -> object:
        found = walk(*args)  # type: ignore[arg-type]
        (root / "gone.md").unlink()
        (root / "link.md").unlink()
        (root / "link.md").symlink_to("a.md")
        (root / "grown.md").write_text("x" * ((1 << 20) + 1))
        (root / "d/x.md").unlink()
        (root / "d").rmdir()
        (root / "d").symlink_to(tmp_path)
        return found

    monkeypatch.setattr(reader, "walk_records", and_then)
    snapshot = read(root)
    assert [r.id for r in snapshot.records] == ["n-1"]
    assert {d.path: d.code for d in snapshot.diagnostics} == {
        "d/x.md": "link", "grown.md": "unreadable", "link.md": "link",
    }  # fmt: skip
    assert snapshot.unreadable == ("d/x.md", "grown.md", "link.md")
