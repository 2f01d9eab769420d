"""What a memory rests on, each through the command line (tests/features.toml)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from helpers import (
    checked,
    commit_all,
    commit_count,
    git,
    make_vault,
    rendered,
    run,
    snapshot_bytes,
)

HASH = "0a" * 32
AGENT = {"MVAULT_ACTOR": "agent"}


def record(record_id: str, title: str, body: str = "正文 text.", **keys: str) -> str:
    """One record in force as a file's text."""
    front = {"id": record_id, "kind": "fact", "status": "active", "title": title, **keys}
    lines = "\n".join(f"{key}: {value}" for key, value in front.items())
    return f"---\n{lines}\n---\n# {title}\n\n{body}\n"


def vault(tmp_path: Path, *texts: str, **more: Any) -> Path:
    """A vault that holds these records."""
    files = {f"memories/2026-11/r{i}.md": text for i, text in enumerate(texts)}
    return make_vault(tmp_path, files, **more)


def codes(root: Path) -> list[str]:
    """Codes of what `check` reports."""
    return [found["code"] for found in checked(root)]


def provenance(root: Path, record_id: str) -> dict[str, Any]:
    """What `show --provenance` tells, as data."""
    shown = run("--vault", root, "--json", "show", record_id, "--provenance").ok()
    return dict(shown.data["provenance"])


# --- who says so


@pytest.mark.parametrize("title", ["Staging has two workers", "预发环境有两台机器"])
def test_source_is_a_claim_and_origin_is_the_program_s(tmp_path: Path, title: str) -> None:
    root = vault(tmp_path)
    payload = {"title": title, "body": "B.", "source": "user", "origin": "editor",
               "source_text": "the user typed SOURCE-TEXT", "verification": {"method": "mine"},
               "evidence": [{"id": "e1", "type": "task", "task": "t-1"}]}  # fmt: skip
    made = run(
        "--vault", root, "add", "fact", "--payload", "-", stdin=json.dumps(payload), env=AGENT
    )
    own = made.ok().out.strip()
    run("--vault", root, "approve", own, "--yes").ok()
    told = provenance(root, own)
    assert told["source"] == "user"
    assert told["origin"] == "cli"
    assert told["verification"] is None
    assert [(c["actor"], c["how"]) for c in told["history"]] == [
        ("person", "configured"),
        ("agent", ""),
    ]
    assert "SOURCE-TEXT" not in rendered(root)
    assert title in rendered(root)


def test_provenance_answers_what_it_rests_on(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("f-1", "依据一", derived_from="[f-2, f-9]", supersedes="[f-0]", links="[{id: f-2, why: same host}]",
               evidence="[{id: e1, type: commit, commit: 5278b95, observed: 2026-11-30}, {id: e2, type: file, path: /etc/x, blob: 3b18e51}]"),
        record("f-2", "依据二", status="disputed"),
        record("f-0", "旧", status="superseded", superseded_by="f-1", valid_to="2026-01-01"),
        record("f-3", "Newest", supersedes="[f-1]", status="candidate"),
        record("f-4", "On top", derived_from="[f-1]"),
    )  # fmt: skip
    told = provenance(root, "f-1")
    assert told["support"] == {
        "state": "weakened", "why": "f-2 is disputed, f-9 is not in the vault"
    }  # fmt: skip
    assert told["states"] == ["weakened"]
    assert [(r["id"], r.get("status"), r["lost"]) for r in told["rests_on"]] == [
        ("f-2", "disputed", "disputed"),
        ("f-9", None, "not in the vault"),
    ]
    assert [e["problem"] for e in told["evidence"]] == [
        "",
        "path is an absolute path; write it from the root of the project",
    ]
    assert [r["id"] for r in told["rest_on_it"]] == ["f-4"]
    assert [r["id"] for r in told["supersedes"]] == ["f-0"]
    assert [r["id"] for r in told["superseded_by"]] == ["f-3"]
    assert told["links"] == [{"id": "f-2", "why": "same host"}]
    shown = run("--vault", root, "show", "f-1", "--provenance").ok().out
    assert "  f-2  disputed  fact  依据二  (lost: disputed)" in shown
    assert "  f-9  (not in the vault)  (lost: not in the vault)" in shown
    assert "support: weakened: f-2 is disputed" in shown


def test_provenance_without_git_has_no_history(tmp_path: Path) -> None:
    root = vault(tmp_path, record("f-1", "T"))
    import shutil

    shutil.rmtree(root / ".git")
    assert provenance(root, "f-1")["history"] == []


# --- verified


