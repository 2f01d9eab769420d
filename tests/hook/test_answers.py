"""Every stored payload gets an answer its host takes, whatever the vault is like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import case_vault, commit_all, make_vault, run, run_real
from hook_answers import FILES as PAYLOADS
from hook_answers import check_answer, context_of, load, place
from hook_runs import FILES, NOTHING_DUE, ask, hook, real_hook, state_of

from vault_cli.hook import events, replies, words

VAULTS = ("none", "empty", "normal", "broken files", "broken settings", "broken git", "gone")


def make(kind: str, parent: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with such a vault in it."""
    if kind == "none":
        root = parent / "plain"
        root.mkdir()
        return root
    if kind == "gone":
        monkeypatch.setenv("MVAULT", str(parent / "gone"))
        return parent / "gone"
    if kind == "broken files":
        return case_vault("ho-01", parent)
    root = make_vault(parent, {} if kind == "empty" else FILES)
    if kind == "broken settings":
        (root / "vault.toml").write_bytes(b"[render\nbudget = \xff")
    if kind == "broken git":
        (root / ".git" / "HEAD").write_bytes(b"\x00\x01")
        (root / ".state" / "index.sqlite").write_bytes(b"no database")
    return root


@pytest.mark.parametrize("kind", VAULTS)
def test_every_payload_gets_a_valid_answer(
    kind: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(kind, tmp_path, monkeypatch)
    shown = 0
    for file in PAYLOADS:
        host, name, raw = load(file)
        moved = place(raw, root, session_id=f"s-{file}")
        data = check_answer(host, name, hook(host, name or "stop", moved, state_of(home)))
        event = events.find_event(name)
        is_dsh = events.find_host(host) == events.DSH  # which waits for the hook of its prompt
        starts = event == (events.PROMPT if is_dsh else events.SESSION_START)
        if kind == "normal" and starts:
            assert "make test" in (context_of(data) or ""), file
            assert "预演" in (context_of(data) or "")
            shown += 1
        if kind in {"none", "empty", "gone", "broken settings"}:
            assert not context_of(data), file
    assert kind != "normal" or shown == 11


def test_the_installed_command_says_the_same(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, FILES)
    for file in ("claude-code/SessionStart.json", "codex/SessionStart.json", "codex/Stop.json"):
        host, name, raw = load(file)
        done = real_hook(host, name, place(raw, root), state_of(home))

        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout == hook(host, name, place(raw, root), tmp_path / "state")


def test_mvault_hook_is_the_same_command(tmp_path: Path, home: Path) -> None:
    """By the program's own name, with the state folder of the environment."""
    import os
    import subprocess
    import sys

    from helpers import PROJECT

    root = make_vault(tmp_path, FILES)
    _, name, raw = load("gemini-cli/SessionStart.json")
    done = subprocess.run(
        [sys.executable, "-m", "vault_cli", "hook", "gemini", "session_start"],
        input=place(raw, root),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        check=True,
    )
    data = check_answer("gemini-cli", name, done.stdout)

    assert "make test" in (context_of(data) or "")
    assert (state_of(home) / "hook" / "spool" / "events.bin").exists()


@pytest.mark.parametrize("host", [h for h in events.HOSTS if h != events.COPILOT])
def test_the_block_has_the_room_the_host_passes_on(host: str, tmp_path: Path) -> None:
    files = {
        f"memories/l-{n:07d}.md": FILES["memories/l-0000002.md"]
        .replace("l-0000002", f"l-{n:07d}")
        .replace(
            "预演一次。", f"预演一次，第 {n} 条。" + "每次部署都要先看一遍计划。" * 20 + "😀" * n
        )
        for n in range(60)
    }
    root = make_vault(tmp_path, files)
    start = events.PROMPT if host == events.DSH else events.SESSION_START
    name = events.native_event(host, start)
    payload = {"session_id": "s", "cwd": str(root), "hook_event_name": name, "source": "startup"}
    payload |= {"prompt": "please build all of it"} if host == events.DSH else {}
    text = context_of(check_answer(host, name, hook(host, name, payload))) or ""
    room, unit = replies.room_of(host)

    assert room - 2_500 < replies.measure(text, unit) <= room
    whole = text.partition("</mvault-memory>\n")  # nothing was cut by force
    assert whole[2] == words.UNREFLECTED_CHINESE.format(420, 30)
    assert "left out" in text.lower() or "shortened" in text.lower()
    assert "cut here" not in text


@pytest.mark.parametrize(
    ("budget", "unit"), [(0, "bytes"), (50_000, "characters"), (1_500, "bytes")]
)
@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_persons_budget_counts_up_to_the_hosts_cap(
    host: str, budget: int, unit: str, tmp_path: Path
) -> None:
    files = {
        f"memories/l-{n:07d}.md": FILES["memories/l-0000002.md"]
        .replace("l-0000002", f"l-{n:07d}")
        .replace("预演一次。", "每次部署都要先看一遍计划。😀" * 40)
        for n in range(40)
    }
    root = make_vault(tmp_path, files | NOTHING_DUE)
    with (root / "vault.toml").open("a") as file:
        file.write(f'[render]\nbudget = {budget}\nunit = "{unit}"\n')
    commit_all(root)
    payload = {"cwd": str(root), "hook_event_name": "SessionStart", "source": "startup"}
    text = context_of(check_answer(host, "SessionStart", hook(host, "SessionStart", payload))) or ""

    assert text.endswith("</mvault-memory>\n")
    if budget == 1_500:
        assert len(text.encode()) <= budget


def test_the_payload_says_which_event_it_is(tmp_path: Path) -> None:
    """Installed under a wrong name, the answer is still that of what happened."""
    root = make_vault(tmp_path, FILES)
    for named, file in [
        ("stop", "claude-code/SessionStart.json"),
        ("pre-tool", "codex/SessionStart.json"),
        ("post-tool", "claude-code/SessionStart.json"),
    ]:
        host, name, raw = load(file)
        data = check_answer(host, name, hook(host, named, place(raw, root)))
        assert "make test" in (context_of(data) or "")
    host, name, raw = load("codex/Stop.json")
    assert hook(host, "session-start", place(raw, root)) == b"{}"


def test_a_nested_key_does_not_pass_for_the_events_name(tmp_path: Path, home: Path) -> None:
    payload = {
        "tool_name": "mcp__x__y",
        "tool_input": {"hook_event_name": "SessionStart", "text": '"hook_event_name":"Stop"'},
        "hook_event_name": "PostToolUse",
        "cwd": str(tmp_path),
    }
    assert hook("claude-code", "post-tool", payload, state_of(home)) == b"{}"
    assert not (state_of(home) / "hook" / "log").exists()


@pytest.mark.parametrize("host", ["claude-code", "codex", "nobody"])
@pytest.mark.parametrize("event", ["SessionStart", "PreToolUse", "Stop", "NewEvent", ""])
def test_an_unknown_event_or_host_is_answered_with_nothing(
    host: str, event: str, tmp_path: Path
) -> None:
    answer = hook(host, event, {"cwd": str(tmp_path), "hook_event_name": "SomethingNew"})

    assert answer == b"{}"


def test_a_stop_is_never_held_up(tmp_path: Path) -> None:
    root = make_vault(tmp_path, FILES)
    for file in ("claude-code/Stop.json", "codex/Stop.json", "codex/Stop.active.json"):
        for _ in range(12):
            assert ask(file, root) == {}
    for file in ("dsh-claude-bridge/Stop.json", "gemini-cli/AfterAgent.json", "cursor/stop.json"):
        assert ask(file, root) == {}


def test_a_child_of_ours_is_answered_at_once(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path, FILES)
    monkeypatch.setenv("MVAULT_HOOK", "1")
    for file in PAYLOADS:
        host, name, raw = load(file)
        assert hook(host, name or "stop", place(raw, root), state_of(home)) == b"{}"
    assert not (state_of(home) / "hook").exists()


def test_help_and_json_are_those_of_a_command(tmp_path: Path) -> None:
    assert "session-start" in run("hook", "--help").ok().out
    answer = run("--json", "hook", "codex", "stop", stdin=json.dumps({"cwd": str(tmp_path)}))
    assert answer.ok().data == {}


def test_a_vault_that_is_named_is_the_one_that_is_read(tmp_path: Path) -> None:
    root = make_vault(tmp_path, FILES)
    payload = json.dumps({"cwd": str(tmp_path), "hook_event_name": "SessionStart"})
    for argv in (("--vault", root, "hook", "codex", "x"), ("hook", "codex", "x", "--vault", root)):
        assert "make test" in run(*argv, stdin=payload).ok().out


@pytest.mark.parametrize(
    "words",
    [(), ("codex",), ("codex", "stop", "--flag"), ("codex", "stop", "a", "b", "c"), ("-x",)],
)
def test_a_mistake_in_the_command_line_is_no_refusal(words: tuple[str, ...]) -> None:
    """Exit 2 is that of a usage error, and what an agent program takes for a refusal."""
    done = run_real("hook", *words)

    assert done.code == 0
    assert json.loads(done.out) == {}
    assert "Traceback" not in done.err


@pytest.mark.parametrize("damage", ["answer.py", "system.py", "events.py"])
def test_half_of_an_update_is_no_refusal(damage: str, tmp_path: Path, home: Path) -> None:
    import shutil
    import subprocess
    import sys

    from helpers import PROJECT

    shutil.copytree(PROJECT / "vault_cli" / "hook", tmp_path / "vault_cli" / "hook")
    shutil.copy(PROJECT / "vault_cli" / "__init__.py", tmp_path / "vault_cli")
    (tmp_path / "vault_cli" / "hook" / damage).write_text("def (")
    shutil.rmtree(tmp_path / "vault_cli" / "hook" / "__pycache__", ignore_errors=True)
    main = tmp_path / "vault_cli" / "hook" / "main.py"
    argv = [sys.executable, "-I", "-S", main, "codex", "pre-tool", state_of(home)]
    done = subprocess.run(argv, input=b"{}", capture_output=True, check=False)

    assert (done.returncode, done.stdout) == (0, b"{}")
    assert done.stderr == b"mvault hook: cannot start: SyntaxError\n"
