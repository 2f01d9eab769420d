"""Acceptance cases about encodings and file names."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import yaml
from helpers import (
    case_folder,
    case_vault,
    commit_count,
    findings_of,
    git,
    listed,
    make_vault,
    rendered,
    run,
    snapshot_bytes,
)

BOM = b"\xef\xbb\xbf"
RESERVED = {"con", "prn", "aux", "nul"} | {f"{n}{i}" for n in ("com", "lpt") for i in range(1, 10)}


def add_lesson(root: Path, title: str) -> Path:
    """Capture one lesson and return its path."""
    body = f"## Problem\nSeen with {len(title)} signs.\n\n## Correction\nWrite it down: {title.strip()}\n"
    made = run("--vault", root, "--json", "add", "lesson", f"--title={title}", "--body", body).ok()
    return root / str(made.data["path"])


def title_in(path: Path) -> str:
    """The title in the front matter as a strict YAML reader sees it."""
    return str(yaml.safe_load(path.read_text().split("\n---", 1)[0].removeprefix("---"))["title"])


def test_en_01_bom(tmp_path: Path) -> None:
    root = case_vault("en-01", tmp_path)
    path = root / "m-2101.md"
    before = path.read_bytes()
    # The memory is read like any other; the BOM is not part of a key, the title or the text.
    assert listed(root)["m-2101"]["title"] == "Use the internal mirror"
    # later: search "mirror"
    run("--vault", root, "approve", "m-2101", "--yes").ok()
    block = rendered(root)
    assert "Install packages from the internal mirror." in block
    assert "\ufeff" not in block + run("--vault", root, "show", "m-2101").out
    # After the approval the BOM is still there; other bytes are unchanged.
    # No second metadata block is added.
    assert path.read_bytes() == before.replace(b"status: candidate", b"status: active")
    assert path.read_bytes().startswith(BOM)


def test_en_03_utf16(tmp_path: Path) -> None:
    root = case_vault("en-03", tmp_path)
    before = snapshot_bytes(root)
    # The check names the file and says it is UTF-16, not UTF-8, and how to convert it.
    (found,) = findings_of(root, "m-2301.md")
    assert "UTF-16" in found["message"]
    assert "UTF-8" in found["message"] + found["hint"]
    assert found["hint"]
    # Nothing crashes; the good memory is listed and rendered.
    assert set(listed(root)) == {"m-2302"}
    assert "I must still be listed." in rendered(root)
    # The file is not rewritten unless the person asks for the conversion.
    assert snapshot_bytes(root) == before


def test_en_05_chinese_title_to_file_name(tmp_path: Path) -> None:
    titles = (case_folder("en-05") / "titles.txt").read_text().splitlines()
    root = make_vault(tmp_path)
    asked = [*titles, titles[0]]
    paths = [add_lesson(root, title) for title in asked]
    # Nine files exist, all different, none is named ".md", "-.md" or by the date alone.
    assert len(asked) == 9
    assert len({str(p) for p in paths}) == 9
    assert len(snapshot_bytes(root)) == 9
    for path, title in zip(paths, asked, strict=True):
        assert path.stem.strip("-")
        assert not path.stem.replace("-", "").isdigit()
        # No earlier text is overwritten; each file holds its own title.
        assert title_in(path) == title
        # Where names keep Chinese characters they are NFC; ASCII ones carry a distinguishing part.
        assert unicodedata.is_normalized("NFC", path.name)
    assert "发布流程" in paths[0].name
    # Names are stable: creating nothing new and re-indexing changes no name.
    names = sorted(snapshot_bytes(root))
    for argv in (["list"], ["check"], ["render"], ["status"]):
        run("--vault", root, *argv)
    assert sorted(snapshot_bytes(root)) == names


def test_en_07_names_that_windows_cannot_check_out(tmp_path: Path) -> None:
    titles = (case_folder("en-07") / "titles.txt").read_text().split("\n")[:-1]
    root = make_vault(tmp_path)
    paths = [add_lesson(root, title) for title in titles]
    committed = [p for p in git(root, "ls-files", "-z").split("\0") if p]
    assert {p.relative_to(root).as_posix() for p in paths} <= set(committed)
    # No committed path has < > : " / \ | ? * or a control character, ends in a dot or space, or is
    # a reserved device name (con, aux, nul, com1...) with any extension.
    for part in (part for path in committed for part in path.split("/")):
        assert not set('<>:"\\|?*') & set(part), part
        assert all(ord(c) >= 32 for c in part), part
        assert part == part.rstrip(". "), part
        assert part.split(".")[0].lower() not in RESERVED, part
    # No two paths are equal when compared without case.
    assert len({p.casefold() for p in committed}) == len(committed)
    # Titles themselves are unchanged inside the files.
    assert [title_in(p) for p in paths] == titles


def test_rf_13_bom_without_metadata(tmp_path: Path) -> None:
    data = (case_folder("rf-13") / "doc.md").read_bytes()
    assert data.startswith(BOM)
    root = make_vault(tmp_path, {"doc.md": data})
    # Title is "Inbox agent rules" without the BOM.
    (record,) = listed(root).values()
    assert record["title"] == "Inbox agent rules"
    run("--vault", root, "adopt", "doc.md").ok()
    (record,) = listed(root).values()
    assert record["title"] == "Inbox agent rules"
    # The second import is recognised as the same source (the BOM makes no difference).
    # later: import; adopting in place is recognised already:
    before, commits = snapshot_bytes(root), commit_count(root)
    run("--vault", root, "adopt", record["path"]).ok()
    assert snapshot_bytes(root) == before
    assert commit_count(root) == commits
