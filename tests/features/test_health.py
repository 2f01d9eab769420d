from __future__ import annotations

import time
from typing import Any

import pytest

from vault_cli.features.adoption import plan_adopt
from vault_cli.features.health import check, check_relations
from vault_cli.features.jumps import check_history
from vault_cli.features.links import LinkIndex, find_links
from vault_cli.features.parts import is_chinese, missing_parts
from vault_cli.model.evidence import judge_verification
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Snapshot


@pytest.fixture
def findings(now: Any) -> Any:
    def run(vault: Any, head: Any = None, files: Any = ()) -> Any:
        found = check(
            vault.snapshot(), now=now, head=head, load=lambda path: vault.files[path], files=files
        )
        return [(d.code, d.path, d.line) for d in found]

    return run


def codes(found: Any) -> Any:
    return [code for code, *_ in found]


# --- links


def test_the_acceptance_case_of_broken_links(cases: Any, make_vault: Any, findings: Any) -> None:
    data = (cases / "se-05-a-broken-link-does-not-hide-a-note" / "vault" / "m-6501.md").read_bytes()
    vault = make_vault({"memories/m-6501.md": data})
    found = findings(vault)
    assert ("dangling-link", "memories/m-6501.md", 10) in found
    assert codes(found).count("dangling-link") == 2
    assert ("dangling-supersedes", "memories/m-6501.md", 7) in found
    shown = check(vault.snapshot(), now=_now())
    messages = " ".join(d.message for d in shown)
    assert "[[missing note]]" in messages
    assert "gone.md" in messages
    assert "not a link" not in messages
    assert all(d.severity != "error" for d in shown)


def _now() -> Any:
    from datetime import UTC, datetime

    return datetime(2026, 12, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "link",
    [
        "[[f-2]]",
        "[[F-2|shown]]",
        "[[f-2#part]]",
        "[[f-2#^block]]",
        "![[f-2]]",
        "[[2026-12/技术栈-aaaaaaa]]",
        "[[技术栈-aaaaaaa]]",
        "[[技术栈]]",
        "[[Café]]",
        "[[old:7]]",
        "[[cover.jpg]]",
        "[x](技术栈-aaaaaaa.md)",
        "[x](<技术栈-aaaaaaa.md>)",
        "[x](%E6%8A%80%E6%9C%AF%E6%A0%88-aaaaaaa.md)",
        "[x](2026-12/../技术栈-aaaaaaa.md#part)",
        '[x](memories/2026-12/技术栈-aaaaaaa.md "title")',
        "[x](./)",
        "[x](../2026-12)",
        "[x](https://example.invalid/a.md)",
        "[x](mailto:a@example.invalid)",
        "[x](#part)",
        "[x](/absolute/path.md)",
        "[x](../../../outside.md)",
        "![x](picture.png)",
        "[x](README.md)",
        "`[[gone]]`",
        "```\n[[gone]] [x](gone.md)\n```",
        "~~~md\n[x](gone.md)\n~~~",
        "[ ] a task (not a link)",
        "a[0](y) in prose",
    ],
)
def test_links_that_are_fine(make_vault: Any, note: Any, findings: Any, link: Any) -> None:
    vault = make_vault(
        {
            "memories/2026-12/a.md": note(f"{link}\n", id="f-1", kind="fact", title="A"),
            "memories/2026-12/技术栈-aaaaaaa.md": note(
                id="f-2", kind="fact", title="技术栈", aliases='["old:7"]'
            ),
            "memories/café.md": note(id="f-3", kind="fact", title="C"),
            "memories/x.md": note(id="f-4", kind="fact", title="X"),
        }
    )
    assert "dangling-link" not in codes(findings(vault))


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("[[gone]]", 1),
        ("\n\ntext [[缺失的笔记]]", 3),
        ("[x](gone.md)", 1),
        ("```\n```\n[x](缺失.md)", 3),
        ("[[v1.2 notes]]", 1),
        ("`code` [[gone]]", 1),
        ("[[gone|\\shown]]", 1),
    ],
)
def test_links_that_lead_nowhere(
    make_vault: Any, note: Any, findings: Any, body: Any, line: Any
) -> None:
    vault = make_vault({"a.md": note(f"{body}\n", id="f-1", kind="fact", title="A")})
    assert ("dangling-link", "a.md", line + 5) in findings(vault)


def test_a_link_to_a_file_that_cannot_be_read_is_not_dangling(
    make_vault: Any, note: Any, findings: Any
) -> None:
    vault = make_vault(
        {"a.md": note("[[b]]\n", id="f-1", kind="fact"), "b.md": "---\nx: a: b\n---\n"}
    )
    assert "dangling-link" not in codes(findings(vault))


