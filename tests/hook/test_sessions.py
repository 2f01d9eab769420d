"""One session after another: what it is given, what waits, and what is never said twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import commit_all, make_vault, run, write_files
from hook_answers import check_answer, context_of
from hook_runs import FILES, LESSON, NOTHING_DUE, ask, hook, state_of

from vault_cli.hook import events, injected, sessions, spool, words

MANY = {
    f"memories/f-{n:07d}.md": LESSON.format(
        title=f"Service {n} of the platform listens on port {4000 + n} and restarts every night",
        body=f"Details of service {n}. " * 30,
    ).replace("l-0000002", f"f-{n:07d}")
    for n in range(200)
}
RARE = {
    "memories/f-0009001.md": LESSON.format(
        title="Grafana dashboards live in ops/grafana",
        body="Import them with `grafana-cli import`; provisioning overwrites hand edits.\n" * 8,
    ).replace("l-0000002", "f-0009001"),
    "memories/f-0009002.md": LESSON.format(
        title="支付回调要校验签名", body="支付回调必须先校验签名，再更新订单状态。\n" * 8
    ).replace("l-0000002", "f-0009002"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """More than one block can hold; the two rare ones have the least worth and are left out."""
    low = {p: t.replace("kind:", "importance: 1\nkind:") for p, t in RARE.items()}
    high = {p: t.replace("kind:", "importance: 5\nkind:") for p, t in MANY.items()}
    return make_vault(tmp_path, FILES | high | low | NOTHING_DUE)


def said(file: str, folder: Path, **more: Any) -> str:
    return context_of(ask(file, folder, **more)) or ""


def frames(home: Path, event: str) -> list[Any]:
    path = state_of(home) / "hook" / "spool" / "events.bin"
    return [json.loads(f.raw) for f in spool.read(str(path)) if f.event == event]


def test_the_same_bytes_until_something_changes(root: Path) -> None:
    one, two = (said("claude-code/SessionStart.json", root, session_id=s) for s in ("a", "b"))
    assert one == two
    write_files(root, {"memories/r-0000001.md": FILES["memories/r-0000001.md"] + "Always.\n"})
    commit_all(root)

    assert "Always." in said("claude-code/SessionStart.json", root, session_id="c")


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("How do I import the grafana dashboards into ops?", "Grafana dashboards live in ops"),
        ("支付回调失败了，签名校验怎么做？", "支付回调要校验签名"),
        ("請看一下支付回調的簽名校驗", "支付回调要校验签名"),
        ("/ops/grafana/a.json: how do I import such dashboards?", "Grafana dashboards live in ops"),
        ("# Task\nImport the grafana dashboards", "Grafana dashboards live in ops"),
    ],
)
def test_a_prompt_brings_what_fits_it_once(root: Path, prompt: str, title: str) -> None:
    text = RARE[f"memories/{'f-0009001' if title.isascii() else 'f-0009002'}.md"]
    body = text.split("---\n")[2].splitlines()[0]
    assert body not in said("claude-code/SessionStart.json", root)
    first = said("claude-code/UserPromptSubmit.json", root, prompt=prompt)
    again = said("claude-code/UserPromptSubmit.json", root, prompt=prompt)

    assert title in first
    assert body in first
    assert first.startswith("<mvault-memory>")
    assert "make test" not in first  # that is in the standing block
    assert title not in again


@pytest.mark.parametrize(
    "prompt",
    [
        "/grafana dashboards ops import",
        "!grafana-cli import dashboards",
        "/mcp:grafana dashboards",
        "# AGENTS.md instructions for /repo\n\nImport the grafana dashboards into ops",
        "<command-name>grafana dashboards ops</command-name>",
        "<task-notification>grafana dashboards ops import</task-notification>",
        "<mvault-memory>\n\nGrafana dashboards live in ops/grafana",
        "Memory: the grafana dashboards in ops",
        "yes",
        "继续",
        "  \n",
        "",
        "Please make the button blue",
        "把按钮改成蓝色",
        "What is the weather like in Paris today?",
    ],
)
def test_what_is_no_talk_or_has_nothing_to_do_with_it_brings_nothing(
    root: Path, prompt: str
) -> None:
    ask("claude-code/SessionStart.json", root)

    assert ask("claude-code/UserPromptSubmit.json", root, prompt=prompt) == {}


def test_a_small_vault_is_told_whole_and_prompts_cost_nothing_more(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path, FILES)
    keep_all(monkeypatch)
    ask("claude-code/SessionStart.json", root)
    monkeypatch.setattr("vault_cli.hook.answer._full", lambda _call: pytest.fail("not needed"))

    assert ask("claude-code/UserPromptSubmit.json", root, prompt="run make test now") == {}


def keep_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let answers be kept ready at once: the files of a test have just been written."""
    monkeypatch.setattr("vault_cli.hook.ready.SETTLED", -(1 << 62))