@pytest.mark.parametrize("title", ["Staging has two workers", "预发环境有两台机器"])
def test_verified_needs_a_person_and_complete_evidence(tmp_path: Path, title: str) -> None:
    root = vault(tmp_path, record("f-1", title, source_url="https://own.invalid/x"))
    verify = ("--vault", root, "--json", "verify", "f-1", "--yes", "-e")
    before, commits = snapshot_bytes(root), commit_count(root)
    for evidence in (
        "session-event:session=7f,start=1",
        f"external-uri:uri=https://own.invalid/x,captured_sha256={HASH}",
        "task:task=t-1",
        "commit:commit=5278b95",
        '{"type": "session-event", "session": "7f", "start": 9, "end": 1}',
    ):
        refused = run(*verify, evidence)
        assert refused.code == 4, refused.text
        assert refused.json["error"]["kind"] == "refused"
    assert run(*verify, "session-event:session=7f,start=1,end=2", env=AGENT).code == 3
    assert run(*verify, "session-event:session=7f,start=1,end=2", "--dry-run").code == 0
    assert (snapshot_bytes(root), commit_count(root)) == (before, commits)
    done = run(*verify, "session-event:session=7f,start=1,end=2", "--reason", "seen").ok()
    assert done.data["ids"] == ["f-1"]
    assert f"- [f-1] {title} (verified)" in rendered(root)
    assert "Vault-Approval: configured" in git(root, "log", "-1", "--format=%B")
    assert codes(root) == []
    assert provenance(root, "f-1")["verification"]["holds"]


def test_a_text_changed_by_hand_is_no_longer_verified(tmp_path: Path) -> None:
    root = vault(tmp_path, record("f-1", "两台机器"))
    run(
        "--vault", root, "verify", "f-1", "--yes", "-e", "session-event:session=7f,start=1,end=2"
    ).ok()
    path = root / "memories/2026-11/r0.md"
    path.write_text(path.read_text("utf-8").replace("正文", "另一段"), "utf-8")
    assert "(claims to be verified, is not)" in rendered(root)
    commit_all(root, "by hand")
    assert codes(root) == ["verification-stale"]
    assert run("--vault", root, "check").code == 1
    run("--vault", root, "check", "--fix", "--yes").ok()
    assert codes(root) == []
    assert "claims" not in rendered(root)
    assert "- [f-1] 两台机器\n" in rendered(root)


def test_an_edit_of_a_verified_text_says_so(tmp_path: Path) -> None:
    root = vault(tmp_path, record("f-1", "两台机器"))
    run(
        "--vault", root, "verify", "f-1", "--yes", "-e", "session-event:session=7f,start=1,end=2"
    ).ok()
    same = run("--vault", root, "edit", "f-1", "--yes", "--set", "importance=9").ok()
    assert "verified" not in same.err
    other = run("--vault", root, "edit", "f-1", "--yes", "--set", "boundary=CI").ok()
    assert "confirm this one: mvault verify f-1" in other.err
    run("--vault", root, "verify", "f-1", "--yes").ok()
    assert codes(root) == []


def test_a_review_report_is_not_opened_and_never_enough(tmp_path: Path) -> None:
    root = vault(tmp_path, record("f-1", "T"))
    os.mkfifo(root / "verdict.md")  # whoever opens it waits for ever
    report = f"review-report:location=verdict.md,sha256={HASH},target_sha256={HASH}"
    for method in ("user-confirmation", "tool-reproduction", "independent-source"):
        refused = run("--vault", root, "verify", "f-1", "--yes", "-e", report, "--method", method)
        assert refused.code == 4
        assert "review-report" in refused.err
    event = "session-event:session=7f,start=1,end=2"
    run("--vault", root, "verify", "f-1", "--yes", "-e", event, "-e", report).ok()
    assert [e["entry"]["type"] for e in provenance(root, "f-1")["evidence"]] == [
        "session-event",
        "review-report",
    ]


def test_damaged_evidence_hides_nothing(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("f-1", "One", evidence="[{id: e1, type: teleport}, 7, {id: [x]}]"),
        record("f-2", "Two", evidence="{}", verification="[1, 2]"),
        record("f-3", "Three", evidence="seen it", verification="yes"),
        record("f-4", "Four", status="verified", verification="{evidence: {a: b}, method: [x]}"),
        record("f-5", "五"),
    )
    block = rendered(root)
    assert all(f"[f-{n}]" in block for n in range(1, 6))
    assert "(verified)" not in block
    found = codes(root)
    assert found.count("bad-evidence") == 5
    assert found.count("verified-without-evidence") == 1
    run("--vault", root, "show", "f-1", "--provenance").ok()
    run("--vault", root, "show", "f-4", "--provenance").ok()


# --- what rests on what


