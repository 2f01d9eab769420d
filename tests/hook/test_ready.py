"""What is ready is what a cold run would say: vaults, trust, branches, code, and no vault at all."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from helpers import commit_all, git, make_vault, run, write_files
from hook_answers import context_of
from hook_runs import FILES, LESSON, hook, state_of

from vault_cli.hook import answer, ready
from vault_cli.hook.call import Call


@pytest.fixture(autouse=True)
def full(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keep answers ready at once; the events for which the full program was asked."""
    monkeypatch.setattr(ready, "SETTLED", -(1 << 62))
    asked: list[str] = []
    real = answer._full

    def note(call: Call) -> dict[str, str]:
        asked.append(call.event)
        return real(call)

    monkeypatch.setattr(answer, "_full", note)
    return asked


def start(folder: Path, state: Path, session: str = "s") -> str:
    """The block of a new session, warm; a cold one says the same."""
    import json

    payload = {"hook_event_name": "SessionStart", "cwd": str(folder), "session_id": session}
    warm = hook("codex", "SessionStart", payload, state)
    cold = hook("codex", "SessionStart", payload, state.parent / f"cold-{os.urandom(4).hex()}")
    if not (state / "trust").exists():  # another state folder has not the same trust
        assert warm == cold
    return context_of(json.loads(warm)) or ""


def user_vault(home: Path, files: dict[str, str]) -> Path:
    return make_vault(home / "data", files, name="mvault")


def test_the_second_start_needs_no_vault_to_be_read(
    tmp_path: Path, home: Path, full: list[str]
) -> None:
    root = make_vault(tmp_path, FILES)
    payload = {"hook_event_name": "SessionStart", "cwd": str(root), "session_id": "s"}
    texts = {hook("codex", "SessionStart", payload, state_of(home)) for _ in range(3)}

    assert len(texts) == 1
    assert full == ["session-start"]


def test_a_session_with_records_of_its_own_is_not_given_the_block_of_others(
    tmp_path: Path, home: Path
) -> None:
    own = LESSON.format(title="Only here", body="For this session.").replace(
        "scope: global", "scope: session:mine"
    )
    root = make_vault(
        tmp_path, FILES | {"memories/l-0000009.md": own.replace("l-0000002", "l-0000009")}
    )
    for session, there in [("other", False), ("mine", True), ("other", False), ("mine", True)]:
        assert ("Only here" in start(root, state_of(home), session)) is there


def test_both_vaults_count(tmp_path: Path, home: Path, full: list[str]) -> None:
    mine = user_vault(home, {"memories/r-0000001.md": FILES["memories/r-0000001.md"]})
    repo = tmp_path / "repo"
    (repo / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    before = start(repo / "src", state_of(home))
    assert "make test" in before
    run("init", "--in-repo", repo / ".mvault", cwd=repo).ok()
    write_files(repo, {".mvault/memories/l-0000002.md": FILES["memories/l-0000002.md"]})
    both = start(repo / "src", state_of(home))
    assert "make test" in both
    assert "预演" in both
    full.clear()
    assert start(repo / "src", state_of(home)) == both
    assert full == ["session-start"]  # the cold one
    (mine / "memories" / "r-0000001.md").unlink()
    assert "make test" not in start(repo / "src", state_of(home))


def test_a_vault_that_comes_to_be_on_the_way_up_is_found(
    tmp_path: Path, home: Path, full: list[str]
) -> None:
    work = tmp_path / "a" / "b"
    work.mkdir(parents=True)
    payload = {"hook_event_name": "UserPromptSubmit", "cwd": str(work), "session_id": "p"}
    talk = payload | {"prompt": "please run all of the tests"}
    for _ in range(3):
        assert hook("codex", "UserPromptSubmit", talk, state_of(home)) == b"{}"
    assert full == ["prompt"]  # without a vault the first prompt is the only one that costs
    assert start(work, state_of(home)) == ""
    make_vault(tmp_path / "a", FILES, name=".mvault")

    assert "make test" in start(work, state_of(home))


def test_a_branch_counts(tmp_path: Path, home: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(repo)], check=True)
    run("init", "--in-repo", repo / ".mvault", cwd=repo).ok()
    rule = FILES["memories/r-0000001.md"].replace("scope:", 'branch: ["feature/*"]\nscope:')
    write_files(repo, {".mvault/memories/r-0000001.md": rule})
    commit_all(repo)
    assert "make test" not in start(repo, state_of(home))
    git(repo, "checkout", "-q", "-b", "feature/x")
    assert "make test" in start(repo, state_of(home))
    git(repo, "checkout", "-q", "main")
    assert "make test" not in start(repo, state_of(home))


