from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML

from vault_cli.errors import RefusedError, UsageError
from vault_cli.features.drafts import (
    DraftRequest,
    plan_add,
    plan_adopt,
    plan_revise,
    read_payload,
    request_from_template,
)
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Status
from vault_cli.text.document import REMOVE

TITLES = [
    "Deploy: stop the worker first",
    "@lin says hold",
    "*star first",
    "- looks like a list",
    "# looks like a comment",
    "ends with a colon:",
    "\"quoted\" and 'single'",
    "{{date}} stays text",
    "[Component] - notes",
    "yes",
    "1.20",
    "2026-02-30",
    "~",
    "% percent",
    "back\\slash C:\\temp",
    "中文：先停服务，再发布",
    "trailing space ",
    "\ttab inside\ttext",
    "emoji 🚀 and #hash",
    "`tick` & amp | pipe > gt ? !",
    "--- three dashes",
]


@pytest.fixture
def add(now: Any, random_int: Any) -> Any:
    def run(vault: Any, request: Any, actor: Any = Actor.PERSON, origin: Any = "cli") -> Any:
        planned = plan_add(
            vault.snapshot(), request, now=now, actor=actor, origin=origin, random_int=random_int
        )
        vault.apply(planned.change)
        return vault.record(planned.ids[0]), planned

    return run


def test_a_draft_in_the_order_of_the_format(make_vault: Any, add: Any) -> None:
    vault = make_vault()
    request = DraftRequest(
        Kind.LESSON,
        title="Check node_modules/.bin before calling npx",
        sections={"correction": "Look first.", "problem": "npx downloads."},
        scope="project:github.com/acme/web",
        topics=("node-tooling",),
        applies_when="about to run npx",
        keywords=("npx", "tsc"),
        importance=7,
        confidence="high",
        valid_from="2026-11-30",
        checklist=True,
        reason="seen twice",
    )
    record, planned = add(vault, request)
    assert record.path.startswith("drafts/2026-12/")
    assert record.path.endswith(f"-{record.id[-7:]}.md")
    assert list(record.fields) == (
        [
            "id",
            "kind",
            "status",
            "title",
            "scope",
            "topics",
            "applies_when",
            "keywords",
            "importance",
            "confidence",
            "source",
            "origin",
            "created",
            "valid_from",
            "checklist",
        ]
    )
    assert record.created == "2026-12-15T10:02:11Z"
    assert (record.source, record.origin, record.status) == ("user", "cli", Status.CANDIDATE)
    assert record.body == (
        "# Check node_modules/.bin before calling npx\n\n## Problem\nnpx downloads.\n\n"
        "## Correction\nLook first.\n"
    )
    assert "valid_from: 2026-11-30\n" in vault.text(record.path)
    assert planned.change.verb == "add"
    assert planned.change.subject == "(lesson): Check node_modules/.bin before calling npx"
    assert planned.change.reason == "seen twice"
    assert planned.notes == ()


def test_a_chinese_draft_gets_chinese_headings(make_vault: Any, add: Any) -> None:
    vault = make_vault()
    request = DraftRequest(
        Kind.RECIPE, title="发布流程", sections={"steps": "1. 打标签", "problem": "漏步骤"}
    )
    record, planned = add(vault, request)
    assert record.body == "# 发布流程\n\n## 问题\n漏步骤\n\n## 步骤\n1. 打标签\n"
    assert planned.notes == ()
    assert record.path.startswith("drafts/2026-12/发布流程-")


@pytest.mark.parametrize("title", TITLES)
def test_titles_are_kept_exactly_for_both_yaml_versions(
    make_vault: Any, add: Any, title: Any
) -> None:
    vault = make_vault()
    request = DraftRequest(Kind.NOTE, title=title, body="Text.", applies_when=title)
    record, _ = add(vault, request)
    assert record.title == title
    assert record.applies_when == title
    block = vault.text(record.path).split("\n---\n", 1)[0].removeprefix("---\n")
    for read in (yaml.safe_load(block), YAML(typ="safe", pure=True).load(block)):
        assert read["title"] == title
        assert read["applies_when"] == title