def test_commands_refuse_relations_that_are_not_sound(tmp_path: Path) -> None:
    root = vault(tmp_path, record("f-1", "One", derived_from="[f-2]"), record("f-2", "二"))
    before = snapshot_bytes(root)
    for argv, words in (
        (
            ("add", "insight", "-T", "X", "-b", "B", "--derived-from", "f-9"),
            "f-9 is not in the vault",
        ),
        (("add", "fact", "-T", "X", "-b", "B", "--supersedes", "f-9"), "f-9 is not in the vault"),
        (
            ("edit", "f-2", "--yes", "--set", "derived_from=f-1"),
            "round in a circle: f-2 -> f-1 -> f-2",
        ),
        (("edit", "f-2", "--yes", "--set", "derived_from=f-2"), "f-2 cannot name itself"),
        (("edit", "f-2", "--yes", "--set", "supersedes=f-7"), "f-7 is not in the vault"),
        (("edit", "f-2", "--yes", "--set", "conflicts=f-7"), "f-7 is not in the vault"),
        (("revise", "f-2", "-b", "B", "--set", "derived_from=f-7"), "f-7 is not in the vault"),
    ):
        refused = run("--vault", root, *argv)
        assert (refused.code, words in refused.err) == (4, True), refused.text
    assert snapshot_bytes(root) == before
    run("--vault", root, "edit", "f-1", "--yes", "--set", "importance=9").ok()


def test_what_dangles_already_does_not_stand_in_the_way(tmp_path: Path) -> None:
    root = vault(tmp_path, record("f-1", "One", derived_from="[gone]"), record("f-2", "二"))
    run("--vault", root, "edit", "f-1", "--yes", "--set", "importance=9").ok()
    run("--vault", root, "edit", "f-1", "--yes", "--set", "derived_from=gone,f-2").ok()
    run("--vault", root, "revise", "f-1", "--body", "New.").ok()


def test_lost_support_is_marked_and_ranked_last(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("f-1", "Rests on lost", importance="9", derived_from="[f-4]"),
        record("f-2", "半个依据", importance="9", derived_from="[f-4, f-3]"),
        record("f-3", "Plain", importance="2"),
        record("f-4", "Gone", status="deprecated"),
    )
    block = rendered(root)
    assert [line for line in block.splitlines() if line.startswith("- [")] == [
        "- [f-2] 半个依据 (part of its support is lost)",
        "- [f-3] Plain",
        "- [f-1] Rests on lost (its support is lost, check before use)",
    ]
    receipt = run("--vault", root, "--json", "render", "--receipt").ok().data["receipt"]
    reasons = {line["id"]: line["reason"] for line in receipt["lines"]}
    assert reasons["f-1"] == "importance 9, orphaned: f-4 is deprecated"
    assert reasons["f-2"] == "importance 9, weakened: f-4 is deprecated"
    assert sorted(codes(root)) == ["support-lost", "support-weakened"]
    assert run("--vault", root, "check").code == 0, "nothing in the files is wrong"
    states = run("--vault", root, "--json", "list").ok().data["states"]
    assert states == {"f-1": ["orphaned"], "f-2": ["weakened"]}
    listed = run("--vault", root, "list", "--state", "orphaned", "--state", "weakened").ok().out
    assert listed.count("\n") == 2
    assert run("--vault", root, "list").ok().out.count("(orphaned)") == 0
    assert run("--vault", root, "list", "--states").ok().out.count("(orphaned)") == 1


# --- states


def test_what_fades_is_listed_and_still_rendered_the_same(tmp_path: Path) -> None:
    old, new = "2021-01-01T00:00:00Z", "2026-11-29T00:00:00Z"
    root = vault(tmp_path, record("f-1", "旧", created=old), record("f-2", "New", created=new))
    assert run("--vault", root, "list", "--state", "dormant").ok().out.split()[0] == "f-1"
    later = {"MVAULT_NOW": "2031-11-30T12:00:00Z"}
    both = run("--vault", root, "list", "--state", "dormant", env=later).ok().out
    assert both.count("\n") == 2
    assert rendered(root) == run("--vault", root, "render", env=later).ok().out
    run("--vault", root, "config", "set", "decay.dormant_below", "0", "--yes").ok()
    assert run("--vault", root, "list", "--state", "dormant").ok().out == ""
    files = snapshot_bytes(root)
    assert all(b"dormant" not in data for data in files.values()), "derived, never stored"