def test_changed_code_is_marked(tmp_path: Path, home: Path, full: list[str]) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(repo)], check=True)
    (repo / "src").mkdir()
    code = repo / "src" / "a.py"
    code.write_text("one = 1\n")
    run("init", "--in-repo", repo / ".mvault", cwd=repo).ok()
    blob = git(repo, "hash-object", "src/a.py").strip()
    rule = FILES["memories/r-0000001.md"].replace(
        "scope:", f"anchors:\n- path: src/a.py\n  blob: {blob}\nscope:"
    )
    write_files(repo, {".mvault/memories/r-0000001.md": rule})
    commit_all(repo)
    mark = "its code has changed since"
    assert mark not in start(repo, state_of(home))
    full.clear()
    assert mark not in start(repo, state_of(home))
    assert full == ["session-start"]  # the cold one
    code.write_text("one = 2\n")
    assert mark in start(repo, state_of(home))
    code.write_text("one = 1\n")
    assert mark not in start(repo, state_of(home))
    code.unlink()
    assert mark in start(repo, state_of(home))


def test_trust_that_is_given_counts_at_once(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = make_vault(tmp_path, FILES, name="theirs")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(theirs), str(clone))
    monkeypatch.setenv("MVAULT_STATE_DIR", str(state_of(home)))
    assert "make test" not in start(clone, state_of(home))
    assert "make test" not in start(clone, state_of(home))
    run(
        "--vault",
        clone,
        "trust",
        "--yes",
        env={"MVAULT_ACTOR": "person", "MVAULT_STATE_DIR": str(state_of(home))},
    ).ok()

    assert "make test" in start(clone, state_of(home))


def test_what_others_push_does_not_come_in_by_a_ready_answer(tmp_path: Path, home: Path) -> None:
    theirs = make_vault(tmp_path, FILES, name="theirs")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(theirs), str(clone))
    for _ in range(2):
        assert "make test" not in start(clone, state_of(home))
    write_files(
        theirs,
        {
            "memories/l-0000003.md": LESSON.format(title="Planted", body="x").replace(
                "l-0000002", "l-0000003"
            )
        },
    )
    commit_all(theirs)
    git(clone, "pull", "-q")
    for _ in range(2):
        assert "Planted" not in start(clone, state_of(home))


def test_an_agent_that_changes_its_folder(tmp_path: Path, home: Path, full: list[str]) -> None:
    root = make_vault(tmp_path, FILES)
    (root / "src" / "deep").mkdir(parents=True)
    other = root / "vendor" / "other"
    other.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    run("init", "--in-repo", other / ".mvault", cwd=other).ok()
    there = LESSON.format(title="Vendored code is never edited", body="Send a patch upstream.")
    there = there.replace("l-0000002", "l-0000007")
    write_files(other, {".mvault/memories/l-0000007.md": there})
    commit_all(other)

    def prompt(folder: Path) -> bytes:
        payload = {
            "hook_event_name": "UserPromptSubmit",
            "cwd": str(folder),
            "session_id": "s",
            "prompt": "how is vendored code edited?",
        }
        return hook("codex", "UserPromptSubmit", payload, state_of(home))

    start(root, state_of(home))
    full.clear()
    assert prompt(root / "src" / "deep") == b"{}"
    assert full == []
    assert b"Send a patch upstream" in prompt(other)
    assert prompt(tmp_path) == b"{}"
    assert full == ["prompt", "prompt"]