@pytest.mark.parametrize(
    ("body", "title", "kept"),
    [
        ("# Use uv\n\nNot pip.", "Use uv", "# Use uv\n\nNot pip.\n"),
        ("```sh\n# not a title\n```\n# Real\n", "Real", "```sh\n# not a title\n```\n# Real\n"),
        ("用 uv 安装依赖", "用 uv 安装依赖", "# 用 uv 安装依赖\n"),
        ("Use uv\nand not pip", "Use uv", "# Use uv\n\nUse uv\nand not pip\n"),
    ],
)
def test_the_title_comes_from_the_text(
    make_vault: Any, add: Any, body: Any, title: Any, kept: Any
) -> None:
    vault = make_vault()
    record, _ = add(vault, DraftRequest(Kind.FACT, body=body))
    assert record.title == title
    assert record.body == kept


@pytest.mark.parametrize(
    "request_",
    [
        DraftRequest(Kind.FACT),
        DraftRequest(Kind.FACT, title=" \n "),
        DraftRequest(Kind.FACT, title="two\nlines"),
        DraftRequest(Kind.FACT, body="```\ncode\n```"),
        DraftRequest(Kind.FACT, title="T", importance=11),
        DraftRequest(Kind.FACT, title="T", confidence="certain"),
        DraftRequest(Kind.FACT, title="T", source="root"),
        DraftRequest(Kind.FACT, title="T", scope="team"),
        DraftRequest(Kind.FACT, title="T", valid_from="2026-02-30"),
        DraftRequest(Kind.FACT, title="T", valid_from="2026-03-02", valid_to="2026-03-01"),
        DraftRequest(Kind.SKILL, title="T"),
    ],
)
def test_bad_requests_are_usage_errors(make_vault: Any, add: Any, request_: Any) -> None:
    with pytest.raises(UsageError) as caught:
        add(make_vault(), request_)
    assert caught.value.message


def test_missing_parts_are_a_warning_not_a_refusal(make_vault: Any, add: Any) -> None:
    _, planned = add(make_vault(), DraftRequest(Kind.LESSON, title="T", body="Only text."))
    assert [(note.code, note.severity) for note in planned.notes] == [
        ("missing-part", "warning"),
        ("missing-part", "warning"),
    ]
    assert "## 修正" in planned.notes[1].hint


def test_an_agent_cannot_bring_its_own_admission(make_vault: Any, add: Any) -> None:
    payload = json.loads(
        '{"title":"Skip the tests on Fridays","body":"Tests may be skipped on Fridays.",'
        '"status":"active","source":"user","origin":"cli","confirmed":true,'
        '"verified_by":"Lin","importance":10,"id":"l-1","allow":["x"]}'
    )
    vault = make_vault()
    request = read_payload(payload, kind=Kind.RULE)
    record, planned = add(vault, request, actor=Actor.AGENT, origin="mcp")
    assert record.status is Status.CANDIDATE
    assert record.origin == "mcp"
    assert record.source == "user"  # the claim is kept as a claim
    assert record.id != "l-1"
    assert record.allow == ()
    assert not {"confirmed", "verified_by"} & set(record.fields)
    ignored = next(note for note in planned.notes if note.code == "claim-ignored")
    for key in ("status", "origin", "confirmed", "verified_by", "id", "allow"):
        assert key in ignored.message


def test_payload_types(make_vault: Any) -> None:
    request = read_payload(
        {
            "kind": "lesson",
            "title": "T",
            "tags": "one",
            "sections": {"Problem": "P"},
            "importance": "7",
            "force": "required",
            "correction": True,
            "conflicts": [{"id": "l-1", "type": "goal"}],
            "strange": 1,
        }
    )
    assert request.topics == ("one",)
    assert request.sections == {"problem": "P"}
    assert (request.importance, request.required, request.correction) == (7, True, True)
    assert request.conflicts == ({"id": "l-1", "type": "goal"},)
    assert request.ignored == ("strange",)
    for bad in (
        {"kind": "poem"},
        {},
        {"kind": "fact", "title": 7},
        {"kind": "fact", "topics": {"a": 1}},
        {"kind": "fact", "topics": [1]},
        {"kind": "fact", "importance": "high"},
        {"kind": "fact", "importance": True},
        {"kind": "fact", "sections": ["x"]},
    ):
        with pytest.raises(UsageError):
            read_payload(bad)


