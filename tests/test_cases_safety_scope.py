"""Acceptance cases of safety: names of projects, ids and files that would leave the vault."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers import case_folder, checked, copy_case, git, make_vault, rendered, run

NAMES = (case_folder("sa-09") / "names.txt").read_text().splitlines()


def everything(folder: Path) -> dict[str, bytes | str]:
    """Every file below a folder with its bytes; of a link where it leads."""
    return {
        str(path.relative_to(folder)): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def outside(root: Path) -> dict[str, bytes | str]:
    """What lies beside the vault, and git's own files that a name could have reached."""
    return {
        name: data
        for name, data in everything(root.parent).items()
        if not name.startswith(f"{root.name}/")
        or "/.git/hooks/" in name
        or ".gitattributes" in name
    }


@pytest.mark.parametrize("name", NAMES)
def test_sa_09_a_title_a_topic_and_a_project_stay_inside(tmp_path: Path, name: str) -> None:
    root = make_vault(tmp_path)
    before = outside(root)
    added = run("--vault", root, "add", "note", f"--title={name}", "--body", "x")
    added.ok()
    topics = run("--vault", root, "add", "note", "--title", "t", "--body", "x", f"--topic={name}")
    topics.ok()
    scope = f"--scope=project:{name}"
    scoped = run("--vault", root, "add", "note", "--title", "s", "--body", "x", scope)
    asked = run("--vault", root, "render", f"--project={name}")
    if name.startswith("-"):  # an odd name, but no path: it is kept as a text
        scoped.ok()
        asked.ok()
    else:
        leads_out = name.startswith(("/", "~", ".", "C:")) or "\\" in name
        assert (scoped.code, asked.code) == ((2, 2) if leads_out else (0, 0))
        assert not leads_out or len(name) < 3 or name not in scoped.err + asked.err
    assert outside(root) == before
    files = [line for line in git(root, "ls-files", "-z").split("\0") if line.endswith(".md")]
    assert all(path == "README.md" or path.startswith("drafts/2026-11/") for path in files)
    assert all(path.count("/") <= 2 and ".." not in path for path in files)


@pytest.mark.parametrize("name", NAMES)
def test_sa_09_an_id_is_refused_or_harmless(tmp_path: Path, name: str) -> None:
    text = f"---\nid: '{name}'\nkind: recipe\nstatus: active\ntitle: x\n---\nText.\n"
    root = make_vault(tmp_path, {"recipes/x.md": text})
    before = outside(root)
    found = [item["code"] for item in checked(root) if item["path"] == "recipes/x.md"]
    assert "bad-id" in found
    done = run(
        "--vault",
        root,
        "graduate",
        "recipes/x.md",
        f"--name={name}",
        "--force",
        "--reason",
        "x",
        "--yes",
        env={"MVAULT_ACTOR": "person"},
    )
    assert done.code in (2, 4)
    assert outside(root) == before


def test_sa_09_a_link_that_leads_outside_is_reported_and_not_read(tmp_path: Path) -> None:
    case = copy_case("sa-09", tmp_path)
    root = make_vault(tmp_path)
    (root / "memories").mkdir()
    shutil.copy(case / "vault/linked.md", root / "memories/linked.md", follow_symlinks=False)
    (root / "memories/linked.md").unlink()
    (root / "memories/linked.md").symlink_to(case / "outside/secret.md")
    (root / "memories/folder").symlink_to(case / "outside")
    secret = (case / "outside/secret.md").read_text().strip().splitlines()[-1]
    found = {item["path"]: item["code"] for item in checked(root)}
    assert found["memories/linked.md"] == "link"
    assert secret not in rendered(root)
    assert secret not in run("--vault", root, "--json", "list").text