def test_a_session_without_a_start_gets_its_block_with_the_first_prompt(root: Path) -> None:
    """DSH starts its hooks apart; others may have been installed in the middle of a session."""
    first = said("codex/UserPromptSubmit.json", root, prompt="please run all of the tests")
    second = said("codex/UserPromptSubmit.json", root, prompt="please run all of the tests")

    assert "Run the tests with `make test`" in first
    assert "make test" not in second


@pytest.mark.parametrize("starts_first", [True, False])
def test_dsh_is_given_its_block_by_the_prompt_that_it_waits_for(
    root: Path, *, starts_first: bool
) -> None:
    """DSH runs the hook of a session's start beside that of its first prompt (0.1.0-rc.8)."""
    start, prompt = "dsh-claude-bridge/SessionStart.json", "dsh-claude-bridge/UserPromptSubmit.json"
    asked = [start, prompt] if starts_first else [prompt, start]
    told = {name: said(name, root, prompt="build all the services") for name in asked}
    second = said(prompt, root, prompt="现在构建所有服务 build them")

    assert told[start] == ""
    assert told[prompt].count("## Memory in force") == 1
    assert "make test" in told[prompt]
    assert "make test" not in second


def test_dsh_is_given_its_block_anew_after_a_compaction(root: Path) -> None:
    """No prompt need follow then."""
    start = "dsh-claude-bridge/SessionStart.json"
    said("dsh-claude-bridge/UserPromptSubmit.json", root, prompt="build all the services")
    assert "make test" in said(start, root, source="compact")
    assert said("dsh-claude-bridge/SessionStart.json", root, source="resume") == words.STANDS


def test_a_resumed_session_has_its_block_already(root: Path) -> None:
    whole = said("codex/SessionStart.json", root)
    resumed = said("codex/SessionStart.resume.json", root)
    assert resumed == words.STANDS
    assert said("codex/SessionStart.resume.json", root, session_id="another") == whole
    write_files(root, {"memories/r-0000001.md": FILES["memories/r-0000001.md"] + "Always.\n"})

    assert "Always." in said("codex/SessionStart.resume.json", root)


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_after_a_compaction_the_block_comes_again_and_what_was_lost_is_said_once(
    host: str, root: Path
) -> None:
    whole = said(f"{host}/SessionStart.json", root)
    told = ask(f"{host}/PreCompact.json", root)
    assert words.COMPACTING in told["systemMessage"]
    after = said(f"{host}/SessionStart.compact.json", root)

    assert after == whole + words.PRESSURE
    assert said(f"{host}/UserPromptSubmit.json", root, prompt="please build the code") == ""


def test_gemini_asks_before_it_knows_whether_there_is_anything_to_shorten(root: Path) -> None:
    """It fires `PreCompress` at each request to the model (0.61.0)."""
    said("gemini-cli/SessionStart.json", root)
    assert ask("gemini-cli/PreCompress.json", root, trigger="auto") == {}
    assert said("gemini-cli/BeforeAgent.json", root, prompt="please build the code") == ""


def test_a_resumed_session_of_gemini_has_lost_its_block(root: Path) -> None:
    """What hooks said is in no log of it (0.61.0)."""
    whole = said("gemini-cli/SessionStart.json", root)
    assert said("gemini-cli/SessionStart.json", root, source="resume") == whole


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("How do I import the grafana dashboards into ops?", "Grafana dashboards live in ops"),
        ("支付回调失败了，签名校验怎么做？", "支付回调要校验签名"),
    ],
)
def test_the_first_prompt_of_gemini_comes_behind_what_hooks_said(
    root: Path, prompt: str, title: str
) -> None:
    """It puts the context of the session's start before it, escaped (0.61.0)."""
    whole = said("gemini-cli/SessionStart.json", root)
    given = whole.replace("<", "&lt;").replace(">", "&gt;")
    sent = f"<hook_context>{given}</hook_context>\n\n{prompt}"

    assert events.prompt_of({"prompt": sent}) == events.prompt_of({"prompt": prompt}) == prompt
    assert title in said("gemini-cli/BeforeAgent.json", root, prompt=sent)


