"""What mvault injected is never captured again, and what a person corrects always is."""

from __future__ import annotations

import json
import random
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import copy_case, make_vault, run, write_files

from vault_cli.hook import injected
from vault_cli.store.places import state_folder

RECORD = "---\nid: {id}\nkind: {kind}\nstatus: active\ntitle: {title}\n{more}---\n{body}\n"
RECORDS = (
    ("r-0000001", "rule", "Never call pytest directly, always use make test",
     "Don't run pytest by hand again. From now on use make test.", "force: required\n"),
    ("r-0000002", "rule", "以后不要直接提交到 main", "不要再直接推送到 main，一律走合并请求。", "force: required\n"),
    ("l-0000003", "lesson", "That's wrong: amounts are integers",
     "## Problem\nThat is not right: a float lost a cent.\n## Correction\nAlways store cents, not floats.", "correction: true\n"),
    ("l-0000004", "lesson", "你又忘了加索引", "## 问题\n还是很慢，你忘了加索引。\n## 修正\n每次新增外键都必须加索引，不要等到上线。", ""),
    ("x-0000005", "failure", "I told you: npx tsc downloads another compiler",
     "## Problem\nIt still fails with npx.\n## Avoid\nDo not run npx tsc.\n## Instead\nUse node_modules/.bin/tsc instead of npx.", ""),
)  # fmt: skip
REAL = (
    "No, that's wrong. The fixtures live in tests/data, session {n}.",
    "不对，第 {n} 次部署要用蓝绿发布，别直接重启。",
    "I told you to keep the header of file number {n}.",
    "以后第 {n} 个模块的日志都用英文。",
    "Still failing in step {n}, you forgot the migration.",
)
HOOK_WORDS = (
    "mvault: 2 corrections are in force; follow them. Don't repeat known failures again.",
    "This command is known to fail: use node_modules/.bin/tsc instead. mvault guard off x-0000005 --for 1h",
)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = make_vault(tmp_path)
    files = {
        f"memories/{own}.md": RECORD.format(id=own, kind=kind, title=json.dumps(title, ensure_ascii=False),
                                            body=body, more=more)
        for own, kind, title, body, more in RECORDS
    }  # fmt: skip
    write_files(root, files)
    return root


def block_of(vault: Path) -> str:
    block = run("--vault", vault, "render").ok().out
    injected.remember(str(state_folder()), [block, *HOOK_WORDS])
    return block


