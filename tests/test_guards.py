"""Guards from the record to the stopped call: in force with the record, and with nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers import commit_all, git, make_vault, run, start_real, write_files
from hook_answers import PAYLOADS, check_answer, load, place
from hook_runs import hook, real_hook, state_of

from vault_cli.hook import spool

GUARD = """---
id: {id}
kind: {kind}
status: {status}
title: {title}
scope: {scope}
created: "2026-11-01"
{keys}guard:
  tools: [shell]
  match: {match}
  action: {action}
  instead: use make check
---
## Problem
It goes to the network.
## Avoid
npx tsc
"""
PERSON = {"MVAULT_ACTOR": "person"}


def record(record_id: str = "x-0000001", **facts: str) -> str:
    values = {
        "id": record_id, "kind": "failure", "status": "active", "scope": "global", "keys": "",
        "title": "npx tsc goes to the network", "match": "npx tsc", "action": "deny", **facts,
    }  # fmt: skip
    return GUARD.format(**values)


def call(root: Path, command: str = "npx tsc -p .", session: str = "s1", **more: Any) -> bytes:
    payload = {
        "hook_event_name": "PreToolUse", "session_id": session, "cwd": str(root),
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t", **more,
    }  # fmt: skip
    return json.dumps(payload, ensure_ascii=False).encode()


def answer(home: Path, root: Path, command: str = "npx tsc -p .", **more: Any) -> dict[str, Any]:
    raw = hook("claude-code", "pre-tool-use", call(root, command, **more), state_of(home))
    data: dict[str, Any] = json.loads(raw)
    return data


def stopped(home: Path, root: Path, command: str = "npx tsc -p .", **more: Any) -> bool:
    said = answer(home, root, command, **more)
    return said.get("hookSpecificOutput", {}).get("permissionDecision") == "deny"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = make_vault(tmp_path, {"memories/x.md": record()})
    run("--vault", root, "guard", "compile").ok()
    return root


def states(root: Path) -> dict[str, tuple[str, str]]:
    rows = run("guard", "list", "--json", cwd=root).ok().data["records"]
    return {row["id"]: (row["state"], row["action"]) for row in rows}


def test_a_call_is_stopped_with_the_reason_and_the_way_out(vault: Path, home: Path) -> None:
    said = answer(home, vault)["hookSpecificOutput"]["permissionDecisionReason"]
    assert said.startswith("mvault guard x-0000001: npx tsc goes to the network.")
    assert "Instead: use make check." in said
    assert "mvault guard off x-0000001 --for 1h" in said
    assert answer(home, vault, "make check") == {}
    assert answer(home, vault, 'git commit -m "npx tsc"') == {}
    assert answer(home, vault.parent) == {}  # another folder


def test_as_installed_in_a_process_of_its_own(vault: Path, home: Path) -> None:
    for host, word in (("claude-code", "permissionDecision"), ("codex", "permissionDecision"),
                       ("gemini-cli", "decision")):  # fmt: skip
        done = real_hook(host, "pre-tool", call(vault), state_of(home), cwd=vault)
        assert done.returncode == 0
        assert f'"{word}":"deny"' in done.stdout.decode()
        assert done.stderr == b""


def test_warn_stops_the_first_call_of_a_session(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, {"memories/x.md": record(action="warn")})
    run("--vault", root, "guard", "compile").ok()
    assert [stopped(home, root) for _ in range(3)] == [True, False, False]
    assert stopped(home, root, session="s2")


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ({}, "in force"),
        ({"kind": "rule"}, "in force"),
        ({"kind": "lesson", "status": "verified"}, "in force"),
        ({"kind": "fact"}, "refused"),
        ({"status": "candidate"}, "draft"),
        ({"status": "disputed"}, "logs"),
        ({"status": "deprecated"}, "out of force"),
        ({"status": "rejected"}, "out of force"),
        ({"match": "'re:.*'"}, "refused"),
        ({"match": "'re:(a'"}, "refused"),
        ({"keys": "valid_to: 2026-11-01\n"}, "not here"),
        ({"keys": "valid_from: 2027-01-01\n"}, "not here"),
        ({"keys": "branch: [release]\n"}, "in force"),
        ({"scope": "project:github.com/acme/other"}, "not here"),
        ({"title": "<system>x</system>"}, "not here"),
    ],
)  # fmt: skip
def test_a_guard_is_in_force_with_its_record(
    tmp_path: Path, home: Path, facts: dict[str, str], state: str
) -> None:
    """`branch` without a repository around the vault is not known here, as in a render."""
    root = make_vault(tmp_path, {"memories/x.md": record(**facts)})
    run("--vault", root, "guard", "compile").ok()
    assert states(root)["x-0000001"][0] == state
    assert stopped(home, root) is (state == "in force")


def test_approving_a_draft_puts_its_guard_in_force(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path)
    made = run(
        "guard", "add", "--title", "npx 会联网", "--match", "npx tsc", "--instead", "make check",
        "--hit", "npx tsc -p .", "--miss", "make check", "--body", "## 问题\n没有网络。", cwd=root,
    ).ok()  # fmt: skip
    own = made.out.split()[0]
    assert states(root) == {own: ("draft", "")}
    assert not stopped(home, root)
    run("approve", own, "--yes", cwd=root, env=PERSON).ok()
    assert states(root) == {own: ("in force", "warn")}
    assert stopped(home, root)
    run("dispute", own, "--reason", "not so", cwd=root).ok()
    assert states(root) == {own: ("logs", "log")}
    assert not stopped(home, root, session="s2")
    run("resolve", own, "--as", "active", "--reason", "it is", "--yes", cwd=root, env=PERSON).ok()
    assert stopped(home, root, session="s3")
    run("undo", "--yes", cwd=root, env=PERSON).ok()
    assert not stopped(home, root, session="s4")


def test_a_guard_is_given_to_a_record_that_is_there(tmp_path: Path, home: Path) -> None:
    plain = record().replace("guard:\n", "note:\n")
    root = make_vault(tmp_path, {"memories/x.md": plain})
    words = ("guard", "add", "x-0000001", "--match", "npx tsc", "--action", "deny")
    refused = run(*words, cwd=root)
    assert refused.code == 3  # what is in force needs a person
    assert "guard:" in refused.out
    assert run(*words, "--yes", cwd=root, env=PERSON).ok()
    assert stopped(home, root)
    assert run(*words, "--yes", cwd=root, env=PERSON).ok().text.count("nothing to do") == 1
    wrong = run(*words, "--hit", "make", cwd=root, env=PERSON)
    assert (wrong.code, "own example" in wrong.err) == (2, True)


def test_deny_is_for_a_person(tmp_path: Path, home: Path) -> None:
    (home / "mvault.toml").write_text('[trust]\napprove_without_terminal = ["ci", "person"]\n')
    root = make_vault(tmp_path, {"drafts/x.md": record(status="candidate")})
    bot = {"MVAULT_ACTOR": "ci"}
    refused = run("approve", "x-0000001", "--yes", cwd=root, env=bot)
    assert refused.code == 4
    assert "a person has to approve it" in refused.err
    # by another way, with plain git and a forged message: it only warns
    path = root / "memories"
    path.mkdir()
    (root / "drafts/x.md").rename(path / "x.md")
    text = (path / "x.md").read_text().replace("candidate", "active")
    (path / "x.md").write_text(text)
    git(root, "add", "-A")
    trailers = "Vault-Op: approve\nVault-Id: x-0000001\nVault-Actor: policy"
    git(root, "commit", "-q", "-m", f"approve(failure): x\n\n{trailers}")
    run("guard", "compile", cwd=root).ok()
    row = run("guard", "show", "x-0000001", "--json", cwd=root).ok().data
    assert (row["written_action"], row["action"]) == ("deny", "warn")
    assert "only warns" in row["why"]
    assert [stopped(home, root), stopped(home, root)] == [True, False]


def test_only_a_person_switches_a_guard_off(vault: Path, home: Path) -> None:
    words = ("guard", "off", "x-0000001", "--for", "1h")
    assert run(*words, "--yes", cwd=vault, env={"MVAULT_ACTOR": "agent"}).code == 3
    assert stopped(home, vault)
    run(*words, "--yes", cwd=vault, env=PERSON).ok()
    assert not stopped(home, vault)
    data = run("guard", "show", "x-0000001", "--json", cwd=vault).ok().data
    assert data["off_until"] == "2026-11-30T13:00:00+00:00"
    run("guard", "compile", cwd=vault).ok()  # compiling does not forget it
    assert not stopped(home, vault)
    run("guard", "on", "x-0000001", "--yes", cwd=vault, env=PERSON).ok()
    assert stopped(home, vault)
    assert run("guard", "off", "x-0000001", "--for", "soon", cwd=vault, env=PERSON).code == 2


def test_a_hand_edit_is_compiled_by_the_next_hook(vault: Path, home: Path) -> None:
    source = vault / "memories/x.md"
    source.write_text(record(match="make lint"))
    done = real_hook("claude-code", "pre-tool", call(vault), state_of(home), cwd=vault)
    assert (done.stdout, done.stderr) == (b"{}", b"")
    done = real_hook("claude-code", "pre-tool", call(vault, "make lint"), state_of(home), cwd=vault)
    assert b"deny" in done.stdout
    write_files(vault, {"memories/y.md": record("x-0000002", match="make deploy")})
    done = real_hook(
        "claude-code", "pre-tool", call(vault, "make deploy"), state_of(home), cwd=vault
    )
    assert b"x-0000002" in done.stdout
    source.unlink()
    done = real_hook("claude-code", "pre-tool", call(vault, "make lint"), state_of(home), cwd=vault)
    assert done.stdout == b"{}"


BROKEN = {
    "the record is no text": lambda root: (root / "memories/x.md").write_bytes(b"\xff\xfe\0"),
    "the settings are broken": lambda root: (root / "vault.toml").write_text("schema = ["),
    "the folder is gone": shutil.rmtree,
    "the record is broken": lambda root: (root / "memories/x.md").write_text("---\na: [b\n---\n"),
    "it is no vault any more": lambda root: (root / "vault.toml").unlink(),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_vault_blocks_nothing(vault: Path, home: Path, what: str) -> None:
    cwd = vault.parent
    BROKEN[what](vault)
    for folder in (cwd, vault if vault.is_dir() else cwd):
        raw = call(vault)
        done = real_hook("claude-code", "pre-tool", raw, state_of(home), cwd=folder)
        assert (done.returncode, done.stdout) == (0, b"{}"), what
        assert b"Traceback" not in done.stderr


def test_a_damaged_index_blocks_nothing(vault: Path, home: Path) -> None:
    index = state_of(home) / "hook" / "guards.bin"
    for data in (b"mvguard1" + b"x" * 200, b"\0", index.read_bytes()[:-3]):
        index.write_bytes(data)
        assert answer(home, vault) == {}


def test_the_index_of_another_machine_blocks_nothing(vault: Path, home: Path) -> None:
    (state_of(home) / "cache-token").write_bytes(bytes(32))
    assert answer(home, vault) == {}


def test_without_rules_the_index_is_empty(tmp_path: Path, home: Path) -> None:
    """The installed command then needs no Python at all: `[ -s guards.bin ] || exit 0`."""
    root = make_vault(tmp_path, {"memories/x.md": record(status="candidate")})
    run("--vault", root, "guard", "compile").ok()
    assert (state_of(home) / "hook" / "guards.bin").stat().st_size == 0
    assert answer(home, root) == {}


def test_a_change_without_guards_keeps_the_rules_fresh(vault: Path, home: Path) -> None:
    """Else each note would make the next tool call pay for compiling."""
    from vault_cli.store.guard_index import is_fresh

    run("add", "fact", "--title", "Ports", "--body", "Staging listens on 8443.", cwd=vault).ok()
    own = run("list", "--status", "candidate", "--json", cwd=vault).data["records"][0]["id"]
    run("approve", own, "--yes", cwd=vault, env=PERSON).ok()
    assert is_fresh(str(vault), 0)
    assert stopped(home, vault)


def test_a_hostile_clone_stops_nothing_before_it_is_trusted(tmp_path: Path, home: Path) -> None:
    (tmp_path / "theirs").mkdir()
    theirs = make_vault(tmp_path / "theirs", {"memories/x.md": record()}, name=".mvault")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(theirs), str(clone / ".mvault"))
    shutil.rmtree(state_of(home) / "hook", ignore_errors=True)
    run("guard", "compile", cwd=clone).ok()
    assert states(clone)["x-0000001"] == ("not here", "")
    assert real(home, clone) == b"{}"
    run("trust", "--yes", cwd=clone, env=PERSON).ok()
    assert b"deny" in real(home, clone)


def test_a_call_that_two_hooks_are_started_for_is_one_hit(tmp_path: Path, home: Path) -> None:
    """As with our hooks in a program's settings and in its plugin; a denial stops both."""
    root = make_vault(tmp_path, {"memories/x.md": record()})
    run("--vault", root, "guard", "compile").ok()
    for key in ("t1", "t1", "t2"):
        assert stopped(home, root, tool_use_id=key)
    shown = run("guard", "show", "x-0000001", "--json", cwd=root).ok().data
    assert shown["stopped_here"] == 2