def test_a_host_that_does_not_start_anew_after_a_compaction(root: Path) -> None:
    """Gemini CLI has no session start then: the next prompt brings the block."""
    whole = said("gemini-cli/SessionStart.json", root)
    ask("gemini-cli/PreCompress.json", root, trigger="manual")
    after = said("gemini-cli/BeforeAgent.json", root, prompt="please build the code")

    assert after == whole + words.PRESSURE
    assert said("gemini-cli/BeforeAgent.json", root, prompt="please build the code") == ""


def test_a_session_that_is_compacted_again_and_again_is_told_twice_at_most(root: Path) -> None:
    ask("claude-code/SessionStart.json", root)
    count = 0
    for _ in range(6):
        ask("claude-code/PreCompact.json", root)
        count += words.PRESSURE in said("claude-code/SessionStart.compact.json", root)
    assert count == 2


def test_the_compaction_s_own_agent_is_left_alone(root: Path, home: Path) -> None:
    assert ask("claude-code/SubagentStop.compact.json", root) == {}
    assert not (state_of(home) / "hook").exists()


def test_a_subagent_gets_the_footer_and_no_notice(root: Path) -> None:
    for host in ("claude-code", "codex"):
        ask(f"{host}/SessionStart.json", root)
        ask(f"{host}/PreCompact.json", root)
        assert said(f"{host}/SubagentStart.json", root) == words.FOOTER
    prompt = "import the grafana dashboards in ops"
    assert ask("codex/UserPromptSubmit.subagent.json", root, prompt=prompt) == {}


def test_a_subagent_of_a_session_we_did_not_see_start(root: Path, tmp_path: Path) -> None:
    assert said("claude-code/SubagentStart.json", root) == words.FOOTER
    empty = make_vault(tmp_path, {}, name="empty")
    assert ask("claude-code/SubagentStart.json", empty, session_id="other") == {}


def test_what_is_said_beside_a_chinese_block_is_chinese(tmp_path: Path) -> None:
    names = ("l-0000002", "l-0000003")
    files = {
        f"memories/{own}.md": FILES["memories/l-0000002.md"].replace("l-0000002", own)
        for own in names
    }
    root = make_vault(tmp_path, files, name="zh")
    told = {text: words.in_language(text, chinese=True) for text in
            (words.STANDS, words.PRESSURE, words.FOOTER, words.AGAIN)}  # fmt: skip
    assert all("\u4e00" <= text[0] <= "\u9fff" for text in told.values())
    whole = said("claude-code/SessionStart.json", root)
    assert said("claude-code/SessionStart.resume.json", root) == told[words.STANDS]
    assert said("claude-code/SubagentStart.json", root) == told[words.FOOTER]
    assert said("claude-code/SubagentStart.json", root, session_id="new") == told[words.FOOTER]
    ask("claude-code/PreCompact.json", root)
    assert said("claude-code/SessionStart.compact.json", root) == whole + told[words.PRESSURE]
    ask("claude-code/PostToolUseFailure.json", root)
    ask("claude-code/SessionEnd.json", root)
    after = said("claude-code/SessionStart.json", root, session_id="next")
    assert after == whole + told[words.AGAIN].format(1, 1)


