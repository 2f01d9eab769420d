"""The compiled index and what is done before a tool call: sealed, bounded, fails open."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from vault_cli.hook import guard, guard_look
from vault_cli.text.guards import check_guard, compile_rule

TOKEN = bytes(range(32))
NOW = 1_790_000_000.0


def rule(match: str = "npx tsc", record_id: str = "x-0000001", **keys: Any) -> tuple[Any, ...]:
    more = {key: keys.pop(key) for key in ("session", "source", "title") if key in keys}
    value = check_guard({"match": match, **keys})
    assert value is not None
    return compile_rule(value, record_id=record_id, vault="/v", **{"title": "It fails", **more})


def index(*rules: tuple[Any, ...], folder: str = "/work", until: float = 0) -> guard.Index:
    stamps = tuple(guard.stamp(one[guard.SOURCE]) for one in rules)
    return guard.Index({folder: (stamps, until, rules)}, {})


def look(rules: guard.Index) -> guard_look.Look:
    """What a hook sees first of an index."""
    return guard_look.read_head(guard_look.split(guard.dump(rules, TOKEN))[1])


def ask(
    rules: guard.Index, command: str = "npx tsc -p .", session: str = "s", **more: Any
) -> guard.Verdict:
    facts = {"cwd": "/work/web", "state": "", "now": NOW, **more}
    return guard.match(rules, "codex", "Bash", {"command": command}, session=session, **facts)


def test_an_index_is_believed_from_this_machine_only(tmp_path: Path) -> None:
    data = guard.dump(index(rule()), TOKEN)
    assert guard.parse(data, TOKEN).sections.keys() == {"/work"}
    for wrong in (
        data[:-1], data[:30] + b"x" + data[31:], b"", b"mvguard2 ", b"junk", data + b"x",
        data.replace(b"x-0000001", b"x-0000002"),
    ):  # fmt: skip
        assert not guard.parse(wrong, TOKEN)
    assert not guard.parse(data, bytes(32))
    assert not guard.parse(data, b"short")
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "guards.bin").write_bytes(data)
    assert not guard.load(str(tmp_path / "hook" / "guards.bin"))  # no token
    (tmp_path / "cache-token").write_bytes(TOKEN)
    assert guard.load(str(tmp_path / "hook" / "guards.bin"))
    assert not guard.load(str(tmp_path / "hook" / "none.bin"))


def test_another_python_reads_none(monkeypatch: pytest.MonkeyPatch) -> None:
    data = guard.dump(index(rule()), TOKEN)
    monkeypatch.setattr(guard, "PYTHON", "3.99")
    assert not guard.parse(data, TOKEN)


def test_the_deepest_folder_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    found = guard.Index({"": ((), 0, ()), "/work": ((), 0, ()), "/work/web": ((), 0, ())}, {})
    assert found.section("/work/web/src") == "/work/web"
    assert found.section("/work/website") == "/work"
    assert found.section("/elsewhere") == ""
    assert guard.Index({"/work": ((), 0, ())}, {}).section("/elsewhere") is None
    named = guard.named_section(os.path.realpath("/vaults/mine"))
    monkeypatch.setenv("MVAULT", "/vaults/mine")
    assert found.section("/work") is None
    assert guard.Index({named: ((), 0, ())}, {}).section("/work") == named


@pytest.mark.parametrize("text", ["npx tsc -p .", "cd a && npx --yes tsc", "部署; npx tsc"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_first_look_never_misses(text: str, ascii_only: bool) -> None:
    raw = json.dumps({"tool_input": {"command": text}}, ensure_ascii=ascii_only).encode()
    for match in ("npx tsc", "re:npx.*tsc", "re:(?i)NPX", "re:[n]px|部署", "re:tsc|abc"):
        assert look(index(rule(match))).may_match(raw)
    assert look(index(rule("部署"))).may_match(raw) is ("部署" in text)
    assert not look(index(rule("docker compose"))).may_match(raw)


def test_a_long_payload_is_parsed_and_only_its_beginning_looked_at() -> None:
    raw = b"x" * (guard_look.MAX_PAYLOAD + 1)
    assert look(index(rule())).may_match(raw)
    assert ask(index(rule()), "x " * guard.MAX_TEXT + "; npx tsc").action == "allow"


def test_warn_stops_once_a_session_while_the_cooldown_lasts(tmp_path: Path) -> None:
    state, rules = str(tmp_path), index(rule(cooldown="10m"))
    first = ask(rules, state=state)
    assert (first.action, first.id, first.vault) == ("warn", "x-0000001", "/v")
    assert "made again within 10m it passes" in first.reason
    assert ask(rules, state=state, now=NOW + 1).action == "allow"
    assert ask(rules, "npx tsc --noEmit", state=state, now=NOW + 599).action == "allow"
    assert ask(rules, state=state, session="other", now=NOW + 1).action == "warn"
    assert ask(rules, state=state, now=NOW + 601).action == "warn"
    assert ask(rules, state=state, now=NOW + 602).action == "allow"
    files = list((tmp_path / "hook" / "cooldown").iterdir())
    assert len(files) == 2
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_a_clock_that_went_back_does_not_let_everything_through(tmp_path: Path) -> None:
    state, rules = str(tmp_path), index(rule())
    assert ask(rules, state=state).action == "warn"
    assert ask(rules, state=state, now=NOW - 86_400).action == "warn"


def test_where_nothing_can_be_remembered_nothing_is_stopped(tmp_path: Path) -> None:
    assert ask(index(rule())).action == "allow"
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert ask(index(rule()), state=str(blocked)).action == "allow"
    (tmp_path / "hook" / "cooldown").mkdir(parents=True)
    Path(guard.cooldown_path(str(tmp_path), "s", rule())).symlink_to("/dev/null")
    assert ask(index(rule()), state=str(tmp_path)).action == "allow"


def test_a_guard_speaks_the_language_of_its_record(tmp_path: Path) -> None:
    keys = {"instead": "用 `make check`。", "title": "npx tsc 会联网。"}
    found = ask(index(rule(action="deny", **keys)), state=str(tmp_path))
    assert found.reason == (
        "mvault 护栏 x-0000001：npx tsc 会联网。改用：用 `make check`。这次调用没有执行。"
        "可由人关闭此护栏：mvault guard off x-0000001 --for 1h"
    )
    for cooldown, said in (("10m", "10 分钟"), ("90s", "90 秒"), ("2h", "2 小时"), ("1d", "1 天")):
        state = str(tmp_path / cooldown)
        found = ask(index(rule(cooldown=cooldown, title="别这样")), state=state)
        assert f"这次调用被拦下一次；在 {said}内再次调用即可执行。" in found.reason
    english = ask(index(rule(title="It fails.", instead="a")), state=str(tmp_path / "en")).reason
    assert english.startswith("mvault guard x-0000001: It fails. Instead: a. This call was stopped")


def test_deny_stops_every_time_and_names_the_way_out(tmp_path: Path) -> None:
    rules = index(rule(action="deny", instead="use `make check`."))
    for _ in range(3):
        found = ask(rules, state=str(tmp_path))
        assert found.action == "deny"
    assert found.reason == (
        "mvault guard x-0000001: It fails. Instead: use `make check`. This call was not run."
        " A person can switch the guard off: mvault guard off x-0000001 --for 1h"
    )


def test_the_strictest_of_several_counts(tmp_path: Path) -> None:
    warns, denies = rule(record_id="x-0000001"), rule(record_id="x-0000009", action="deny")
    assert ask(index(warns, denies), state=str(tmp_path)).id == "x-0000009"
    logs = compile_rule(check_guard({"match": "npx tsc"}), record_id="a", action="log")  # type: ignore[arg-type]
    assert ask(index(logs, warns), state=str(tmp_path)).id == "x-0000001"
    only = ask(index(logs), state=str(tmp_path))
    assert (only.action, only.reason) == ("log", "")


def test_a_rule_of_a_session_counts_there_only(tmp_path: Path) -> None:
    rules = index(rule(session="7f", action="deny"))
    assert ask(rules, session="7f").action == "deny"
    assert ask(rules, session="8f").action == "allow"


def test_what_is_switched_off_counts_again_later() -> None:
    rules = index(rule(action="deny"))
    rules.off[guard.off_key("/v", "x-0000001")] = NOW + 60
    assert ask(rules).action == "allow"
    assert ask(rules, now=NOW + 60).action == "deny"


def test_stale_is_what_changed_and_a_changed_record_says_nothing(tmp_path: Path) -> None:
    source = tmp_path / "x.md"
    source.write_text("one")
    rules = index(rule(action="deny", source=str(source)))
    assert not look(rules).is_stale("/work", NOW)
    assert ask(rules).action == "deny"
    source.write_text("another")
    assert look(rules).is_stale("/work", NOW)
    assert ask(rules).action == "allow"
    source.unlink()
    assert ask(rules).action == "allow"
    assert not look(rules).is_stale("/elsewhere", NOW)
    assert look(index(rule(), until=NOW)).is_stale("/work", NOW)
    assert not look(index(rule(), until=NOW + 1)).is_stale("/work", NOW)


@pytest.mark.parametrize("given", [None, [], "npx tsc", {"command": 7}, {"command": {"a": 1}}, 3])
def test_odd_input_stops_nothing_or_is_text(given: Any) -> None:
    found = guard.match(index(rule(action="deny")), "codex", "Bash", given, cwd="/work", now=NOW)
    assert found.action == ("deny" if given == "npx tsc" else "allow")