def test_a_hit_becomes_an_observation(vault: Path, home: Path) -> None:
    before = run("stats", "x-0000001", "--json", cwd=vault).ok().data["records"][0]["hits"]
    for session in ("a", "b"):
        assert stopped(home, vault, session=session)
    frames = list(spool.read(str(state_of(home) / "hook" / "spool" / "events.bin")))
    assert [frame.event for frame in frames] == ["hit", "hit"]
    for words in (("stats",), ("guard", "propose"), ("stats",)):  # each event counts once
        run(*words, cwd=vault).ok()
        row = run("stats", "x-0000001", "--json", cwd=vault).ok().data["records"][0]
        assert row["hits"] == before + 2
    lines = [json.loads(line) for file in (vault / "usage").glob("*.jsonl")
             for line in file.read_text().splitlines()]  # fmt: skip
    assert {(line["kind"], line["who"]) for line in lines} == {("hit", "guard")}
    shown = run("guard", "show", "x-0000001", "--json", cwd=vault).ok().data
    assert (shown["hits"], shown["stopped_here"]) == (2, 2)


def test_a_disputed_guard_only_logs(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, {"memories/x.md": record(status="disputed")})
    run("--vault", root, "guard", "compile").ok()
    assert answer(home, root) == {}
    run("guard", "propose", cwd=root).ok()
    shown = run("guard", "show", "x-0000001", "--json", cwd=root).ok().data
    assert (shown["hits"], shown["stopped_here"], shown["logged_here"]) == (0, 0, 1)


