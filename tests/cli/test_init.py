"""`init` where git does not know who commits: says what it wants, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import git, run

NOBODY = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
NAMED = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
         "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com"}  # fmt: skip


@pytest.mark.parametrize("place", ["memory", "a/b/记忆库", "."])
@pytest.mark.parametrize("more", [{}, NAMED], ids=["no name", "names in the environment"])
def test_nothing_is_left_of_an_init_that_git_cannot_commit(
    tmp_path: Path, place: str, more: dict[str, str]
) -> None:
    done = run("init", place, cwd=tmp_path, env={**NOBODY, **more})
    assert done.code == 7, done.text
    assert "user.name and user.email not set" in done.err
    assert 'git config --global user.name "Your Name"' in done.err
    assert ("GIT_AUTHOR_NAME does not count" in done.err) is bool(more)
    assert list(tmp_path.iterdir()) == []
    run("init", place, cwd=tmp_path).ok()
    assert (tmp_path / place / "vault.toml").is_file()


def test_what_was_there_stays_there(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "note.md").write_text("# 笔记\n", encoding="utf-8")
    assert run("init", "v", cwd=tmp_path, env=NOBODY).code == 7
    assert [path.name for path in (tmp_path / "v").iterdir()] == ["note.md"]
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "--quiet")
    assert run("init", cwd=repo, env=NOBODY).code == 7
    assert [path.name for path in repo.iterdir()] == [".git"]


@pytest.mark.parametrize(("actor", "said"), [("person", "person"), ("agent", "agent")])
def test_the_log_names_who_made_the_vault(tmp_path: Path, actor: str, said: str) -> None:
    run("init", "v", cwd=tmp_path, env={"MVAULT_ACTOR": actor}).ok()
    trailer = git(tmp_path / "v", "log", "-1", "--format=%(trailers:key=Vault-Actor,valueonly)")
    assert trailer.strip() == said


@pytest.mark.parametrize(
    ("argv", "go"), [((".",), ""), (("记 忆",), "cd '记 忆'"), ((".mvault", "--in-repo"), "")]
)
def test_the_first_steps_can_be_typed_where_the_person_stands(
    tmp_path: Path, argv: tuple[str, ...], go: str
) -> None:
    if "--in-repo" in argv:
        git(tmp_path, "init", "--quiet")
    said = run("init", *argv, cwd=tmp_path).ok().err.rpartition("hint: Begin with ")[2]
    assert said.startswith(f"`{go}`, `mvault add note" if go else "`mvault add note")
    place = tmp_path / "记 忆" if go else tmp_path
    run("add", "note", "--title", "One", "--body", "Port 5432.", cwd=place).ok()


def test_the_user_vault_is_found_anywhere_and_an_agent_program_comes_next(tmp_path: Path) -> None:
    said = run("init", "--user", cwd=tmp_path).ok().err
    assert "Begin with `mvault add note" in said
    assert "`mvault install HOST`" in said
