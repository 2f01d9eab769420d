"""mvault in the real DeepSeek Harness: the hooks of its bridge, files, MCP server, session log.

Skipped unless `MVAULT_REAL_AGENTS` names the folder of the program (0.1.0-rc.8 was used) and in it
`profiles`, with a profile `headless` to which both packages of the bridge were added.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from real.chat_checks import counts_failures, stops_once_or_always
from real.chat_session import DONE, FACT, PORT, RULE, Machine, Session
from real.home import Turn

RUN = ("--profile", "headless")
SERVER_ROW = (
    "{id: mvault-mcp, name: '@deepseek-ai/dsh-mcp-client', config: {serverName: mvault,"
    " transport: stdio, command: mvault, args: [mcp]}}"
)


def shell(command: str) -> Turn:
    return [{"call": "bash", "arguments": {"command": command, "description": "x"}}]


class Dsh(Machine):
    """A home with DSH in it, set up as `mvault install dsh` says.

    Its sandbox lets hooks write into the project and into `/tmp`, so that the state folder of the
    home cannot be written, as for most people.
    """

    def __init__(self, folder: Path) -> None:
        env = {"DEEPSEEK_API_KEY": "dummy", "DEEPSEEK_BASE_URL": f"http://127.0.0.1:{PORT}"}
        env["TMPDIR"] = tempfile.mkdtemp(prefix="mvault-dsh-", dir="/tmp")
        super().__init__(folder, "dsh", "dsh", env)
        self.folder = self.home / ".dsh"
        profiles = Path(self.program).parent / "profiles"
        if not (profiles / "headless/node_modules").is_dir():
            pytest.skip(f"dsh: {profiles} has no profile `headless` with the bridge in it")
        shutil.copytree(profiles, self.folder / "profiles", symlinks=True)
        self.layer = self.folder / "profiles/headless/cordis.patch.yml"

    def attach(self) -> None:
        """Install, and write the row that is printed where it says."""
        said = self.install().text
        (row,) = [line.split("`")[-2].strip() for line in said.splitlines() if "its row" in line]
        self.layer.write_text(f"- insert:\n    {row}\n", "utf-8")

    def logs(self) -> list[Path]:
        return sorted(self.folder.glob("sessions/*/*/session.jsonl.zstd"))


@pytest.fixture
def machine(tmp_path: Path) -> Dsh:
    found = Dsh(tmp_path)
    found.keep(*RULE)
    found.keep(*FACT)
    return found


@pytest.fixture
def attached(machine: Dsh) -> Dsh:
    machine.attach()
    return machine


def test_the_block_is_in_the_first_request_and_comes_once(attached: Dsh) -> None:
    script = [shell("echo one"), shell("echo two"), DONE]
    session = attached.run(script, *RUN, "请安装依赖 install the packages").ok(3)
    assert [session.blocks(number) for number in range(3)] == [1, 1, 1]
    assert session.text(0).count("Use pnpm, never npm") == 1
    assert session.text(2).count("测试库的端口是 5544") == 1
    assert attached.complaints() == ""


def test_a_prompt_brings_what_fits_it(attached: Dsh) -> None:
    attached.mvault("config", "set", "render.budget", "300", "--yes").ok()
    for number in range(8):
        body = f"Detail {number} of the service. " * 30
        attached.keep(
            "fact", "--title", f"Service s{number} 说明", "--body", body, "--importance", "9"
        )
    low = ("--importance", "1")
    attached.keep("fact", "--title", "The zebra exporter needs a tunnel", "--body", "Port 7.", *low)
    attached.keep("fact", "--title", "长颈鹿导出器要先开隧道", "--body", "端口 8。", *low)
    for prompt, words in (
        ("why does the zebra exporter fail?", "The zebra exporter needs a tunnel"),
        ("长颈鹿导出器为什么连不上？", "长颈鹿导出器要先开隧道"),
    ):
        session = attached.run([DONE], *RUN, prompt).ok(1)
        assert "what fits this prompt" in session.text()
        assert session.text().count(words) == 1


def answers(session: Session) -> list[str]:
    """What tools said, in the last request."""
    messages = session.requests[-1]["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


def test_guards_stop_once_or_always_and_name_the_way_out(attached: Dsh) -> None:
    denies = stops_once_or_always(attached, RUN, shell, answers)
    attached.mvault("guard", "off", denies, "--for", "1h", "--yes").ok()
    again = attached.run([shell("sh migrate.sh all"), DONE], *RUN, "again").ok(2)
    assert "migrate.sh ran" in again.text()


def test_failing_tools_are_counted_and_a_guard_is_proposed(attached: Dsh) -> None:
    counts_failures(attached, RUN, shell)


def test_a_broken_vault_or_program_breaks_nothing(attached: Dsh) -> None:
    attached.guard("不要直接迁移", "sh migrate.sh", "deny")
    attached.break_vault()
    session = attached.run([shell("echo it runs"), DONE], *RUN, "please go on").ok(2)
    assert "it runs" in session.text()
    shutil.rmtree(attached.vault)
    assert attached.run([DONE], *RUN, "please go on").ok(1).blocks() == 0


def test_the_server_is_attached_and_what_it_keeps_waits_for_a_person(attached: Dsh) -> None:
    printed = attached.install("--mcp").text
    assert SERVER_ROW in printed
    with attached.layer.open("a", encoding="utf-8") as file:
        file.write(f"    - {SERVER_ROW}\n")
    remember = {"kind": "fact", "title": "缓存在 9 号机"}
    script: list[Turn] = [
        [{"call": "mcp__mvault__remember", "arguments": remember}],
        [{"call": "mcp__mvault__search", "arguments": {"query": "pnpm"}}],
        DONE,
    ]
    session = attached.run(script, *RUN, "remember where the cache is").ok(3)
    tools = {name for name in session.tools() if name.startswith("mcp__mvault__")}
    assert {"mcp__mvault__remember", "mcp__mvault__search", "mcp__mvault__context"} <= tools
    assert not any("approve" in name for name in tools)
    assert "Use pnpm, never npm" in session.texts()[-1]
    assert "缓存在 9 号机" in attached.mvault("list", "--status", "candidate").ok().out


def test_instruction_files_and_skills_are_read(machine: Dsh) -> None:
    machine.mvault("init", ".mvault", "--in-repo").ok()
    further = machine.home / "my vault/skills"
    for folder, name in ((machine.project / ".agents/skills", "demo-skill"), (further, "mine")):
        (folder / name).mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: 发布步骤 release steps {name}\n---\nDo it.\n"
        (folder / name / "SKILL.md").write_text(text, "utf-8")
    row = f"- {{id: skill-filesystem, config: {{customSkillDirs: ['{further}']}}}}\n"
    machine.layer.write_text(row, "utf-8")
    machine.keep("fact", "--title", "本项目周二发布 deploys on Tuesdays", "--body", "By hand.")
    machine.mvault("render", "--to", "AGENTS.md").ok()
    session = machine.run([DONE], *RUN, "hello there friend").ok(1)
    assert session.blocks() == 1
    assert "本项目周二发布 deploys on Tuesdays" in session.text()
    asked = json.dumps(session.requests[0], ensure_ascii=False)
    for name in ("demo-skill", "mine"):
        assert f"release steps {name}" in asked


def test_the_check_says_what_really_arrives(machine: Dsh) -> None:
    machine.install()
    checked = machine.mvault("install", "--check", "dsh")
    assert checked.code == 1
    assert "so no hook is started" in checked.out

    machine.attach()
    text = machine.mvault("install", "--check", "dsh").ok().out
    assert "session start: 0 bytes" not in text
    assert machine.mvault("install", "--check", "dsh").ok().out == text

    shutil.rmtree(machine.layer.parent / "node_modules/@deepseek-ai/dsh-hook-protocol")
    checked = machine.mvault("install", "--check", "dsh")
    assert checked.code == 1
    assert "@deepseek-ai/dsh-hook-protocol" in checked.out
    assert machine.run([DONE], *RUN, "hello there friend").code != 0  # as it says


def test_a_correction_in_the_session_log_is_captured_and_nothing_of_ours(attached: Dsh) -> None:
    prompts = (
        "不对，以后不要用 npm，应该用 make test",
        "No, that's wrong: always use make lint instead",
    )
    for prompt in prompts:
        attached.run([shell("npm test; exit 1"), DONE], *RUN, prompt).ok(2)
    logs = attached.logs()
    assert len(logs) == 2
    whole = logs[1].read_bytes()
    logs[1].write_bytes(whole + whole[-40:-9])  # killed while it wrote a frame
    attached.mvault("capture", "sessions").ok()
    listed = attached.mvault("capture", "list").ok().out
    for prompt in prompts:
        assert prompt[:20] in listed
    assert "Memory in force" not in listed
    assert "Use pnpm" not in listed


def test_uninstall_leaves_no_file(machine: Dsh) -> None:
    before = sorted(path for path in machine.folder.rglob("*") if path.is_file())
    machine.install()
    machine.mvault("uninstall", "dsh", "--yes").ok()
    assert sorted(path for path in machine.folder.rglob("*") if path.is_file()) == before
