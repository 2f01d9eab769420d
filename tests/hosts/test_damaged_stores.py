"""Every format with damaged files: nothing is lost in silence, and line ends and a BOM change nothing."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from foreign_stores import ERROR_FILES, SELF_FILES, expmem, write_all

from vault_cli.errors import VaultError
from vault_cli.hosts.importers.port import MAX_DATA
from vault_cli.hosts.importers.table import read_store
from vault_cli.model.foreign import Store

NOTE = "---\nname: 部署前先备份\ndescription: Before a deploy\ntype: feedback\n---\nBack up first. 先备份。\n"


def lines(*rows: Mapping[str, object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FILES: dict[str, dict[str, str]] = {
    "error-improvement": dict(ERROR_FILES),
    "self-improvement": dict(SELF_FILES),
    "claude-code": {
        "projects/-home-me-src-web/memory/MEMORY.md": "- [Deploy](deploy.md)\n",
        "projects/-home-me-src-web/memory/deploy.md": NOTE,
        "projects/-home-me-src-web/memory/网络.md": NOTE.replace("部署前先备份", "网络超时先看 DNS"),
    },
    "codex": {
        "memories/MEMORY.md": "# Task Group: web\n\n## Task 1: 部署\n\n### preferences\n- Back up first. 先备份。\n",
        "memories/memory_summary.md": "## User preferences\n\n- 回答要简短\n",
    },
    "dsh-lessons": {
        "tasks.jsonl": lines(
            {"record_type": "open", "task_id": "t1"},
            {
                "record_type": "reflection",
                "task_id": "t1",
                "lessons": [{"kind": "lesson", "pattern": "缓存过期", "correction": "只清一个"}],
            },
        ),
        "lessons/lessons.jsonl": lines(
            {"id": "t1#1", "boundary": "只在预发环境"},
            {"id": "g1", "kind": "lesson", "problem": "Slow", "correction": "Cache"},
        ),
        "tool-events.jsonl": "{}\n",
    },
    "cognition-engine": {
        "cognition-state.json": json.dumps(
            {"memories": {"x": [{"id": "mem-9", "content": "预发在上海", "kind": "fact"}]}},
            ensure_ascii=False,
        ),
        "cognition-playbook.json": json.dumps(
            {"playbook": [{"id": "ctxt-00001", "text": "Ask first.", "when": "deleting"}]}
        ),
    },
    "notebook": {
        "LESSONS.md": "# 错题本\n\n## [E-001] 直接推送主分支\n- **触发**：改完代码\n- **错误做法**：git push\n"
        "- **正确做法**：先开分支\n\n## [E-002] Guessing\n- Wrong way: change code\n- Right way: read\n",
    },
    "instructions": {"CLAUDE.md": "# Rules\n\n- Run the tests first.\n- 先跑测试。\n"},
    "markdown": {"a.md": "# One\n\nText.\n", "子/二.md": "# 二\n\n文字。\n"},
    "basic-memory": {
        "x.md": "---\ntitle: 队列\ntype: note\npermalink: x\n---\n# 队列\n\n- [fact] Ten jobs #ops\n- relates_to [[二]]\n"
    },
    "mem0": {
        "m.json": json.dumps({"results": [{"id": "1", "memory": "喜欢简短的回答"}]}, ensure_ascii=False)
    },
    "memory-server": {
        "memory.jsonl": lines(
            {"type": "entity", "name": "网关", "entityType": "service", "observations": ["port 8443"]},
            {"type": "entity", "name": "queue", "entityType": "service", "observations": ["ten jobs"]},
        )
    },
}  # fmt: skip


def build(name: str, root: Path) -> Path:
    return expmem(root, root.parent) if name == "expmem" else write_all(root, FILES[name])


def read(name: str, root: Path) -> Store:
    return read_store(name, root, root.parent)


def texts(root: Path) -> list[Path]:
    return sorted(p for p in root.rglob("*") if p.is_file() and p.suffix != ".sqlite")


NAMES = ["expmem", *FILES]
SAME: Mapping[str, Callable[[bytes], bytes]] = {
    "bom": lambda data: b"\xef\xbb\xbf" + data,
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
}
BROKEN: Mapping[str, Callable[[bytes], bytes]] = {
    "not UTF-8": lambda data: data + "编码".encode("gbk"),
    "a NUL": lambda data: data + b"\0",
    "cut": lambda data: data[: len(data) * 2 // 3],
    "empty": lambda _: b"",
    "a bad line": lambda data: b'{"broken": \n' + data,
    "huge": lambda data: data + b" " * (MAX_DATA + 1),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_store_is_read(name: str, tmp_path: Path) -> None:
    store = read(name, build(name, tmp_path / "store"))
    assert store.items
    known = {source.file for source in store.sources}
    for path in texts(tmp_path / "store"):
        assert any(file.endswith(path.name) for file in known), (path, known)


@pytest.mark.parametrize("how", SAME)
@pytest.mark.parametrize("name", NAMES)
def test_a_bom_and_line_ends_change_nothing(name: str, how: str, tmp_path: Path) -> None:
    one, two = (build(name, tmp_path / kind / "store") for kind in ("plain", "changed"))
    for path in texts(two):
        path.write_bytes(SAME[how](path.read_bytes()))
    before, after = (
        [(i.kind, i.title, i.body, i.alias) for i in read(name, root).items] for root in (one, two)
    )
    assert after == before


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("name", NAMES)
def test_damage_is_named_and_hides_no_other_file(name: str, how: str, tmp_path: Path) -> None:
    whole = build(name, tmp_path / "whole" / "store")
    before = read(name, whole)
    for number, damaged in enumerate(texts(whole)):
        root = tmp_path / str(number) / "store"
        shutil.copytree(whole, root)
        place = root / damaged.relative_to(whole)
        place.write_bytes(BROKEN[how](place.read_bytes()))
        try:
            after = read(name, root)
        except VaultError:  # a refusal is an answer, too
            continue
        own = [s for s in before.sources if s.file.endswith(place.name) and s.items]
        told = {n.path for n in after.notes} | {
            s.file for s in after.sources if s.state == "failed"
        }
        is_told = any(path.endswith(place.name) for path in told)
        lost = {i.alias for i in before.items} - {i.alias for i in after.items}
        others = [
            i.alias for i in before.items if i.alias in lost and not i.file.endswith(place.name)
        ]
        assert others == [], (how, place)
        if own and lost and (how not in ("cut", "empty") or place.suffix == ".json"):
            assert is_told, (how, place, lost, after.notes)


@pytest.mark.skipif(os.name == "nt", reason="links")
@pytest.mark.parametrize("name", NAMES)
def test_a_link_out_is_named_and_not_followed(name: str, tmp_path: Path) -> None:
    root = build(name, tmp_path / "store")
    outside = tmp_path / "secret.md"
    outside.write_text("# Outside 外面\n\nNot yours.\n", "utf-8")
    place = texts(root)[0]
    place.unlink()
    place.symlink_to(outside)
    try:
        store = read(name, root)
    except VaultError:
        return
    assert "Not yours." not in "".join(item.body for item in store.items)
    named = {s.file for s in store.sources} | {n.path for n in store.notes}
    assert any(path.endswith(place.name) for path in named), (place, named)
