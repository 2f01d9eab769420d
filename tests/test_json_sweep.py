"""`--json` of every command, in every poor surrounding: one object, a documented exit code."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import commit_all, make_vault, run, write_files

from vault_cli.cli.commands import COMMANDS

EXITS = {0, 1, 2, 3, 4, 5, 6, 7}
RULE = "---\nid: {id}\nkind: rule\nstatus: {status}\ntitle: 规则 {id}\n---\n先问。\n"
CALLS: dict[str, tuple[str, ...]] = {
    "render": ("render",),
    "brief": ("brief",),
    "search": ("search", "{id}"),
    "list": ("list",),
    "show": ("show", "{id}"),
    "log": ("log", "{id}"),
    "diff": ("diff", "HEAD"),
    "why": ("why", "{id}"),
    "bisect": ("bisect", "start", "HEAD"),
    "add": ("add", "rule", "--title", "标题 {id}", "--body", "正文。"),
    "edit": ("edit", "{id}", "--set", "title=新"),
    "adopt": ("adopt", "{id}.md"),
    "review": ("review",),
    "approve": ("approve", "{id}", "--yes"),
    "verify": ("verify", "{id}", "--evidence", "task:task=7", "--yes"),
    "reject": ("reject", "{id}", "--reason", "不对", "--yes"),
    "revise": ("revise", "{id}", "--title", "新", "--body", "新的。"),
    "supersede": ("supersede", "{id}", "r-other", "--reason", "旧", "--yes"),
    "dispute": ("dispute", "{id}", "--reason", "存疑"),
    "resolve": ("resolve", "{id}", "--reason", "好", "--yes"),
    "deprecate": ("deprecate", "{id}", "--reason", "旧", "--yes"),
    "revive": ("revive", "{id}", "--reason", "好", "--yes"),
    "forget": ("forget", "{id}", "--reason", "incorrect", "--yes"),
    "merge": ("merge", "{id}", "r-other", "--yes"),
    "conflict": ("conflict", "{id}", "r-other", "--type", "goal", "--yes"),
    "anchor": ("anchor", "{id}", "代码.py", "--yes"),
    "promote": ("promote", "{id}", "--to", "project:x", "--yes"),
    "graduate": ("graduate", "{id}", "--yes"),
    "demote": ("demote", "{id}", "--yes"),
    "quarantine": ("quarantine", "show", "{id}"),
    "mark": ("mark", "{id}", "--helpful", "--yes"),
    "persona": ("persona", "set", "{id}。", "--yes"),
    "audit": ("audit",),
    "eval": ("eval", "add", "为什么 {id}", "--expect", "{id}"),
    "used": ("used", "{id}", "--ok", "--yes"),
    "stats": ("stats", "{id}"),
    "guard": ("guard", "add", "{id}", "--match", "npx tsc", "--yes"),
    "topic": ("topic", "assign", "部署", "{id}", "--yes"),
    "task": ("task", "start", "{id}", "--session", "s"),
    "ticket": ("ticket", "add", "{id}"),
    "handoff": ("handoff", "接着做 {id}", "--yes"),
    "sessions": ("sessions", "list"),
    "capture": ("capture", "draft", "q-{id}", "--title", "标题", "--body", "正文。"),
    "reflect": ("reflect", "prepare", "--mode", "dialectic", "--record", "{id}"),
    "distill": ("distill", "prepare", "--now"),
    "init": ("init",),
    "status": ("status",),
    "check": ("check",),
    "undo": ("undo", "--yes"),
    "sync": ("sync", "--yes"),
    "purge": ("purge", "{id}", "--yes"),
    "team": ("team", "list"),
    "config": ("config", "set", "render.mode", "strict", "--yes"),
    "trust": ("trust", "--yes"),
    "mcp": ("mcp",),
    "import": ("import", "auto", "{id}.md"),
    "audit-store": ("audit-store", "{id}.md"),
    "export": ("export", "json", "-", "--status", "candidate"),
    "install": ("install", "claude-code", "--yes"),
    "uninstall": ("uninstall", "claude-code", "--yes"),
    "hook": ("hook", "codex", "stop"),
}
LISTS = (
    ("list",), ("search", "先问"), ("deprecate", "--list"), ("quarantine", "list"),
)  # fmt: skip
PARTS = {
    "records", "touched", "waiting", "members", "mates", "forgotten",
    *("drafts", "disputed", "held", "quarantined", "expired", "scheduled", "ready"),
}  # fmt: skip
"""Names a list of records may have (README, Commands)."""

PLACES = ("no vault", "empty", "no identity", "read-only", "filled")


def test_every_command_is_swept() -> None:
    assert set(CALLS) == set(COMMANDS)


@pytest.fixture(params=PLACES)
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    if request.param == "no vault":
        (tmp_path / "vault").mkdir()
        yield tmp_path / "vault"
        return
    root = make_vault(tmp_path)
    if request.param == "empty":
        yield root
        return
    files = {
        "playbook/r-other.md": RULE.format(id="r-other", status="active"),
        "playbook/规则-一.md": RULE.format(id="r-规则一", status="active"),
        "playbook/r-known.md": RULE.format(id="r-known", status="active"),
    }
    write_files(root, files)
    commit_all(root)
    if request.param == "no identity":
        bare = tmp_path / "gitconfig"
        bare.write_text("[user]\n\tuseConfigOnly = true\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(bare))
        for name in [n for n in os.environ if n.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_"))]:
            monkeypatch.delenv(name)
    if request.param == "read-only":
        if os.geteuid() == 0:
            pytest.skip("root writes everywhere")
        folders = [root, *(p for p in root.rglob("*") if p.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        yield root
        for folder in folders:
            folder.chmod(0o755)
        return
    yield root


@pytest.mark.parametrize("name", ["r-known", "r-nobody", "r-规则一", "没有这个"])
def test_json_is_one_object_and_the_exit_is_documented(place: Path, name: str) -> None:
    person = {"MVAULT_ACTOR": "person"}
    wrong = []
    spare = place.parent / "spare"
    for command, words in CALLS.items():
        if os.access(place, os.W_OK):  # each command meets the place as it was
            shutil.rmtree(spare, ignore_errors=True)
            shutil.copytree(place, spare, symlinks=True)
            here = spare
        else:
            here = place
        argv = [word.format(id=name) for word in words]
        result = run("--vault", here, "--json", *argv, cwd=here, env=person)
        try:
            one = isinstance(json.loads(result.out), dict)
        except ValueError:
            one = False
        if not one or result.code not in EXITS or "Traceback" in result.text:
            wrong.append((command, result.code, result.out[:200], result.err[-300:]))
    assert wrong == []


def test_what_a_command_lists_or_changes_is_called_records(tmp_path: Path) -> None:
    files = {
        "playbook/r-known.md": RULE.format(id="r-known", status="active"),
        "playbook/r-other.md": RULE.format(id="r-other", status="active"),
        "drafts/r-draft.md": RULE.format(id="r-draft", status="candidate"),
        "playbook/r-old.md": RULE.format(id="r-old", status="deprecated"),
    }
    root = make_vault(tmp_path, files)
    write_files(root, {"quarantine/r-held.md": RULE.format(id="r-held", status="quarantined")})
    for words in LISTS:
        data = run("--vault", root, "--json", *words).ok().data
        assert data["records"], words
        assert all({"id", "kind", "status"} <= set(record) for record in data["records"]), words
    spare = tmp_path / "spare"
    for words in (*CALLS.values(), ("topic", "list"), ("show", "{id}", "--expand")):
        shutil.rmtree(spare, ignore_errors=True)
        shutil.copytree(root, spare, symlinks=True)
        argv = [word.format(id="r-known") for word in words]
        answer = run("--vault", spare, "--json", *argv, cwd=spare, env={"MVAULT_ACTOR": "person"})
        data = answer.json["data"]
        if not isinstance(data, dict):
            continue
        if "applied" in data:
            assert isinstance(data.get("records"), list), words
        for name, items in data.items():
            is_records = isinstance(items, list) and any(
                isinstance(item, dict) and {"id", "kind", "status"} <= set(item) for item in items
            )
            assert not is_records or name in PARTS, (words, name)