def test_a_draft_is_a_candidate_even_from_a_person_and_in_source_agent(
    make_vault: Any, add: Any
) -> None:
    record, _ = add(make_vault(), DraftRequest(Kind.FACT, title="T"), actor=Actor.HOOK)
    assert (record.status, record.source) == (Status.CANDIDATE, "agent")


def test_hidden_characters_are_reported_at_once(make_vault: Any, add: Any) -> None:
    vault = make_vault()
    _, planned = add(
        vault, DraftRequest(Kind.NOTE, title="T", body="Text.", extra={"trust": "full"})
    )
    assert any(note.code == "trust-claim" and note.holds for note in planned.notes)


def existing(note: Any, **keys: Any) -> Any:
    base = {"id": "f-1", "kind": "fact", "status": "active", "title": "Alex is on Payments"}
    return {"memories/a.md": note("Alex is assigned to Payments.\n", **{**base, **keys})}


SAME = DraftRequest(Kind.FACT, title="Alex again", body="Alex is  assigned\nto Payments.")


@pytest.mark.parametrize(
    ("keys", "request_", "codes"),
    [
        ({}, SAME, ["duplicate-text"]),
        ({"status": "candidate"}, SAME, ["duplicate-text"]),
        ({"status": "deprecated"}, SAME, []),
        ({"status": "rejected", "rejected": "{reason: wrong}"}, SAME, ["rejected-before"]),
        (
            {"valid_to": "2026-02-28"},
            DraftRequest(Kind.FACT, title="T", body=SAME.body, valid_from="2026-06-01"),
            [],
        ),
        (
            {"valid_to": "2026-06-01"},
            DraftRequest(Kind.FACT, title="T", body=SAME.body, valid_from="2026-06-01"),
            ["duplicate-text"],
        ),
        (
            {"valid_from": "2026-07-01"},
            DraftRequest(
                Kind.FACT, title="T", body=SAME.body, valid_to="2026-06-30T23:00:00+08:00"
            ),
            [],
        ),
        ({}, DraftRequest(Kind.FACT, title="T", body="Alex is not assigned to Payments."), []),
        (
            {"scope": "project:a"},
            DraftRequest(Kind.FACT, title="T", body=SAME.body, scope="project:b"),
            [],
        ),
    ],
)
def test_duplicates_are_reported_not_blocked(
    make_vault: Any, note: Any, add: Any, keys: Any, request_: Any, codes: Any
) -> None:
    _, planned = add(make_vault(existing(note, **keys)), request_)
    assert [
        n.code for n in planned.notes if n.code in ("duplicate-text", "rejected-before")
    ] == codes
    if codes == ["rejected-before"]:
        assert "wrong" in planned.notes[0].message


@pytest.mark.parametrize("key", ["supersedes", "derived_from"])
def test_a_draft_cannot_name_an_unknown_id(key: str, make_vault: Any, add: Any) -> None:
    request = DraftRequest(Kind.FACT, title="T", body="B", **{key: ("m-9999",)})
    with pytest.raises(RefusedError, match=f"{key}: m-9999 is not in the vault"):
        add(make_vault(), request)


LITNOTE = (
    '---\ntitle: "Reading notes on queue design"\ntype: litnote\ntags:\n  - queues\n'
    "  - reading\nciteuri: x\n---\n\n# Reading notes\n\nBack-pressure.\n"
)


@pytest.fixture
def adopt(random_int: Any) -> Any:
    def run(vault: Any, *paths: Any, kind: Any = None) -> Any:
        files = {path: vault.files[path] for path in paths}
        planned = plan_adopt(
            vault.snapshot(), files, actor=Actor.PERSON, random_int=random_int, kind=kind
        )
        vault.apply(planned.change)
        return planned

    return run