def mangled(block: str, number: int) -> str:
    """The block as some host or person hands it on."""
    ways = [
        block,
        textwrap.indent(block, "    "),
        textwrap.indent(block, "> ", lambda _: True),
        "\n".join("\n".join(textwrap.wrap(line, 48)) for line in block.split("\n")),
        block[: len(block) * 2 // 3],
        f"<system-reminder>\nSessionStart hook additional context: {block}\n</system-reminder>",
        f"<!-- mvault:begin id=0 -->\n{block}\n<!-- mvault:end id=0 -->",
    ]
    return ways[number % len(ways)]


PARAPHRASE = (
    "Understood. From now on I never call pytest directly and always use make test. 以后我不会直接提交到 main。"
    " You told me: that's wrong, amounts are integers."
)


def claude_lines(number: int, context: str, prompts: list[str]) -> Iterator[dict[str, Any]]:
    base = {"sessionId": f"s-{number}", "cwd": "/home/dev/app", "version": "2.1.332",
            "timestamp": f"2026-11-30T10:{number % 60:02}:00Z", "userType": "external"}  # fmt: skip
    hook = {"type": "hook_additional_context", "content": [context]}
    yield {**base, "type": "attachment", "attachment": hook}
    yield {**base, "type": "user", "isMeta": True, "message": {"role": "user", "content": context}}
    for prompt in prompts:
        yield {**base, "type": "user", "message": {"role": "user", "content": prompt}}
        yield {
            **base,
            "type": "assistant",
            "message": {"content": [{"type": "text", "text": PARAPHRASE}]},
        }
    summary = {"role": "user", "content": f"Summary. {context} No, that's wrong, use make test."}
    yield {**base, "type": "user", "isCompactSummary": True, "message": summary}


def codex_lines(number: int, context: str, prompts: list[str]) -> Iterator[dict[str, Any]]:
    def line(kind: str, **payload: Any) -> dict[str, Any]:
        return {
            "timestamp": f"2026-11-30T11:{number % 60:02}:00Z",
            "type": kind,
            "payload": payload,
        }

    def item(role: str, text: str) -> dict[str, Any]:
        return line(
            "response_item",
            type="message",
            role=role,
            content=[{"type": "input_text", "text": text}],
        )

    yield line(
        "session_meta", id=f"c-{number}", cwd="/home/dev/app", cli_version="0.171.0", source="exec"
    )
    yield item("developer", context)
    yield item("user", f"# AGENTS.md instructions for /home/dev/app\n{context}")
    yield item("user", f"<hook_prompt>{context}</hook_prompt>")
    for prompt in prompts:
        yield item("user", prompt)
        yield line("event_msg", type="user_message", message=prompt)
        yield line("event_msg", type="agent_message", message=PARAPHRASE)
    yield line("compacted", message=f"{context} No, that's wrong.")


def dsh_lines(number: int, context: str, prompts: list[str]) -> Iterator[dict[str, Any]]:
    def line(kind: str, seq: int, **data: Any) -> dict[str, Any]:
        return {
            "type": kind,
            "seq": seq,
            "time": 1796040000000 + number * 60000 + seq,
            "data": data,
        }

    def message(seq: int, text: str, kind: str) -> dict[str, Any]:
        return line(
            "user/message", seq, content=[{"type": "text", "text": text}], source={"kind": kind}
        )

    yield {
        "type": "session",
        "version": 0,
        "id": f"d-{number}",
        "cwd": "/home/dev/app",
        "delegationDepth": 0,
    }
    yield message(1, context, "plugin")
    for place, prompt in enumerate(prompts):
        yield message(2 * place + 2, prompt, "user")
        yield line(
            "assistant/message",
            2 * place + 3,
            message={"content": [{"type": "text", "text": PARAPHRASE}]},
        )


SHAPES = (claude_lines, codex_lines, dsh_lines)
NAMES = ("s-{0}.jsonl", "rollout-{0}.jsonl", "d-{0}/session.jsonl")


def write_session(folder: Path, number: int, context: str, prompts: list[str]) -> Path:
    shape = number % 3
    path = folder / NAMES[shape].format(number)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = SHAPES[shape](number, context, prompts)
    path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines))
    return path