def test_attachments_are_judged_when_they_are_listed(
    make_vault: Any, note: Any, findings: Any
) -> None:
    vault = make_vault({"n/a.md": note("![p](p.png) ![[q.png]]\n", id="f-1", kind="fact")})
    assert "dangling-link" not in codes(findings(vault))
    assert codes(findings(vault, files=["n/p.png"])).count("dangling-link") == 1
    assert "dangling-link" not in codes(findings(vault, files=["n/p.png", "img/q.png"]))


def test_files_of_a_skill_are_its_own(make_vault: Any, findings: Any) -> None:
    text = "---\nname: x\ndescription: d\n---\n[d](references/dossier.md) [r](../../gone.md)\n"
    vault = make_vault({"skills/x/SKILL.md": text})
    assert codes(findings(vault)) == ["dangling-link"]


def test_the_line_is_unknown_without_the_bytes(make_vault: Any, note: Any, now: Any) -> None:
    vault = make_vault({"a.md": note("[[gone]]\n", id="f-1", kind="fact", title="A")})
    assert [d.line for d in check(vault.snapshot(), now=now)] == [0]


def test_many_brackets_take_no_time() -> None:
    body = "[" * 100_000 + "](" * 50_000 + "[[" * 50_000 + "[x](" * 20_000
    start = time.process_time()
    assert list(find_links(body)) == []
    assert time.process_time() - start < 2


def test_link_index_of_an_empty_vault() -> None:
    assert LinkIndex(Snapshot()) is not None


# --- relations


def vault_of(make_vault: Any, note: Any, **records: Any) -> Any:
    return make_vault(
        {
            f"{name}.md": note(
                **{"id": name, "kind": "fact", "status": "active", "title": name.upper(), **keys}
            )
            for name, keys in records.items()
        }
    )


def test_unknown_targets(make_vault: Any, note: Any, findings: Any) -> None:
    vault = vault_of(
        make_vault, note,
        a={"supersedes": "[gone]", "derived_from": "[gone, b]", "conflicts": "[{id: gone, type: goal}]"},
        b={"aliases": "[x1]"}, c={"derived_from": "[x1]"}, d={"supersedes": "[d]"},
    )  # fmt: skip
    found = findings(vault)
    assert sorted(codes(found)) == [
        "dangling-conflicts",
        "dangling-derived-from",
        "dangling-supersedes",
        "self-relation",
        "support-weakened",
    ]


def test_a_circle_is_reported_once(make_vault: Any, note: Any, now: Any) -> None:
    vault = vault_of(
        make_vault, note, a={"supersedes": "[b]"}, b={"supersedes": "[c]"}, c={"supersedes": "[a]"},
        d={"supersedes": "[a]"},
    )  # fmt: skip
    found = [d for d in check_relations(vault.snapshot(), now) if d.code == "supersedes-circle"]
    assert len(found) == 1
    assert "a -> b -> c -> a" in found[0].message


def test_two_successors_and_a_predecessor_still_in_force(
    make_vault: Any, note: Any, findings: Any
) -> None:
    vault = vault_of(make_vault, note, a={}, b={"supersedes": "[a]"}, c={"supersedes": "[a]"})
    assert codes(findings(vault)) == ["not-superseded", "two-successors"]
    vault = vault_of(make_vault, note, a={}, b={"supersedes": "[a]", "valid_from": "2027-01-01"})
    assert codes(findings(vault)) == []
    vault = vault_of(make_vault, note, a={}, b={"supersedes": "[a]", "status": "candidate"})
    assert codes(findings(vault)) == []


def test_a_superseded_record_without_its_successor(
    make_vault: Any, note: Any, findings: Any
) -> None:
    vault = vault_of(make_vault, note, a={"status": "superseded", "superseded_by": "gone"})
    assert codes(findings(vault)) == ["successor-lost"]
    vault = vault_of(make_vault, note, a={"status": "superseded", "superseded_by": "b"}, b={})
    assert codes(findings(vault)) == []


# --- dates, parts, verification


def test_expired_is_a_note(make_vault: Any, note: Any, findings: Any) -> None:
    vault = vault_of(
        make_vault, note, a={"valid_to": "2026-12-14"}, b={"valid_to": "2026-12-15"},
        c={"valid_to": "2026-01-01", "status": "superseded", "superseded_by": "b"},
    )  # fmt: skip
    assert [(code, path) for code, path, _ in findings(vault)] == [("expired", "a.md")]