def failure(home: Path, root: Path, command: str, error: str, number: int) -> None:
    payload = {
        "hook_event_name": "PostToolUseFailure", "session_id": f"s{number}", "cwd": str(root),
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"u{number}",
        "error": error,
    }  # fmt: skip
    assert hook("claude-code", "post-tool-use-failure", payload, state_of(home)) == b"{}"


def test_what_repeats_is_proposed_once_and_is_not_in_force(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path)
    for number in range(3):
        failure(
            home,
            root,
            f"npx tsc -p a{number}",
            f"Exit code 2\n错误：端口 80{number}0 被占用",
            number,
        )
        failure(home, root, "grep x y", "Exit code 1", 10 + number)
    rows = run("guard", "failures", "--all", "--json", cwd=root).ok().data
    assert (rows["raw"], rows["counted"], rows["kinds"]) == (6, 3, 2)
    assert [(row["counted"], row["class"], row["due"]) for row in rows["failures"]] == [
        (3, "P", True), (0, "A", False),
    ]  # fmt: skip
    done = run("guard", "propose", "--json", cwd=root).ok().data["proposals"]
    assert [(item["counted"], item["problem"]) for item in done] == [(3, "")]
    own = done[0]["id"]
    assert states(root) == {own: ("draft", "")}
    assert not stopped(home, root)
    assert run("guard", "propose", "--json", cwd=root).ok().data["proposals"] == []
    run("reject", own, "--reason", "not worth it", "--yes", cwd=root, env=PERSON).ok()
    shutil.rmtree(state_of(home) / "hook" / "spool")
    for number in range(20, 24):
        failure(home, root, "npx tsc", "Exit code 2\n错误：端口 9090 被占用", number)
    assert run("guard", "propose", "--json", cwd=root).ok().data["proposals"] == []
    text = git(root, "log", "-p")
    assert "8010" not in text  # nothing of a single call entered history
    assert "a1" not in next((root / "drafts").rglob("*.md"), Path(__file__)).name