@pytest.mark.parametrize("word", ["Redis", "缓存"])
def test_what_has_faded_leaves_strict_recall_only(tmp_path: Path, word: str) -> None:
    old = record("f-1", f"{word} one", created="2021-01-01T00:00:00Z")
    rule = record("r-1", f"{word} rule", kind="rule", created="2021-01-01T00:00:00Z")
    root = vault(tmp_path, old, record("f-2", f"{word} two", created="2026-11-29"), rule)

    def ids(*args: Any) -> set[str]:
        found = run("--vault", root, "--json", *args).ok().data
        return {item["id"] for item in found.get("results", found.get("records"))}

    for command in (("search", word), ("list",)):
        assert ids(*command, "--view", "strict") == {"f-2", "r-1"}
        for view in ("historical", "associative"):
            assert ids(*command, "--view", view) == {"f-1", "f-2", "r-1"}
        assert ids(*command) == {"f-1", "f-2", "r-1"}
    told = run("--vault", root, "show", "f-1", "--view", "strict").ok()
    assert "not in the strict view" in told.err
    assert "it is dormant: not used for 2159 days, retention 0.24" in told.err
    marks = {
        r["id"]: r["marks"] for r in run("--vault", root, "--json", "search", word).data["records"]
    }
    assert marks == {"f-1": ["dormant"], "f-2": [], "r-1": []}
    assert "f-1" in rendered(root)
    run("--vault", root, "config", "set", "decay.dormant_below", "0", "--yes").ok()
    assert ids("search", word, "--view", "strict") == {"f-1", "f-2", "r-1"}


# --- check --fix


@pytest.mark.parametrize("title", ["FastAPI and PostgreSQL", "用 PostgreSQL"])
def test_a_deleted_successor_gives_its_predecessor_back(tmp_path: Path, title: str) -> None:
    root = vault(tmp_path, record("f-1", title, valid_to="2027-06-30"))
    made = run("--vault", root, "add", "fact", "-T", "Uses MySQL", "-b", "B", "--supersedes", "f-1")
    own = made.ok().out.strip()
    before = (root / "memories/2026-11/r0.md").read_bytes()
    run("--vault", root, "approve", own, "--yes").ok()
    assert b"valid_to: 2026-11-29" in (root / "memories/2026-11/r0.md").read_bytes()
    next(root.glob("memories/**/uses-mysql*.md")).unlink()
    commit_all(root, "someone deleted it")
    assert title not in rendered(root), "gone for no reason that anybody sees"
    assert codes(root) == ["successor-lost"]
    commits = commit_count(root)
    preview = run("--vault", root, "--json", "check", "--fix", env=AGENT)
    assert preview.code == 3
    assert [r["code"] for r in preview.data["repairs"]] == ["repair"]
    assert "+status: active" in preview.data["diff"]
    assert commit_count(root) == commits
    done = run("--vault", root, "check", "--fix", "--yes").ok()
    assert "repaired 1 file" in done.err
    assert (root / "memories/2026-11/r0.md").read_bytes() == before
    assert commit_count(root) == commits + 1
    assert title in rendered(root)
    assert codes(root) == []
    assert "nothing that a program can repair" in run("--vault", root, "check", "--fix").ok().err
    run("--vault", root, "undo", "--yes").ok()
    assert codes(root) == ["successor-lost"]


def test_fix_leaves_what_needs_a_choice_and_says_so(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("f-1", "One", status="rejected"),
        record("f-2", "Twice"),
        record("f-2", "二次"),
        record("f-3", "Typo", status="actve"),
        record("f-4", "Mine", conflicts="[f-5]"),
        record("f-5", "Yours"),
        record("f-6", "Typed", status="verified"),
    )
    path = root / "memories/2026-11/r0.md"
    path.write_text(path.read_text("utf-8").replace("rejected", "active"), "utf-8")
    dry = run("--vault", root, "check", "--fix", "--dry-run").ok()
    assert "left alone: which of the files keeps the id" in dry.err
    assert "--jumps sets it back" in dry.err
    assert "+status: active" in dry.out
    only = run("--vault", root, "--json", "check", "--fix", "--dry-run", "memories/2026-11/r6.md")
    assert [r["path"] for r in only.ok().data["repairs"]] == ["memories/2026-11/r6.md"]
    run("--vault", root, "check", "--fix", "--yes").ok()
    left = codes(root)
    assert "status-jump" in left, "a jump is not recorded beside another repair"
    assert not {"unknown-status", "one-sided-conflict", "verified-without-evidence"} & set(left)
    run("--vault", root, "check", "--fix", "--jumps", "--yes").ok()
    assert set(codes(root)) == {"duplicate-id"}
    assert b"status: rejected" in path.read_bytes()
    assert run("--vault", root, "check", "--jumps").code == 2


def test_only_a_person_repairs(tmp_path: Path) -> None:
    root = vault(tmp_path, record("f-1", "T", status="verified"))
    before = snapshot_bytes(root)
    assert run("--vault", root, "check", "--fix", "--yes", env=AGENT).code == 3
    assert snapshot_bytes(root) == before