@pytest.mark.parametrize(
    ("kind", "body", "keys", "missing"),
    [
        ("lesson", "## Problem\nP\n## Correction\nC\n", {}, ()),
        ("lesson", "## 问题\n甲\n", {}, ("correction",)),
        ("failure", "## 问题\n甲\n## 不要做\n乙\n", {}, ()),
        ("failure", "Text.\n", {}, ("problem", "avoid")),
        ("rule", "Do it.\n", {}, ("applies_when",)),
        ("rule", "Do it.\n", {"applies_when": "always"}, ()),
        ("rule", "做。\n\n## 适用\n总是\n", {}, ()),
        ("fact", "# Only a title\n", {}, ("text",)),
        ("fact", "# T\n", {"summary": "So it is."}, ()),
        ("insight", "Text.\n", {}, ("derived_from",)),
        (
            "insight",
            "Text.\n",
            {"evidence": "[{id: e1, type: commit, commit: 5278b95, observed: 2026-11-30}]"},
            (),
        ),
        ("hypothesis", "Text.\n\n## How to test\nT\n", {}, ()),
        ("hypothesis", "内容。\n\n## 如何验证\n试\n", {}, ()),
        ("hypothesis", "Text.\n", {}, ("test",)),
        ("recipe", "## 问题\n甲\n## 步骤\n乙\n", {}, ()),
        ("recipe", "1. Go.\n", {}, ("problem", "steps")),
        ("recipe", "## 问题\n甲\n## 做法\n1. 乙\n", {}, ()),
        ("recipe", "## 问题\n甲\n## 尝试\n乙\n", {}, ("steps",)),
        ("lesson", "## 问题\n甲\n## 做法\n乙\n", {}, ("correction",)),
    ],
)
def test_missing_parts(
    make_vault: Any, note: Any, findings: Any, kind: Any, body: Any, keys: Any, missing: Any
) -> None:
    vault = make_vault({"a.md": note(body, id="a", kind=kind, title="T", **keys)})
    assert missing_parts(vault.record("a")) == missing
    assert codes(findings(vault)) == ["missing-part"] * len(missing)


def test_ended_records_are_not_nagged_about_parts(
    make_vault: Any, note: Any, findings: Any
) -> None:
    vault = make_vault({"a.md": note(id="a", kind="lesson", status="rejected")})
    assert findings(vault) == []


EVENT = "{id: e1, type: session-event, session: s, start: 1, end: 2, observed: 2026-11-30}"
HASH = "0a" * 32


@pytest.mark.parametrize(
    ("evidence", "verification", "words"),
    [
        (f"[{EVENT}]", "{method: user-confirmation, evidence: [e1]}", ""),
        (f"[{EVENT}]", "{method: user-confirmation, evidence: e1}", ""),
        (
            f"[{{id: e1, type: external-uri, uri: 'https://a.invalid/b', captured_sha256: {HASH}}}]",
            "{method: independent-source, evidence: [e1]}",
            "",
        ),
        (f"[{EVENT}]", None, "no verification"),
        (f"[{EVENT}]", "{evidence: [e1]}", "no method"),
        (f"[{EVENT}]", "{method: user-confirmation}", "no evidence"),
        (f"[{EVENT}]", "{method: user-confirmation, evidence: [e2]}", "e2"),
        (f"[{EVENT}]", "{method: trust-me, evidence: [e1]}", "no method 'trust-me'"),
        (f"[{EVENT}]", "{method: independent-source, evidence: [e1]}", "external-uri"),
        (
            "[{id: e1, type: session-event, session: s, start: 1}]",
            "{method: user-confirmation, evidence: [e1]}",
            "incomplete: e1",
        ),
        (
            "[{id: e1, type: external-uri, uri: 'https://a.invalid/b'}]",
            "{method: independent-source, evidence: [e1]}",
            "incomplete: e1",
        ),
        (
            f"[{{id: e1, type: review-report, location: r.md, sha256: {HASH}, target_sha256: {HASH}}}]",
            "{method: user-confirmation, evidence: [e1]}",
            "e1 (review-report) is not eligible",
        ),
    ],
)
def test_verified_needs_eligible_evidence(
    make_vault: Any, note: Any, findings: Any, evidence: Any, verification: Any, words: Any
) -> None:
    keys = {"evidence": evidence}
    if verification:
        keys["verification"] = verification
    vault = make_vault({"a.md": note(id="a", kind="fact", status="verified", **keys)})
    assert words in judge_verification(vault.record("a"))[1]
    expected = "verified-without-evidence" if words else "verification-unbound"
    assert [code for code in codes(findings(vault)) if code != "bad-evidence"] == [expected]