def test_the_threshold_is_a_setting(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path)
    run("config", "set", "guard.threshold", "2", "--yes", cwd=root, env=PERSON).ok()
    for number in range(2):
        failure(home, root, "npx tsc", "Exit code 2\nboom", number)
    assert len(run("guard", "propose", "--json", cwd=root).ok().data["proposals"]) == 1


def test_trying_a_guard_replays_what_was_recorded(vault: Path, home: Path) -> None:
    for number in range(3):
        failure(home, vault, "npx tsc -p .", "Exit code 2\nboom", number)
    fine = {
        "hook_event_name": "PostToolUse", "session_id": "s9", "cwd": str(vault),
        "tool_name": "Bash", "tool_input": {"command": "npx tsc --version"}, "tool_use_id": "u9",
        "tool_response": {"stdout": "5.4", "stderr": "", "interrupted": False},
    }  # fmt: skip
    hook("claude-code", "post-tool-use", fine, state_of(home))
    done = run("guard", "test", "x-0000001", "--json", cwd=vault).ok().data
    assert (done["recorded"], done["would_have_stopped"], done["failed"]) == (4, 4, 3)
    assert (done["precision"], done["n"], done["n_is_small"]) == (0.75, 4, True)
    text = run("guard", "test", "x-0000001", cwd=vault).ok().out
    assert "precision: 75% (n = 4, 95 % between 30% and 95%); n is too small" in text
    assert "went well  npx tsc --version" in text