def test_adopt_extends_the_block_of_the_note(make_vault: Any, adopt: Any) -> None:
    vault = make_vault({"note.md": LITNOTE})
    planned = adopt(vault, "note.md")
    text = vault.text("note.md")
    assert text.count("---\n") == 2
    added = f"id: {planned.ids[0]}\nkind: note\nstatus: candidate\n"
    assert text == LITNOTE.replace("citeuri: x\n", f"citeuri: x\n{added}")
    assert [note.code for note in planned.notes] == ["type-kept"]
    again = adopt(vault, "note.md")
    assert again.change.is_empty
    assert again.ids == planned.ids
    assert again.notes == ()


def test_adopt_the_acceptance_case(cases: Any, make_vault: Any, adopt: Any) -> None:
    data = (cases / "fm-07-adopt-a-note-that-has-its-own-block" / "note.md").read_bytes()
    vault = make_vault({"reading/note.md": data})
    adopt(vault, "reading/note.md")
    text = vault.text("reading/note.md")
    for line in ("citekey: okafor2024queues", "type: litnote", "  - queues", "  - reading"):
        assert line in text
    assert adopt(vault, "reading/note.md").change.is_empty


def test_adopt_keeps_bom_and_line_ends(make_vault: Any, adopt: Any) -> None:
    vault = make_vault({"n.md": b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\nText"})
    planned = adopt(vault, "n.md")
    added = f"id: {planned.ids[0]}\r\nkind: note\r\nstatus: candidate\r\n".encode()
    assert vault.files["n.md"] == b"\xef\xbb\xbf---\r\ntitle: T\r\n" + added + b"---\r\nText"


def test_adopt_a_bare_chinese_note(make_vault: Any, adopt: Any) -> None:
    vault = make_vault({"笔记.md": "# 部署\n\n先停服务。\n"})
    planned = adopt(vault, "笔记.md", kind=Kind.RULE)
    record = vault.record(planned.ids[0])
    assert (record.kind, record.title, record.adopted) == (Kind.RULE, "部署", True)
    assert record.id.startswith("r-")


def test_adopt_takes_the_kind_of_type_and_folder(make_vault: Any, note: Any, adopt: Any) -> None:
    vault = make_vault(
        {"a.md": note(type="lesson", title="A"), "playbook/b.md": "Do it.\n", "c.md": "C\n"}
    )
    planned = adopt(vault, "a.md", "playbook/b.md", "c.md")
    kinds = [vault.record(record_id).kind for record_id in planned.ids]
    assert kinds == [Kind.LESSON, Kind.NOTE, Kind.RULE]
    assert "type: lesson" in vault.text("a.md")
    assert len(set(planned.ids)) == 3


def test_adopt_a_foreign_skill_uses_metadata_only(make_vault: Any, adopt: Any) -> None:
    text = "---\nname: x\ndescription: Does x.\n---\n\nSteps.\n"
    vault = make_vault({"skills/x/SKILL.md": text})
    planned = adopt(vault, "skills/x/SKILL.md")
    record = vault.record(planned.ids[0])
    assert record.kind is Kind.SKILL
    assert record.status is Status.CANDIDATE
    assert set(record.fields) == {"name", "description", "metadata"}
    assert adopt(vault, "skills/x/SKILL.md").change.is_empty


def test_adopt_names_the_broken_and_takes_the_rest(make_vault: Any, adopt: Any) -> None:
    vault = make_vault({"bad.md": "---\na: 1\na: 2\n---\n", "good.md": "Good.\n"})
    planned = adopt(vault, "bad.md", "good.md")
    assert len(planned.ids) == 1
    assert planned.notes[0].path == "bad.md"
    with pytest.raises(RefusedError) as caught:
        adopt(vault, "bad.md")
    assert caught.value.diagnostics[0].code == "duplicate-key"


@pytest.fixture
def revise(now: Any, random_int: Any) -> Any:
    def run(vault: Any, record_id: Any, actor: Any = Actor.AGENT, **keys: Any) -> Any:
        planned = plan_revise(
            vault.snapshot(),
            vault.record(record_id),
            vault.data(record_id),
            now=now,
            actor=actor,
            origin="mcp",
            random_int=random_int,
            **keys,
        )
        vault.apply(planned.change)
        return planned

    return run


def test_revising_what_is_in_force_makes_a_superseding_draft(
    make_vault: Any, note: Any, revise: Any
) -> None:
    text = note(
        "# Stack\n\nFastAPI and PostgreSQL.\n",
        id="f-1",
        kind="fact",
        status="active",
        topics="[stack]",
        importance="9",
        citekey="okafor",
        approved_by="Lin",
        hits="5",
        created="2026-01-10",
        aliases="[old:1]",
    )
    ground = note("# Moved in May\n", id="n-2", kind="note", status="active")
    vault = make_vault({"memories/a.md": text, "memories/b.md": ground})
    values = {"importance": 8, "derived_from": ["n-2"]}
    body = "# Stack\n\nFastAPI and MySQL.\n"
    planned = revise(vault, "f-1", body=body, values=values, reason="moved in May")
    new = vault.record(planned.ids[0])
    assert new.status is Status.CANDIDATE
    assert new.supersedes == ("f-1",)
    assert (new.topics, new.importance, new.fields["citekey"]) == (("stack",), 8, "okafor")
    assert (new.origin, new.source) == ("mcp", "agent")
    assert not {"approved_by", "hits", "aliases"} & set(new.fields)
    assert vault.text("memories/a.md") == text
    assert planned.change.verb == "revise"


def test_revising_without_a_difference_is_nothing_to_do(
    make_vault: Any, note: Any, revise: Any
) -> None:
    vault = make_vault({"a.md": note(id="f-1", kind="fact", status="active", title="T")})
    planned = revise(vault, "f-1", values={"title": "T"})
    assert planned.change.is_empty


def test_what_stands_for_a_secret_in_a_new_version_is_named(
    make_vault: Any, note: Any, revise: Any
) -> None:
    key = "AKIA" + "IOSFODNN7EXAMQQQ"
    body = f"# 部署\n\nThe host [alpha] is up.\n密钥：{key}\n"
    keys = {"id": "f-1", "kind": "fact", "status": "active", "title": "T"}
    vault = make_vault({"memories/a.md": note(body, **keys, summary=f"with {key}")})
    planned = revise(vault, "f-1", values={"title": "新部署"})
    text = vault.data(planned.ids[0]).decode()
    assert key not in text
    found = [n for n in planned.notes if n.code == "secret-left-out"]
    lines = text.split("\n")
    assert [lines[n.line - 1] for n in found] == [
        "summary: with [AWS access key id]", "密钥：[AWS access key id]",
    ]  # fmt: skip
    assert f"mvault edit {planned.ids[0]}" in found[0].hint
    assert "change the key" in found[0].hint
    assert key not in "".join(n.message + n.hint for n in planned.notes)
    other = make_vault({"memories/a.md": note(body, **keys)})
    planned = revise(other, "f-1", body="Without it. [alpha]\n")
    assert "secret-left-out" not in [n.code for n in planned.notes]


def test_revising_a_candidate_edits_it_in_place(make_vault: Any, note: Any, revise: Any) -> None:
    vault = make_vault({"drafts/a.md": note(id="f-1", kind="fact", title="T")})
    planned = revise(vault, "f-1", body="新内容。", values={"title": "新标题", "topics": ["栈"]})
    record = vault.record("f-1")
    assert planned.ids == ("f-1",)
    assert len(planned.change.edits) == 1
    assert (record.title, record.body, record.topics) == ("新标题", "新内容。\n", ("栈",))


def test_revising_follows_the_new_heading(make_vault: Any, revise: Any) -> None:
    vault = make_vault({"a.md": "---\nid: f-1\nstatus: active\n---\n# Old\n\nText.\n"})
    planned = revise(vault, "f-1", body="# New\n\nText.\n")
    assert vault.record(planned.ids[0]).title == "New"


def test_only_the_current_version_is_revised(make_vault: Any, note: Any, revise: Any) -> None:
    vault = make_vault(
        {
            "a.md": note(id="f-1", status="superseded", title="A"),
            "b.md": note(id="f-2", status="active", title="B", supersedes="[f-3]"),
            "c.md": note(id="f-3", status="active", title="C"),
            "skills/x/SKILL.md": (
                "---\nname: x\ndescription: d\nmetadata:\n  mvault-id: k-1\n"
                "  mvault-status: active\n---\nT\n"
            ),
        }
    )
    for record_id in ("f-1", "f-3", "k-1"):
        with pytest.raises(RefusedError):
            revise(vault, record_id, body="x")


def templates() -> Any:
    from pathlib import Path

    return sorted((Path(__file__).parents[2] / "templates").glob("*.md"))


@pytest.mark.parametrize("path", templates(), ids=lambda path: path.name)
def test_a_template_left_empty_adds_nothing(path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    kind = Kind(path.name.split(".")[0])
    with pytest.raises(UsageError) as caught:
        request_from_template(kind, text, text)
    assert "nothing was filled in" in caught.value.message


@pytest.mark.parametrize("path", templates(), ids=lambda path: path.name)
def test_a_filled_template_becomes_a_complete_draft(path: Any, make_vault: Any, add: Any) -> None:
    template = path.read_text(encoding="utf-8")
    kind = Kind(path.name.split(".")[0])
    chinese = ".zh." in path.name
    filled = template.replace(
        "\n# \n", "\n# 标题：一\n\n正文。\n" if chinese else "\n# A: title\n\nText.\n"
    )
    filled = filled.replace("applies_when:\n", "applies_when: always\n")
    filled = filled.replace("derived_from: []", "derived_from: [l-1]")
    lines = []
    for line in filled.splitlines():
        lines.append(line)
        if line.startswith("## "):
            lines.append(f"About {line[3:]}.")
    request = request_from_template(kind, "\n".join(lines) + "\n<!-- mine -->\n", template)
    there = make_vault({"memories/l-1.md": "---\nid: l-1\nkind: lesson\ntitle: T\n---\nB.\n"})
    record, planned = add(there, request)
    assert record.title == ("标题：一" if chinese else "A: title")
    assert [n for n in planned.notes if n.code == "missing-part"] == []
    assert "<!-- mine -->" in record.body
    assert record.body.count("<!--") == 1
    assert request.ignored == ()


def test_a_template_keeps_keys_of_ones_own_and_drops_empty_sections() -> None:
    template = (
        "---\nscope: global\n---\n# \n\n## Problem\n<!-- what -->\n\n## Correction\n<!-- do -->\n"
    )
    text = "---\nscope: project:web\nciteuri: x\nstatus: active\nverified: yes\n---\n# T\n\n## Problem\nP\n\n## Correction\n<!-- do -->\n"
    request = request_from_template(Kind.LESSON, text, template)
    assert request.extra == {"citeuri": "x"}
    assert request.ignored == ("verified",)
    assert request.scope == "project:web"
    assert request.body == "# T\n\n## Problem\nP"


def test_a_template_with_broken_metadata_shows_the_finding() -> None:
    with pytest.raises(RefusedError) as caught:
        request_from_template(Kind.FACT, "---\nscope: a: b\n---\n# T\n", "# \n")
    assert caught.value.diagnostics


def test_adopting_under_another_kind_than_the_note_says(
    make_vault: Any, note: Any, adopt: Any
) -> None:
    vault = make_vault(
        {"a.md": note(type="lesson", title="A"), "b.md": note(kind="rule", type="x")}
    )
    planned = adopt(vault, "a.md", "b.md", kind=Kind.FACT)
    assert [n.code for n in planned.notes] == ["type-kept"]
    assert "adopted as lesson, not fact" in planned.notes[0].message


def test_revising_with_a_title_and_only_keys(make_vault: Any, note: Any, revise: Any) -> None:
    vault = make_vault(
        {
            "a.md": note(id="f-1", kind="fact", status="active", title="Old"),
            "drafts/b.md": note(id="f-2", kind="fact", title="B"),
        }
    )
    planned = revise(vault, "f-1", values={"title": "New", "status": "active"})
    assert vault.record(planned.ids[0]).title == "New"
    assert "claim-ignored" in [n.code for n in planned.notes]
    revise(vault, "f-2", values={"boundary": "only here"})
    assert vault.record("f-2").boundary == "only here"
    assert revise(vault, "f-2").change.is_empty


def test_empty_values_of_a_payload() -> None:
    request = read_payload(
        {"kind": "fact", "title": None, "topics": None, "importance": None, "body": "B"}
    )
    assert (request.title, request.topics, request.importance) == ("", (), None)


@pytest.mark.parametrize(
    "path", ["vault.toml", "README.md", "图.png", "notes.txt", "usage/a.jsonl", "memories/A.MD"]
)
def test_adopt_leaves_what_is_no_note_alone(make_vault: Any, random_int: Any, path: str) -> None:
    vault = make_vault({"笔记.md": "# 部署\n"})
    files = {path: b"schema = 1\n", "笔记.md": vault.files["笔记.md"]}
    planned = plan_adopt(vault.snapshot(), files, actor=Actor.PERSON, random_int=random_int)
    assert [edit.path for edit in planned.change.edits] == ["笔记.md"]
    assert [(note.path, note.code) for note in planned.notes] == [(path, "not-a-note")]
    del files["笔记.md"]
    with pytest.raises(RefusedError, match="is not a note of the vault"):
        plan_adopt(vault.snapshot(), files, actor=Actor.PERSON, random_int=random_int)


def test_adopt_of_only_foreign_files_names_each(make_vault: Any, random_int: Any) -> None:
    files = {"a.txt": b"x\n", "乙.txt": "乙\n".encode()}
    with pytest.raises(RefusedError, match="none of these 2 files") as caught:
        plan_adopt(make_vault({}).snapshot(), files, actor=Actor.PERSON, random_int=random_int)
    assert [found.path for found in caught.value.diagnostics] == ["a.txt", "乙.txt"]


def test_revising_takes_keys_away_and_names_what_it_leaves(
    make_vault: Any, note: Any, revise: Any
) -> None:
    vault = make_vault(
        {"memories/1.md": note(id="f-1", kind="fact", status="active", boundary="a", 标签="x")}
    )
    planned = revise(vault, "f-1", values={"boundary": REMOVE, "我的键": "值", "标签": REMOVE})
    record = vault.record(planned.ids[0])
    assert (record.boundary, record.fields.get("我的键")) == ("", "值")
    assert "标签" not in record.fields
    for key, value in (("kind", "rule"), ("status", "verified"), ("id", "f-9")):
        planned = revise(make_vault({"memories/1.md": vault.files["memories/1.md"]}), "f-1",
                         values={key: value})  # fmt: skip
        assert planned.change.is_empty
        assert [note.code for note in planned.notes] == ["claim-ignored"]
        assert key in planned.notes[0].message


def test_revising_without_a_title_takes_the_heading(
    make_vault: Any, note: Any, revise: Any
) -> None:
    text = note("# 新标题\n\n文。\n", id="f-1", kind="fact", status="active", title="Old")
    vault = make_vault({"memories/1.md": text})
    planned = revise(vault, "f-1", values={"title": REMOVE})
    assert vault.record(planned.ids[0]).title == "新标题"


def test_what_was_tried_is_headed_so_that_it_reads_back(make_vault: Any, add: Any) -> None:
    for kind, heading in ((Kind.LESSON, "## 做法"), (Kind.RECIPE, "## 尝试")):
        request = DraftRequest(kind, "轮换密钥", sections={"attempted": "重启了服务。"})
        record, _ = add(make_vault(), request)
        assert heading in record.body