@pytest.mark.parametrize("error", ["npm error: no executable", "npm 错误：找不到可执行文件"])
def test_that_guards_are_due_is_told_with_a_block_that_was_ready(
    root: Path, home: Path, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_all(monkeypatch)
    for number in range(3):
        more = {"session_id": f"s{number}", "tool_use_id": f"t{number}"}
        ask("claude-code/PostToolUseFailure.json", root, error=f"Exit code 1\n{error}", **more)

    def start(name: str) -> str:
        told = ask("claude-code/SessionStart.json", root, session_id=name)
        return str(told.get("systemMessage", ""))

    assert "1 failure has repeated; mvault can propose guards" in start("one")
    with monkeypatch.context() as patch:
        patch.setattr("vault_cli.hook.answer._full", lambda _: pytest.fail("it was ready"))
        assert "1 failure has repeated" in start("two")
    run("--vault", root, "guard", "propose").ok()
    assert start("three") == start("four") == ""


def test_failed_calls_are_handed_over_once(root: Path) -> None:
    whole = said("claude-code/SessionStart.json", root, session_id="one")
    for _ in range(3):
        ask("claude-code/PostToolUseFailure.json", root, session_id="one")
    ask("claude-code/PostToolUse.json", root, session_id="one")
    ask("claude-code/PostToolUseFailure.json", root, session_id="elsewhere")
    ask("claude-code/SessionEnd.json", root, session_id="one")
    texts = [
        said("claude-code/SessionStart.json", root, session_id=name) for name in ("two", "three")
    ]

    assert texts == [whole + words.AGAIN.format(3, 4), whole]


def test_what_a_session_was_given_goes_to_the_spool_and_not_to_the_vault(
    root: Path, home: Path
) -> None:
    before = {p: p.read_bytes() for p in root.rglob("*") if p.is_file() and ".state" not in p.parts}
    ask("claude-code/SessionStart.json", root)
    ask("claude-code/UserPromptSubmit.json", root, prompt="where do the grafana dashboards live?")
    after = {p: p.read_bytes() for p in root.rglob("*") if p.is_file() and ".state" not in p.parts}
    start, prompt = frames(home, spool.GIVEN)

    assert before == after
    assert ["r-0000001", ""] in start["shown"]
    assert prompt["shown"] == [["f-0009001", ""]]
    assert start["session"] == "00000000-0000-4000-8000-000000000001"


def test_every_line_we_say_is_known_again(root: Path, home: Path) -> None:
    texts = [
        said("claude-code/SessionStart.json", root),
        said("claude-code/UserPromptSubmit.json", root, prompt="支付回调的签名校验失败"),
        said("claude-code/SubagentStart.json", root),
    ]
    ask("claude-code/PreCompact.json", root)
    texts.append(said("claude-code/SessionStart.compact.json", root))
    known = injected.load(str(state_of(home)))
    lines = [line for text in texts for line in text.splitlines() if injected.fingerprint(line)]

    assert len(lines) > 30
    assert {injected.fingerprint(line) for line in lines} <= known
    assert injected.fingerprint("No, always use pnpm in this repository") not in known


def test_fingerprints_look_at_words_only() -> None:
    line = "- [r-0000001] Run the tests with `make test`"
    same = [
        "  [r-0000001] run THE tests with “make test”",
        "> * [r-0000001] Run the tests with make test",
    ]
    assert {injected.fingerprint(text) for text in same} == {injected.fingerprint(line)}
    assert injected.fingerprint("short line") == ""
    assert injected.fingerprint("先跑测试再提交") != ""
    assert injected.fingerprint("好的") == ""


@pytest.mark.parametrize("mode", ["strict", "off"])
def test_the_mode_is_that_of_the_render(root: Path, mode: str) -> None:
    with (root / "vault.toml").open("a") as file:
        file.write(f'[render]\nmode = "{mode}"\n')
    commit_all(root)
    start = said("claude-code/SessionStart.json", root)
    prompt = "How do I import the grafana dashboards into ops?"

    assert bool(start) is (mode == "strict")
    assert ask("claude-code/UserPromptSubmit.json", root, prompt=prompt) == {}


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", ".", "..", "x" * 300, "会话", "a\x00b", "a\nb"]
)
def test_a_sessions_name_is_only_a_name(root: Path, home: Path, name: str) -> None:
    ask("claude-code/SessionStart.json", root, session_id=name)
    folder = state_of(home) / "hook" / "sessions"

    assert [p.parent for p in folder.iterdir()] == [folder]
    assert sessions.load(str(state_of(home)), sessions.SESSIONS, name)["host"] == events.CLAUDE
    assert said("claude-code/SessionStart.resume.json", root, session_id=name) == words.STANDS


def test_a_session_without_a_name_works(root: Path, home: Path) -> None:
    payload = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(root)}
    data = check_answer("codex", "SessionStart", hook("codex", "SessionStart", payload))

    assert "make test" in (context_of(data) or "")
    assert not (state_of(home) / "hook" / "sessions").exists()