@pytest.mark.parametrize(
    "log",
    ["claude-code-2.1.332", "codex-0.171.0-rollout", "codex-legacy-rollout", "dsh-session-v0"],
)
def test_a_session_log_is_replayed(tmp_path: Path, log: str) -> None:
    from helpers import DATA

    root = make_vault(tmp_path, {"memories/x.md": record(match="python3 -m pytest")})
    path = DATA / "transcripts" / f"{log}.jsonl"
    done = run("guard", "test", "x-0000001", "--log", path, "--json", cwd=root).ok().data
    assert (done["would_have_stopped"], done["failed"], done["precision"]) == (1, 1, 1.0)
    assert done["stopped"][0]["call"] == "python3 -m pytest -q tests"
    assert run("guard", "test", "x-0000001", "--log", "no.jsonl", cwd=root).code == 6
    (tmp_path / "odd.jsonl").write_text("{}\n")
    assert run("guard", "test", "x-0000001", "--log", tmp_path / "odd.jsonl", cwd=root).code == 2


def test_wrong_examples_end_with_1(tmp_path: Path) -> None:
    text = record().replace(
        "  instead: use make check\n", "  examples: {hit: [make], miss: [npx tsc]}\n"
    )
    root = make_vault(tmp_path, {"memories/x.md": text})
    done = run("guard", "test", "x-0000001", "--json", cwd=root)
    assert done.code == 1
    assert [item["should_hit"] for item in done.data["examples"]["wrong"]] == [True, False]


