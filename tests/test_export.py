"""`export`: documented, whole, and read back without a change."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from helpers import git, listed, make_vault, run, snapshot_bytes
from jsonschema import Draft202012Validator

PERSON = {"MVAULT_ACTOR": "person"}
HEAD = "---\nid: {0}\nkind: {1}\nstatus: {2}\ntitle: {3}\n{4}---\n{5}"
FILES = {
    "playbook/r.md": HEAD.format("r-0000001", "rule", "active", "提交前先跑测试", "topics: [ci, 测试]\napplies_when: 提交前\nimportance: 8\n", "# 提交前先跑测试\n\n没有例外。\n"),
    "memories/l.md": HEAD.format("l-0000001", "lesson", "active", "'Check: the bin'", "summary: Look first\nmine: kept\n", "## Problem\nnpx downloads.\n\n## Correction\nLook in `node_modules`.\n"),
    "memories/f.md": HEAD.format("f-0000001", "fact", "active", "Staging is blue", "derived_from: [l-0000001]\n", "Staging is blue.\r\n"),
    "memories/p.md": HEAD.format("p-0000001", "preference", "active", "Short answers", "", "- one\n- two\n\n```\n# no heading\n```\n"),
    "memories/old.md": HEAD.format("f-0000002", "fact", "deprecated", "Staging is red", "", "Staging is red.\n"),
    "drafts/d.md": HEAD.format("f-0000003", "fact", "candidate", "草稿", "", "还没有人看过。\n"),
}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path, FILES)


def test_json_fits_its_schema_and_round_trips(root: Path, tmp_path: Path) -> None:
    schema = json.loads(run("--vault", root, "export", "json", "--schema").ok().out)
    text = run("--vault", root, "export", "json", "-").ok().out
    whole = json.loads(text)
    Draft202012Validator(schema).validate(whole)
    assert {r["path"] for r in whole["records"]} == set(FILES)
    for record in whole["records"]:
        data = (root / record["path"]).read_bytes()
        assert record["text"].encode() == data
        assert record["sha256"] == hashlib.sha256(data).hexdigest()
    place = tmp_path / "backup.json"
    place.write_text(text, encoding="utf-8")
    again = run("--vault", root, "--json", "import", "auto", place).ok().data["import"]
    assert again["totals"] == {"unchanged": len(FILES)}

    other = make_vault(tmp_path, name="other")
    run("--vault", other, "import", "auto", place).ok()
    assert set(listed(other)) == set(listed(root))
    assert {item["status"] for item in listed(other).values()} == {"candidate"}
    lesson = (other / listed(other)["l-0000001"]["path"]).read_text(encoding="utf-8")
    assert "mine: kept" in lesson
    assert "exported_status: active" in lesson
    assert lesson.endswith("## Problem\nnpx downloads.\n\n## Correction\nLook in `node_modules`.\n")
    second = run("--vault", other, "export", "json", "-").ok().out
    (tmp_path / "second.json").write_text(second, encoding="utf-8")
    report = run("--vault", root, "--json", "import", "mvault", tmp_path / "second.json").ok()
    assert report.data["import"]["totals"] == {"unchanged": len(FILES)}


def test_a_markdown_bundle_has_every_byte_and_its_hash(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    run("--vault", root, "export", "markdown", out).ok()
    for name, content in FILES.items():
        assert (out / "records" / name).read_bytes() == content.encode()
    sums = dict(
        reversed(line.split("  ", 1)) for line in (out / "SHA256SUMS").read_text().splitlines()
    )
    assert set(sums) == {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()} - {
        "SHA256SUMS"
    }
    for name, digest in sums.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert (
        "- [提交前先跑测试](records/playbook/r.md) — rule, active, `r-0000001`"
        in (out / "INDEX.md").read_text()
    )


@pytest.mark.parametrize(
    ("name", "again"),
    [("claude-code", "claude-code"), ("mcp-memory", "memory-server"), ("expmem", "expmem")],
)
def test_other_programs_get_what_is_in_force_and_give_it_back_unchanged(
    name: str, again: str, root: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = run("--vault", root, "--json", "export", name, out).ok()
    names = {record["id"] for record in result.data["records"]}
    in_force = {"r-0000001", "l-0000001", "f-0000001", "p-0000001"}
    assert names == (in_force | {"f-0000003"} if name == "expmem" else in_force)
    everything = "".join(p.read_text(encoding="utf-8") for p in out.rglob("*") if p.is_file())
    assert "没有例外。" in everything
    assert "Staging is red" not in everything
    # What a format has no place for is named.
    assert "applies_when" in result.data["lost"]["r-0000001"]
    source = out / "memory.jsonl" if name == "mcp-memory" else out
    before = snapshot_bytes(root)
    back = run("--vault", root, "--json", "import", "auto", source).ok().data["import"]
    assert back["format"] == again
    assert back["totals"] == {"unchanged": len(names)}
    assert {
        p: d for p, d in snapshot_bytes(root).items() if ".git" not in p and ".state" not in p
    } == {p: d for p, d in before.items() if ".git" not in p and ".state" not in p}


def test_what_was_changed_over_there_is_a_proposal(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("--vault", root, "export", "claude-code", out).ok()
    note = next(p for p in out.glob("*.md") if "没有例外" in p.read_text(encoding="utf-8"))
    note.write_text(
        note.read_text(encoding="utf-8").replace("没有例外", "热修复除外"), encoding="utf-8"
    )
    report = run("--vault", root, "--json", "import", "claude-code", out).ok().data["import"]
    assert report["totals"] == {"proposed": 1, "unchanged": 3}
    new = next(item["id"] for item in report["items"] if item["action"] == "proposed")
    assert "supersedes: [r-0000001]" in (root / listed(root)[new]["path"]).read_text("utf-8")
    assert (root / "playbook/r.md").read_text("utf-8") == FILES["playbook/r.md"]


def test_the_expmem_archive_is_valid_by_its_own_rules(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("--vault", root, "export", "expmem", out).ok()
    for path in (out / "archive").rglob("*.json"):
        value = json.loads(path.read_text(encoding="utf-8"))
        assert (path.parent.name, path.stem) == (value["kind"], value["id"])
        assert value["schemaVersion"] == 1
        assert value["status"] in {"candidate", "disputed"}
        assert isinstance(value["createdAt"], int)
        assert value["authoredBy"]["kind"] in {"user", "agent", "tool"}
        assert value["id"][14] == "4"
        assert value["id"][19] in "89ab"


def test_a_secret_stays_here_and_an_export_overwrites_nothing(root: Path, tmp_path: Path) -> None:
    key = "AKIA" + "Q7ZP2M4XN6RT8WYB"
    (root / "memories/k.md").write_text(
        HEAD.format("f-0000009", "fact", "active", "Key", "", f"Use {key}.\n")
    )
    git(root, "add", "-A")
    git(root, "commit", "-qm", "by hand")
    for name in ("json", "markdown", "claude-code", "mcp-memory", "expmem"):
        out = tmp_path / f"out-{name}"
        result = run("--vault", root, "export", name, out).ok()
        assert key not in result.text
        assert "left-out" in result.err
        assert all(key.encode() not in p.read_bytes() for p in out.rglob("*") if p.is_file())
        assert run("--vault", root, "export", name, out).code == 4
        assert oct(next(p for p in out.rglob("*") if p.is_file()).stat().st_mode)[-3:] == "600"
    assert run("--vault", root, "export", "json", root / "out").code == 4
    link = tmp_path / "link"
    (tmp_path / "elsewhere").mkdir()
    link.symlink_to(tmp_path / "elsewhere")
    assert run("--vault", root, "export", "json", link).code == 4
    assert run("--vault", root, "export", "markdown", "-").code == 2
    assert run("--vault", root, "export", "nope", "-").code == 2
    run("--vault", root, "export", "json", tmp_path / "dry", "--dry-run").ok()
    assert not (tmp_path / "dry").exists()


def test_statuses_kinds_and_scopes_narrow_an_export(root: Path) -> None:
    def ids(*argv: str) -> set[str]:
        data = run("--vault", root, "--json", "export", "json", "-", *argv).ok().data
        return {record["id"] for record in data["records"]}

    assert ids("--status", "candidate") == {"f-0000003"}
    assert ids("--kind", "rule") == {"r-0000001"}
    assert ids("--scope", "project") == set()
    assert run("--vault", root, "export", "json", "-", "--status", "nope").code == 2


def test_another_client_s_notes_do_not_go_into_a_project_s_memory(tmp_path: Path) -> None:
    files = {
        "memories/a.md": HEAD.format("f-0000001", "fact", "active", "Ours", "scope: project:github.com/acme/web\n", "Ours is blue.\n"),
        "memories/b.md": HEAD.format("f-0000002", "fact", "active", "Theirs", "scope: project:github.com/other/shop\n", "别家的端口是九千。\n"),
        "memories/c.md": HEAD.format("f-0000003", "fact", "active", "Over", "valid_to: 2026-01-01\n", "It was red.\n"),
        "memories/d.md": HEAD.format("f-0000004", "fact", "active", "Everybody", "", "Tests come first.\n"),
        "topics/t.md": HEAD.format("o-0000001", "topic", "active", "ci", "", "Pipelines.\n"),
    }  # fmt: skip
    root = make_vault(tmp_path, files)
    work = tmp_path / "web"
    work.mkdir()
    git(work, "init", "-q")
    git(work, "remote", "add", "origin", "git@github.com:acme/web.git")
    for name in ("claude-code", "mcp-memory"):
        result = run("--vault", root, "--json", "export", name, tmp_path / name, cwd=work).ok()
        assert {r["id"] for r in result.data["records"]} == {"f-0000001", "f-0000004"}
        told = {d["path"]: d["message"] for d in result.json["diagnostics"]}
        assert "other/shop" in told["memories/b.md"]
        assert told["memories/c.md"] == "it is expired"
        wide = run(
            "--vault",
            root,
            "--json",
            "export",
            name,
            tmp_path / f"{name}-2",
            "--scope",
            "project",
            cwd=work,
        )
        assert {r["id"] for r in wide.ok().data["records"]} == {"f-0000001", "f-0000002"}
