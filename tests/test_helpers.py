"""What the tests stand on: a copied vault is the one that `init` makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import PREPARED, git, make_vault, run

from vault_cli.store.policy import is_made_here


def _files(root: Path) -> dict[str, bytes]:
    """Everything but what holds a time or was drawn by chance: index, log, commit, clone mark."""
    changing = (".git/index", ".git/logs", ".git/objects", ".git/refs/heads/main", ".git/mvault-")
    return {
        name: path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not (name := path.relative_to(root).as_posix()).startswith(changing)
    }


def test_a_copied_vault_is_what_init_makes(tmp_path: Path) -> None:
    copied = make_vault(tmp_path, name="copied")
    made = tmp_path / "made"
    made.mkdir()
    run("--vault", made, "init", cwd=made).ok()
    assert _files(copied) == _files(made)
    assert "vault.toml" in _files(copied)
    assert git(copied, "log", "--format=%T %an %ae %B") == git(
        made, "log", "--format=%T %an %ae %B"
    )
    for root in (copied, made):
        assert git(root, "status", "--porcelain") == ""
        assert is_made_here(root)
        assert (root / ".git/mvault-clone").read_bytes().endswith(f"{root}\n".encode())
        said = run("--vault", root, "status").ok().text
        assert "trust" not in said
        run("--vault", root, "add", "note", "--title", "T", "--body", "It says something.").ok()


@pytest.mark.parametrize("odd", ["environment", "identity", "inside", "full"])
def test_where_init_would_do_something_else_it_is_asked(
    odd: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "outer" / "vault"
    root.mkdir(parents=True)
    assert PREPARED.surroundings() == PREPARED.plain
    if odd == "environment":
        monkeypatch.setenv("MVAULT_NOW", "2026-11-29T00:00:00Z")
    elif odd == "identity":
        (home / "gitconfig").write_text("[user]\n\tname = Another\n\temail = a@example.invalid\n")
    elif odd == "inside":
        git(root.parent, "init", "-q")
    else:
        (root / "note.md").write_text("Here before.\n")
    assert not PREPARED.copy_to(root)
    assert not (root / "vault.toml").exists()