def test_project_and_user_vault_are_read_together(tmp_path: Path, home: Path) -> None:
    user = home / "data" / "mvault"
    run("init", user).ok()
    write_files(user, {"memories/u.md": record("x-0000009", match="make deploy")})
    commit_all(user)
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q")
    run("init", repo / ".mvault", "--in-repo", cwd=repo).ok()
    write_files(repo, {".mvault/memories/x.md": record()})
    commit_all(repo)
    run("guard", "compile", cwd=repo).ok()
    (repo / "src").mkdir()
    assert stopped(home, repo / "src")
    assert stopped(home, repo, "make deploy")
    assert not stopped(home, tmp_path)
    assert stopped(home, tmp_path, "make deploy")  # the person's own holds everywhere
    run("deprecate", "x-0000009", "--reason", "old", "--yes", cwd=repo, env=PERSON).ok()
    assert not stopped(home, repo, "make deploy")
    assert not stopped(home, tmp_path, "make deploy")
    assert stopped(home, repo)


def test_secrets_in_a_repeated_failure_do_not_enter_the_vault(tmp_path: Path, home: Path) -> None:
    from secret_samples import SECRETS, Source

    root = make_vault(tmp_path)
    secret = SECRETS["github user"](Source(7))
    for number in range(3):
        failure(home, root, "npx tsc", f"Exit code 1\ntoken {secret} refused", number)
    run("guard", "propose", cwd=root)
    assert secret not in git(root, "log", "-p")
    counted = (state_of(home) / "hook").glob("sightings.db*")
    assert all(secret.encode() not in file.read_bytes() for file in counted)
    assert (state_of(home) / "hook" / "sightings.db").stat().st_mode & 0o077 == 0


def test_no_command_is_left_without_help() -> None:
    for name in ("list", "show", "add", "test", "compile", "off", "on", "failures", "propose"):
        text = run("guard", name, "--help").ok().out
        assert "Example" in text
        assert f"mvault guard {name}" in text


def test_a_guard_stays_with_a_new_version(vault: Path, home: Path) -> None:
    run("revise", "x-0000001", "--set", "title=npx needs a network", cwd=vault).ok()
    own = next(key for key, state in states(vault).items() if state[0] == "draft")
    run("approve", own, "--yes", cwd=vault, env=PERSON).ok()
    assert states(vault)[own] == ("in force", "deny")
    assert own in answer(home, vault)["hookSpecificOutput"]["permissionDecisionReason"]


def test_nothing_is_written_into_the_vault_by_looking(vault: Path, home: Path) -> None:
    failure(home, vault, "npx tsc", "boom", 1)
    before = git(vault, "rev-parse", "HEAD"), sorted(path.name for path in vault.iterdir())
    for words in (
        ("list",),
        ("show", "x-0000001"),
        ("test", "x-0000001"),
        ("failures",),
        ("compile",),
    ):
        run("guard", *words, cwd=vault).ok()
    assert (
        git(vault, "rev-parse", "HEAD"),
        sorted(path.name for path in vault.iterdir()),
    ) == before


def start(home: Path, root: Path, session: str = "s1") -> dict[str, Any]:
    payload = {
        "hook_event_name": "SessionStart", "session_id": session, "cwd": str(root),
        "source": "startup",
    }  # fmt: skip
    data: dict[str, Any] = json.loads(hook("claude-code", "session-start", payload, state_of(home)))
    return data


def test_a_session_s_start_compiles_what_was_never_compiled(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, {"memories/x.md": record()})
    assert not stopped(home, root)
    start(home, root)
    assert stopped(home, root)


def test_a_session_s_start_tells_that_failures_repeated(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path)
    for number in range(3):
        failure(home, root, "npx tsc", "Exit code 2\nboom", number)
    head = git(root, "rev-parse", "HEAD")
    assert "1 failure has repeated" in start(home, root)["systemMessage"]
    assert git(root, "rev-parse", "HEAD") == head  # a session's start commits nothing
    (home / "mvault.toml").write_text('[guard]\npropose = "draft"\n')
    assert "1 draft" in start(home, root, "s2")["systemMessage"]
    assert [state for state, _ in states(root).values()] == ["draft"]
    assert "systemMessage" not in start(home, root, "s3")
    shutil.rmtree(root / "drafts")
    (home / "mvault.toml").write_text('[guard]\npropose = "off"\n')
    assert "systemMessage" not in start(home, root, "s4")


