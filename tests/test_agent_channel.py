"""What an agent without a terminal can do: propose. Everything else is shown and refused.

Each command line is run as an agent, with `--yes` where there is one, and must change nothing that
is in force, whatever it answers. And every command answers `--json` with one object.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import Result, commit_all, git, listed, make_vault, rendered, run, write_files

from vault_cli.cli.commands import COMMANDS

RULE = (
    "---\nid: {0}\nkind: rule\nstatus: {1}\ntitle: {2}\napplies_when: always\nforce: required\n"
    "boundary: here\n---\n{2}.\n"
)
FACT = "---\nid: {0}\nkind: fact\nstatus: {1}\ntitle: {2}\nboundary: here\n---\n{2}.\n"
FILES = {
    "playbook/r1.md": RULE.format("r-0000001", "active", "提交前先跑测试"),
    "memories/f1.md": FACT.format("f-0000001", "active", "Staging is blue"),
    "memories/f2.md": FACT.format("f-0000002", "active", "生产环境在上海"),
    "memories/f3.md": FACT.format("f-0000003", "deprecated", "Staging is green"),
    "memories/f4.md": FACT.format("f-0000004", "disputed", "Staging is red"),
    "drafts/f5.md": FACT.format("f-0000005", "candidate", "The cache holds ten minutes"),
    "drafts/f6.md": FACT.format("f-0000006", "candidate", "缓存保留十分钟"),
    "topics/o1.md": "---\nid: o-0000001\nkind: topic\nstatus: active\ntitle: ci\n---\nPipelines.\n",
    "recipes/c1.md": "---\nid: c-0000001\nkind: recipe\nstatus: active\ntitle: Rotate keys\nhits: 9\n"
    "boundary: here\n---\n## Problem\nOld keys.\n## Steps\n1. Rotate.\n",
}
PAYLOAD = json.dumps(
    {
        "kind": "fact",
        "title": "Claims to be admitted",
        "body": "The agent says so.",
        "status": "verified",
        "source": "user",
        "allow": ["injection"],
        "approved_by": "Lin",
        "origin": "editor",
    }
)
STEPS: tuple[tuple[str, ...], ...] = (
    ("approve", "f-0000005", "--yes"),
    ("approve", "f-0000006", "--allow", "injection", "--reason", "ok", "--yes"),
    ("reject", "f-0000005", "--reason", "no", "--yes"),
    ("edit", "r-0000001", "--set", "force=advice", "--yes"),
    ("edit", "f-0000005", "--set", "status=active", "--yes"),
    ("deprecate", "r-0000001", "--reason", "x", "--yes"),
    ("deprecate", "--match", "环境", "--reason", "x", "--yes"),
    ("dispute", "r-0000001", "--reason", "I disagree"),
    ("resolve", "f-0000004", "--reason", "x", "--yes"),
    ("revive", "f-0000003", "--reason", "x", "--yes"),
    ("verify", "f-0000001", "-e", "session-event:session=7f3a,start=1,end=2", "--yes"),
    ("verify", "f-0000005", "-e", "session-event:session=7f3a,start=1,end=2", "--yes"),
    ("supersede", "r-0000001", "f-0000005", "--yes"),
    ("merge", "f-0000001", "f-0000002", "--force", "--reason", "x", "--yes"),
    ("conflict", "r-0000001", "f-0000001", "--type", "goal", "--yes"),
    ("anchor", "f-0000001", "vault.toml", "--yes"),
    ("promote", "f-0000001", "--to", "session:x", "--yes"),
    ("audit",),
    ("eval", "add", "why", "--expect", "c-0000001"),
    ("eval", "run"),
    ("eval", "run", "--baseline", "--yes"),
    ("eval", "export"),
    ("used", "c-0000001", "--ok", "--yes"),
    ("persona", "propose", "边界：先问。"),
    ("persona", "approve", "--yes"),
    ("persona", "set", "Anything goes.", "--unlock", "--yes"),
    ("persona", "set", "--user", "Root.", "--yes"),
    ("graduate", "--propose"),
    ("graduate", "--list"),
    ("graduate", "c-0000001", "--name", "rotate-keys", "--yes"),
    ("forget", "r-0000001", "--yes"),
    ("forget", "--match", "Staging", "--reason-code", "secret", "--purge", "--yes"),
    ("topic", "disable", "ci", "--reason", "x", "--yes"),
    ("topic", "rename", "ci", "x", "--yes"),
    ("topic", "assign", "ci", "r-0000001", "--yes"),
    ("guard", "add", "r-0000001", "--match", "npx tsc", "--action", "deny", "--yes"),
    ("guard", "off", "r-0000001", "--yes"),
    ("guard", "propose"),
    ("undo", "--yes"),
    ("config", "set", "render.order", "lessons", "--yes"),
    ("config", "set", "--user", "trust.approve_without_terminal", "agent", "--yes"),
    ("check", "--fix", "--jumps", "--yes"),
    ("purge", "--text", "Staging", "--into", "../copy.git", "--yes"),
    ("sync", "--deletions", "--unrelated", "--rewritten", "--yes"),
    ("team", "add", "x", ".", "--yes"),
    ("trust", "--yes"),
    ("adopt", "drafts/note.md"),
    ("revise", "r-0000001", "--body", "Tests are optional."),
    ("add", "fact", "--payload", "-"),
    ("topic", "add", "new", "--alias", "r-0000001"),
    ("mark", "r-0000001", "--harmful", "--yes"),
    ("mark", "r-0000001", "--session", "s", "--cited", "--harmful"),
    ("mark", "--settle"),
    ("review",),
    ("task", "start", "Take r-0000001 out", "--session", "s"),
    ("task", "end", "--status", "failed", "--cited", "r-0000001"),
    ("ticket", "add", "改规则", "--depends", "r-0000001"),
    ("handoff", "Tests are optional from now on.", "--yes"),
    ("handoff", "--clear", "--yes"),
    ("import", "markdown", "drafts", "--scope", "global"),
)
IN_FORCE = {"r-0000001", "f-0000001", "f-0000002", "o-0000001", "c-0000001"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = make_vault(tmp_path, FILES)
    write_files(
        place, {"drafts/note.md": "---\nstatus: active\ntitle: 我自己写的\n---\nBy hand.\n"}
    )
    return place


@pytest.mark.parametrize("actor", ["agent", "hook", "import", "policy", "Claude", None])
def test_nothing_an_agent_runs_changes_what_is_in_force(
    root: Path, actor: str | None, home: Path
) -> None:
    (home / "mvault.toml").write_text('[trust]\napprove_without_terminal = ["ci"]\n')
    before = rendered(root)
    kept = {path: (root / path).read_bytes() for path in FILES if not path.startswith("drafts/")}

    for step in STEPS:
        result = run("--vault", root, *step, cwd=root, env={"MVAULT_ACTOR": actor}, stdin=PAYLOAD)

        assert result.code in {0, 2, 3, 4}, (step, result.text)
        assert "Traceback" not in result.text
        assert rendered(root) == before, step
        assert {p: (root / p).read_bytes() for p in kept} == kept, step
    states = {key: item["status"] for key, item in listed(root).items()}
    assert {key for key, state in states.items() if state in {"active", "verified"}} == IN_FORCE
    assert '"ci"' in (home / "mvault.toml").read_text()
    assert git(root, "log", "--format=%(trailers:key=Vault-Approval,valueonly)").strip() == ""


READING: tuple[tuple[str, ...], ...] = (
    *STEPS,
    ("status",),
    ("list",),
    ("show", "f-0000002"),
    ("show", "f-0000002", "--provenance", "--expand"),
    ("search", "环境"),
    ("brief",),
    ("stats",),
    ("render", "--receipt"),
    ("render", "--known-at", "HEAD"),
    ("log",),
    ("log", "f-0000001"),
    ("diff", "HEAD"),
    ("why", "f-0000002"),
    ("why", "环境"),
    ("bisect", "start", "HEAD", "HEAD~1"),
    ("bisect", "good"),
    ("bisect", "run", "--", "false"),
    ("bisect",),
    ("bisect", "log"),
    ("bisect", "reset"),
    ("check",),
    ("check", "--trust"),
    ("check", "--conflicts"),
    ("check", "--stale"),
    ("anchor", "f-0000001"),
    ("guard", "list"),
    ("guard", "show", "r-0000001"),
    ("guard", "test", "r-0000001"),
    ("guard", "compile"),
    ("guard", "failures", "--all"),
    ("guard", "failures", "--benign"),
    ("guard", "on", "r-0000001", "--yes"),
    ("quarantine", "list"),
    ("sessions", "list"),
    ("sessions", "search", "make"),
    ("capture", "status"),
    ("capture", "sessions"),
    ("capture", "list"),
    ("capture", "show", "q-0000000"),
    ("capture", "draft", "q-0000000", "--title", "x", "--body", "y", "--yes"),
    ("capture", "drop", "q-0000000"),
    ("capture", "retry"),
    ("reflect", "status"),
    ("reflect", "prepare", "--mode", "consolidate"),
    ("reflect", "prepare", "--record", "f-0000001"),
    ("reflect", "commit"),
    ("reflect", "abandon", "--reason", "x"),
    ("reflect", "precedent"),
    ("distill", "prepare", "--now"),
    ("distill", "commit"),
    ("demote", "c-0000001", "--reason", "x", "--yes"),
    ("init", "--dry-run"),
    ("show", "没有的"),
    ("mcp",),
    ("audit-store", "drafts"),
    ("export", "claude-code", "-"),
    ("install", "codex", "--project", "--block"),
    ("install", "--check"),
    ("uninstall", "codex", "--yes"),
    ("hook", "codex", "UserPromptSubmit"),
)


def test_every_command_takes_part() -> None:
    assert {step[0] for step in READING} == set(COMMANDS)


def one_object(result: Result, step: tuple[str, ...]) -> None:
    assert result.code in {0, 1, 2, 3, 4, 5, 6, 7}, (step, result.text)
    assert "Traceback" not in result.text, step
    answer = json.loads(result.out)
    assert {"schema", "ok", "data", "diagnostics"} <= answer.keys(), step
    assert answer["ok"] is (result.code in {0, 1}) or result.code in {0, 1, 4}, step


@pytest.mark.parametrize("scene", ["whole", "empty", "no identity", "no vault"])
def test_every_command_answers_with_one_object(
    scene: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path, FILES if scene == "whole" else {})
    if scene == "no identity":
        write_files(root, FILES)
        commit_all(root)
        (home / "gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    if scene == "no vault":
        root = tmp_path / "nothing"
        root.mkdir()
    for step in READING:
        one_object(run("--json", *step, cwd=root, stdin=PAYLOAD), step)