# --- history


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("candidate", "disputed", []),
        ("deprecated", "active", ["admitted-by-hand"]),
        ("candidate", "active", ["admitted-by-hand"]),
        ("active", "deprecated", ["reason-missing"]),
        ("active", "tombstoned", ["tombstone-by-hand"]),
        ("active", "superseded", ["superseded-by-hand"]),
        ("rejected", "active", ["status-jump"]),
        ("quarantined", "active", ["status-jump"]),
        ("deprecated", "verified", ["status-jump"]),
        ("tombstoned", "active", ["status-jump"]),
    ],
)
def test_status_jumps_by_hand(
    make_vault: Any, note: Any, before: Any, after: Any, expected: Any
) -> None:
    head = make_vault({"a.md": note(id="a", kind="fact", status=before)})
    vault = make_vault({"moved/a.md": note(id="a", kind="fact", status=after)})
    found = check_history(vault.snapshot(), head.files)
    assert [d.code for d in found] == expected
    if expected == ["status-jump"]:
        assert found[0].severity == "error"
        assert f"Set it back to {before}" in found[0].hint
    elif expected:
        assert found[0].severity == "warning"


def test_candidate_to_verified_by_hand_is_an_error(
    make_vault: Any, note: Any, findings: Any
) -> None:
    head = make_vault({"a.md": note(id="a", kind="fact", status="candidate")})
    vault = make_vault({"a.md": note(id="a", kind="fact", status="verified")})
    assert codes(findings(vault, head=head.files)) == ["verified-without-evidence"]


def test_an_id_changed_by_hand(make_vault: Any, note: Any, findings: Any) -> None:
    head = make_vault(
        {"a.md": note(id="a", kind="fact"), "b.md": "Not adopted.\n", "c.md": "---\nx: a: b\n---\n"}
    )
    vault = make_vault(
        {
            "a.md": note(id="a2", kind="fact"),
            "b.md": note(id="b9", kind="fact"),
            "c.md": note(id="c", kind="fact"),
        }
    )
    found = findings(vault, head=head.files)
    assert [(code, path) for code, path, _ in found] == [("id-changed", "a.md")]


def test_hints_say_what_to_do(make_vault: Any, note: Any, now: Any) -> None:
    vault = vault_of(make_vault, note, a={"supersedes": "[gone]"}, b={"status": "verified"})
    assert all(d.hint for d in check(vault.snapshot(), now=now))


def test_a_thousand_records_are_checked_quickly(make_vault: Any, note: Any, now: Any) -> None:
    body = "# T\n\n" + "Some text with a [link](f1.md) and [[gone]] and `code`.\n" * 3
    vault = make_vault(
        {
            f"m/f{n}.md": note(
                body, id=f"f{n}", kind="fact", status="active", supersedes=f"[f{n + 1}]"
            )
            for n in range(1000)
        }
    )
    snapshot = vault.snapshot()
    start = time.process_time()
    found = check(snapshot, now=now, load=lambda path: vault.files[path])
    assert len([d for d in found if d.code == "dangling-link"]) == 3000
    assert time.process_time() - start < 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("发布 API 流程", True),
        ("Use uv", False),
        ("12:30", False),
        ("用 FastAPI 和 PostgreSQL", False),
    ],
)
def test_language_of_a_title(text: Any, expected: Any) -> None:
    assert is_chinese(text) is expected


def test_a_misspelt_heading_is_a_note_with_its_line(
    make_vault: Any, note: Any, findings: Any
) -> None:
    body = "# T\n\n## Problem\nP\n\n## Corection\nC\n\n```\n## Setps\n```\n"
    keys = {"id": "a", "kind": "lesson", "title": "T"}
    vault = make_vault({"a.md": note(body, **keys)})
    (found,) = [f for f in findings(vault) if f[0] == "section-spelling"]
    assert vault.text("a.md").split("\n")[found[2] - 1] == "## Corection"
    gone = make_vault({"a.md": note(body, status="deprecated", **keys)})
    assert "section-spelling" not in codes(findings(gone))


@pytest.mark.parametrize(("key", "value"), [("staus", "active"), ("kidn", "lesson")])
def test_a_misspelt_key_is_still_told_after_adoption(
    make_vault: Any, random_int: Any, key: str, value: str
) -> None:
    vault = make_vault(
        {"drafts/a.md": f"---\n{key}: {value}\nstats: mine\n---\n# 标题\n\n内容。\n"}
    )
    planned = plan_adopt(
        vault.snapshot(), {"drafts/a.md": vault.files["drafts/a.md"]},
        actor=Actor.PERSON, random_int=random_int,
    )  # fmt: skip
    assert "key-spelling" in [n.code for n in planned.notes]
    vault.apply(planned.change)
    left = [f for f in vault.snapshot().records[0].findings if f.code == "key-spelling"]
    assert [("stands there too" in f.message) for f in left] == [True]