def test_both_sides_of_a_conflict_are_brought(tmp_path: Path) -> None:
    low = {p: t.replace("kind:", "importance: 1\nkind:") for p, t in RARE.items()}
    one = low["memories/f-0009001.md"]
    other = (
        one.replace("f-0009001", "f-0009009")
        .replace("Grafana dashboards live in ops/grafana", "Dashboards belong elsewhere")
        .replace("Import them with `grafana-cli import`; provisioning", "They")
    )
    one = one.replace("kind:", "conflicts: [f-0009009]\nkind:")
    other = other.replace("kind:", "conflicts: [f-0009001]\nkind:")
    high = {p: t.replace("kind:", "importance: 5\nkind:") for p, t in MANY.items()}
    files = {"memories/f-0009001.md": one, "memories/f-0009009.md": other}
    root = make_vault(tmp_path, high | files)
    ask("claude-code/SessionStart.json", root)
    text = said("claude-code/UserPromptSubmit.json", root, prompt="import grafana dashboards ops")

    if "f-0009001" in text:
        assert "Conflict" in text
        assert "f-0009009" in text


def work(root: Path, calls: int, edits: int = 0, **more: Any) -> None:
    """A turn of an agent: tool calls, some of which change a file, and its end."""
    for number in range(calls):
        file = "edit" if number < edits else "agent"
        ask(f"claude-code/PostToolUse.{file}.json", root, tool_use_id=f"call-{number}", **more)
    assert ask("claude-code/Stop.json", root) == {}


PROMPT = "claude-code/UserPromptSubmit.json"


@pytest.mark.parametrize(
    ("calls", "edits", "said_of_it"),
    [
        (8, 0, "8 tool calls and changed 0 files"),
        (2, 1, "2 tool calls and changed 1 file;"),
        (7, 0, ""),
    ],
)
@pytest.mark.parametrize("small", [True, False])
def test_work_that_was_not_recorded_is_stated_with_the_next_prompt(
    small: bool, calls: int, edits: int, said_of_it: str, tmp_path: Path, root: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    keep_all(monkeypatch)
    place = make_vault(tmp_path, FILES, name="small") if small else root
    ask("claude-code/SessionStart.json", place)
    ask(PROMPT, place, prompt="please build the code")
    work(place, calls, edits)
    text = said(PROMPT, place, prompt="please build the code")

    assert said_of_it in text
    assert bool(text) is bool(said_of_it)
    assert said(PROMPT, place, prompt="please build the code") == ""


def test_two_nudges_a_session_and_none_where_memory_was_touched(root: Path) -> None:
    ask("claude-code/SessionStart.json", root)
    told = []
    for turn in range(5):
        ask(PROMPT, root, prompt="please build the code")
        touched = {"tool_input": {"command": "mvault add lesson --title x"}} if turn == 0 else {}
        work(root, 9, 1, **touched)
        told.append(bool(said(PROMPT, root, prompt="please build the code")))
    assert told == [False, True, True, False, False]


def test_nudges_are_a_setting(root: Path) -> None:
    with (root / "vault.toml").open("a") as file:
        file.write("[hooks]\nnudges = 0\n")
    commit_all(root)
    ask("claude-code/SessionStart.json", root)
    ask(PROMPT, root, prompt="please build the code")
    work(root, 20, 5)

    assert said(PROMPT, root, prompt="please build the code") == ""


def test_a_block_that_a_hook_gave_is_known_to_why_and_diff(root: Path) -> None:
    said("claude-code/SessionStart.json", root)
    kept = run("--vault", root, "--json", "log", "--renders").ok().data["renders"]

    assert len(kept) == 1
    assert kept[0]["unit"] == "characters"
    assert run("--vault", root, "diff", "@1").ok()


@pytest.mark.parametrize(
    ("matches", "spread", "tells"),
    [
        (("grafana", "import"), {"grafana": 2, "import": 30}, True),
        (("run", "test"), {"run": 60, "test": 50}, False),
        (("run", "test", "flaky"), {"run": 60, "test": 50, "flaky": 3}, True),
        (("grafana",), {"grafana": 1}, True),
        (("grafana",), {"grafana": 2}, False),
        (("支付", "支", "付"), {"支付": 1, "支": 90, "付": 90}, True),
        ((), {}, False),
    ],
)
def test_words_tell_something_when_they_would_not_meet_by_chance(
    matches: tuple[str, ...], spread: dict[str, int], tells: bool
) -> None:
    from vault_cli.hook import fitting

    said = fitting.subjects(matches)

    assert (fitting.chance(said, 200, spread) <= 1) is tells
    assert fitting.pick([(0.9, matches, "it")], 200, spread) == (["it"] if tells else [])