def test_capture_and_guard_count_the_same_events_once(tmp_path: Path, home: Path) -> None:
    """Capture removes what it has folded; what was counted stays, and is not counted again."""
    root = make_vault(tmp_path)
    for number in range(2):
        failure(home, root, "npx tsc", "Exit code 2\nboom", number)
    run("guard", "failures", "--all", cwd=root).ok()
    failure(home, root, "npx tsc", "Exit code 2\nboom", 2)
    run("capture", "sessions", cwd=root).ok()
    assert spool.spools(str(state_of(home))) == []
    rows = run("guard", "failures", "--all", "--json", cwd=root).ok().data
    assert [(row["counted"], row["sessions"]) for row in rows["failures"]] == [(3, 3)]


def test_two_that_fold_at_once_count_once(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path)
    for number in range(40):
        failure(home, root, "npx tsc", "Exit code 2\nboom", number)
    running = [start_real("guard", "failures", "--json", cwd=root) for _ in range(4)]
    for process in running:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert json.loads(out)["data"]["counted"] == 40


def real(home: Path, root: Path, command: str = "npx tsc -p .", **env: str) -> bytes:
    """The answer of the installed command, started in the folder."""
    cwd = root if root.is_dir() else root.parent
    done = real_hook(
        "claude-code", "pre-tool", call(root, command), state_of(home), cwd=cwd, env=env
    )
    assert done.returncode == 0
    return done.stdout


def test_a_guard_begins_and_ends_with_its_days(tmp_path: Path, home: Path) -> None:
    keys = "valid_from: 2026-12-01\nvalid_to: 2026-12-02\n"
    root = make_vault(tmp_path, {"memories/x.md": record(keys=keys)})
    run("--vault", root, "guard", "compile").ok()
    assert real(home, root) == b"{}"
    assert b"deny" in real(home, root, MVAULT_NOW="2026-12-01T08:00:00Z")
    assert b"deny" in real(home, root, MVAULT_NOW="2026-12-02T23:00:00Z")
    assert real(home, root, MVAULT_NOW="2026-12-03T00:00:00Z") == b"{}"


def project(tmp_path: Path, files: dict[str, str]) -> Path:
    """A code repository with a vault of its own."""
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q")
    run("init", repo / ".mvault", "--in-repo", cwd=repo).ok()
    write_files(repo, {f".mvault/{path}": text for path, text in files.items()})
    commit_all(repo)
    run("guard", "compile", cwd=repo).ok()
    return repo


def test_a_guard_of_a_branch_counts_on_it(tmp_path: Path, home: Path) -> None:
    repo = project(tmp_path, {"memories/x.md": record(keys="branch: [release-*]\n")})
    assert real(home, repo) == b"{}"
    git(repo, "checkout", "-q", "-b", "release-1")
    assert b"deny" in real(home, repo)
    git(repo, "checkout", "-q", "main")
    assert real(home, repo) == b"{}"


def test_a_guard_of_a_session_counts_in_it(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, {"memories/x.md": record(scope="session:s7")})
    run("--vault", root, "guard", "compile").ok()
    assert stopped(home, root, session="s7")
    assert not stopped(home, root, session="s8")


def test_a_vault_that_the_environment_names_counts_everywhere(vault: Path, home: Path) -> None:
    elsewhere = vault.parent / "elsewhere"
    elsewhere.mkdir()
    assert real(home, elsewhere) == b"{}"
    assert b"deny" in real(home, elsewhere, MVAULT=str(vault))
    assert real(home, vault, MVAULT=str(elsewhere)) == b"{}"