@pytest.mark.parametrize("known_by", ["records", "fingerprints"])
def test_ho_05_fifty_sessions_add_nothing_that_was_injected(
    vault: Path, tmp_path: Path, known_by: str
) -> None:
    block = block_of(vault)
    if known_by == "records":
        (state_folder() / "hook" / "injected").unlink()
    elsewhere = vault if known_by == "records" else make_vault(tmp_path / "other")
    logs, wanted, chance = tmp_path / "logs", set(), random.Random(7)
    for number in range(50):
        way = number if known_by == "records" else number % 4  # cut lines have no fingerprint
        context = (
            f"{mangled(block, way)}\n{HOOK_WORDS[number % 2] if known_by != 'records' else ''}"
        )
        pasted = f"Please go on with step {number}.\n\n{context}"
        prompts = [f"Run the tests of part {number}", pasted, "no problem, thanks", "不用了谢谢"]
        if number % 2 == 0:
            real = REAL[number // 2 % len(REAL)].format(n=number)
            wanted.add(real)
            mixed = chance.choice([real, f"{real}\n\n{context}", f"{context}\n\n{real}"])
            prompts.insert(chance.randrange(1, len(prompts)), mixed)
        write_session(logs, number, context, prompts)
    run("--vault", elsewhere, "capture", "sessions", logs).ok()
    found = (
        run("--vault", elsewhere, "capture", "list", "--limit", "0", "--json").ok().data["items"]
    )
    texts = {item["text"] for item in found}
    for real in wanted:
        assert any(real in text for text in texts), real
    assert len(found) == len(wanted), sorted(texts)
    for own in (part for record in RECORDS for part in (record[2], *record[3].split("\n"))):
        assert not any(own in text for text in texts if not own.startswith("##")), own
    assert not any(words in text for text in texts for words in HOOK_WORDS)
    # Reading them all again, and the records that come of it, adds nothing either.
    again = run("--vault", elsewhere, "capture", "sessions", logs, "--json").ok().data
    assert again["items"] == []
    assert set(again["states"]) == {"unchanged"}


def test_ho_05_the_shared_transcript(vault: Path, tmp_path: Path) -> None:
    block = block_of(vault)
    source = copy_case("ho-05", tmp_path)
    path = source / "transcript.jsonl"
    for place in ("system", "user", "assistant"):
        text = path.read_text().replace('"system"', f'"{place}"')
        words = f"{block}\n{HOOK_WORDS[0]}\n{HOOK_WORDS[1]}"
        path.with_name(f"{place}.jsonl").write_text(
            text.replace('"@@INJECTED BLOCK@@"', json.dumps(words))
        )
        answer = run(
            "--vault", vault, "capture", "sessions", path.with_name(f"{place}.jsonl"), "--json"
        )
        assert answer.ok().data["items"] == []
        assert answer.data["states"] == {"read": 1}
    assert run("--vault", vault, "capture", "list", "--json").ok().data["items"] == []


def test_ho_05_a_person_s_correction_beside_the_block_is_kept_without_it(
    vault: Path, tmp_path: Path
) -> None:
    block = block_of(vault)
    line = {"role": "user", "content": f"{block}\n\n不对，应该用 make check。"}
    path = tmp_path / "t.jsonl"
    path.write_text(f"{json.dumps(line)}\n")
    found = run("--vault", vault, "capture", "sessions", path, "--json").ok().data["items"]
    assert [item["text"] for item in found] == ["不对，应该用 make check。"]


def test_ho_05_what_was_captured_and_admitted_is_not_captured_from_a_block(
    tmp_path: Path,
) -> None:
    """The whole circle: a correction becomes a record, is injected, and comes back in a log."""
    root = make_vault(tmp_path)
    person = {"MVAULT_ACTOR": "person"}
    real = "No, that's wrong. Always run make schema before the tests."
    write_session(tmp_path / "logs", 0, "", ["go", real])
    run("--vault", root, "capture", "sessions", tmp_path / "logs").ok()
    item = run("--vault", root, "capture", "list", "--json").ok().data["items"][0]["id"]
    made = run("--vault", root, "capture", "draft", item, "--yes", "--json", env=person).ok().data
    run("--vault", root, "approve", made["ids"][0], "--yes", env=person).ok()
    block = run("--vault", root, "render").ok().out
    assert "make schema" in block
    for number in range(1, 10):
        write_session(tmp_path / "more", number, block, ["go on", mangled(block, number)])
    again = run("--vault", root, "capture", "sessions", tmp_path / "more", "--json").ok().data
    assert again["items"] == []
    # Said again by the person it is another sighting of the same item, and no second item.
    write_session(tmp_path / "more", 30, block, ["go", real])
    again = run("--vault", root, "capture", "sessions", tmp_path / "more", "--json").ok().data
    assert again["items"] == []
    assert len(run("--vault", root, "capture", "show", item, "--json").ok().data["sightings"]) == 2


def test_ho_05_a_sub_agent_s_prompts_are_not_captured(vault: Path, tmp_path: Path) -> None:
    folder = tmp_path / "s-1" / "subagents"
    folder.mkdir(parents=True)
    lines = claude_lines(1, "", ["No, that's wrong. Use make test.", "以后不要用 mock。"])
    (folder / "agent-a.jsonl").write_text("".join(
        f"{json.dumps({**line, 'isSidechain': True, 'agentId': 'a'})}\n" for line in lines))  # fmt: skip
    data = run("--vault", vault, "capture", "sessions", folder, "--json").ok().data
    assert (data["states"], data["items"]) == ({"read": 1}, [])


def test_ho_05_what_the_hook_said_comes_back_from_a_log(vault: Path, tmp_path: Path) -> None:
    payload = {
        "hook_event_name": "SessionStart",
        "session_id": "s-1",
        "cwd": str(vault),
        "source": "startup",
    }
    answer = run("hook", "claude-code", "SessionStart", cwd=vault, stdin=json.dumps(payload)).ok()
    said = json.loads(answer.out)["hookSpecificOutput"]["additionalContext"]
    assert "always use make test" in said
    other = make_vault(tmp_path / "other")
    real = "No, that's wrong. The fixtures live in tests/data."
    for number in range(4):  # whole lines, in any wrapping: by fingerprints alone
        write_session(tmp_path / "logs", number, said, ["go", f"{mangled(said, number)}\n\n{real}"])
    found = (
        run("--vault", other, "capture", "sessions", tmp_path / "logs", "--json").ok().data["items"]
    )
    assert [item["text"] for item in found] == [real]