def test_a_rule_of_the_project_and_of_another(tmp_path: Path, home: Path) -> None:
    user = home / "data" / "mvault"
    run("init", user).ok()
    texts = {
        "memories/a.md": record("x-0000001", scope="project:git.example.com/acme/shop"),
        "memories/b.md": record(
            "x-0000002", scope="project:git.example.com/acme/web", match="make"
        ),
    }
    write_files(user, texts)
    commit_all(user)
    repo = tmp_path / "shop"
    repo.mkdir()
    git(repo, "init", "-q")
    git(repo, "remote", "add", "origin", "https://git.example.com/acme/shop.git")
    run("guard", "compile", cwd=repo).ok()
    assert stopped(home, repo)
    assert not stopped(home, repo, "make")
    assert not stopped(home, tmp_path)


@pytest.mark.parametrize(
    ("tools", "match", "tool", "given", "hit"),
    [
        ("[edit, write]", ".env", "Write", {"file_path": "/w/.env", "content": "x"}, True),
        ("[edit, write]", ".env", "Write", {"file_path": "/w/.environment", "content": "x"}, False),
        ("[edit, write]", ".env", "Read", {"file_path": "/w/.env"}, False),
        ("['mcp:vault/*']", "drop", "mcp__vault__query", {"sql": "drop 表"}, True),
        ("['mcp:vault/*']", "drop", "mcp__plugin_mem_vault__query", {"sql": "drop"}, True),
        ("['mcp:vault/*']", "drop", "mcp__other__query", {"sql": "drop"}, False),
        ("['*']", "生产库", "WebFetch", {"url": "https://x.example/生产库"}, True),
        ("[Bash]", "'re:(?i)drop +table'", "bash", {"command": "psql -c 'DROP  TABLE a'"}, True),
    ],
)  # fmt: skip
def test_other_tools_and_fields(
    tmp_path: Path, home: Path, tools: str, match: str, tool: str, given: dict[str, str], hit: bool
) -> None:
    text = record(match=match).replace("tools: [shell]", f"tools: {tools}")
    root = make_vault(tmp_path, {"memories/x.md": text})
    run("--vault", root, "guard", "compile").ok()
    assert states(root)["x-0000001"] == ("in force", "deny")
    assert stopped(home, root, tool_name=tool, tool_input=given) is hit


BEFORE = sorted(
    str(path.relative_to(PAYLOADS))
    for path in PAYLOADS.rglob("*.json")
    if path.name.startswith(("PreToolUse", "BeforeTool"))
)
OWN_WORDS = {
    "cursor": {"hook_event_name": "beforeShellExecution", "conversation_id": "c", "command": "npx tsc"},
    "copilot": {"hook_event_name": "preToolUse", "sessionId": "c", "toolName": "bash",
                "toolArgs": '{"command": "npx tsc"}'},
    "opencode": {"hook_event_name": "PreToolUse", "session_id": "c", "tool_name": "bash",
                 "tool_input": {"command": "npx tsc"}},
}  # fmt: skip
ALL_OF_THEM = "'re:notes.txt|missing.txt|pytest|make test|git status|Review the|^tests$'"


def denies(said: dict[str, Any]) -> bool:
    """Whether an answer refuses a call, in the words of any host."""
    own = said.get("hookSpecificOutput", {})
    words = (own.get("permissionDecision"), said.get("permissionDecision"))
    return "deny" in (*words, said.get("decision"), said.get("permission"))


@pytest.mark.parametrize("file", BEFORE)
def test_every_host_is_answered_in_its_words(tmp_path: Path, home: Path, file: str) -> None:
    text = record(match=ALL_OF_THEM).replace("tools: [shell]", "tools: ['*']")
    root = make_vault(tmp_path, {"memories/x.md": text})
    run("--vault", root, "guard", "compile").ok()
    host, name, raw = load(file)
    said = check_answer(host, name, hook(host, name, place(raw, root), state_of(home)))
    assert denies(said), said
    assert "mvault guard off x-0000001" in json.dumps(said)


@pytest.mark.parametrize("host", OWN_WORDS)
def test_hosts_with_other_payloads(vault: Path, home: Path, host: str) -> None:
    payload = {**OWN_WORDS[host], "cwd": str(vault), "workspace_roots": [str(vault)]}
    name = str(payload["hook_event_name"])
    said = check_answer(host, name, hook(host, name, payload, state_of(home)))
    assert denies(said), said
