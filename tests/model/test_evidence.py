from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from helpers import CONFIRMED

from vault_cli.model.evidence import (
    STALE,
    TYPES,
    UNVERIFIED,
    claim_digest,
    is_verified,
    judge_verification,
    plain_address,
    read_entry,
    read_evidence,
    rule_problem,
)
from vault_cli.model.record import Kind, Record, Status

HASH = "0a" * 32
GOOD: dict[str, dict[str, str]] = {
    "session-event": {"session": "7f", "start": "120", "end": "188"},
    "imported-file": {"provider": "claude", "path": "~/.claude/memory/a.md", "sha256": HASH},
    "external-uri": {"uri": "https://docs.invalid/a", "captured_sha256": HASH},
    "review-report": {"location": "reviews/7.md", "sha256": HASH, "target_sha256": HASH},
    "task": {"task": "t-7k3qd2m"},
    "commit": {"commit": "5278b95"},
    "file": {"path": "src/a.py", "line": "12", "blob": "3b18e51"},
}


def record(body: str = "文本。\n", status: str = "verified", **values: Any) -> Record:
    fields = values.pop("fields", CONFIRMED)
    return Record("f-1", Kind.FACT, "memories/a.md", "d" * 64, Status(status), "标题", body,
                  fields=MappingProxyType(dict(fields)), **values)  # fmt: skip


def entry(kind: str, **changes: str | None) -> dict[str, Any]:
    keys = {"id": "e1", "type": kind, **GOOD[kind], "observed": "2026-11-30", **changes}
    return {key: value for key, value in keys.items() if value is not None}


def test_every_type_has_an_example_here() -> None:
    assert set(GOOD) == set(TYPES)
    for kind, keys in TYPES.items():
        assert set(keys) == set(GOOD[kind])


@pytest.mark.parametrize("kind", GOOD)
def test_a_complete_entry_is_read(kind: str) -> None:
    found, fault = read_entry(entry(kind))
    assert fault is None
    assert found is not None
    assert (found.id, found.type, found.observed) == ("e1", kind, "2026-11-30")
    assert dict(found.values) == GOOD[kind]


@pytest.mark.parametrize(
    ("kind", "key"), [(kind, key) for kind, keys in TYPES.items() for key in keys]
)
def test_a_missing_key_is_named(kind: str, key: str) -> None:
    found, fault = read_entry(entry(kind, **{key: None}))
    if (kind, key) == ("file", "line"):
        assert fault is None, "a whole file may be meant"
        return
    assert found is None
    assert fault is not None
    assert fault.key == key
    assert fault.message == f"{key} is missing"


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        ("session-event", {"start": "188", "end": "120"}, "end is before start"),
        ("session-event", {"end": "2026-11-30T10:00:00Z"}, "cannot be compared"),
        ("session-event", {"end": "later"}, "neither a number nor an instant"),
        ("imported-file", {"path": "/home/lin/notes.md"}, "absolute path"),
        ("imported-file", {"path": "C:\\Users\\lin\\notes.md"}, "absolute path"),
        ("imported-file", {"path": "~/../../etc/passwd"}, "leaves its folder"),
        ("imported-file", {"sha256": "0a0a"}, "no SHA-256"),
        ("imported-file", {"sha256": "0g" * 32}, "no SHA-256"),
        ("external-uri", {"uri": "docs"}, "no address"),
        ("external-uri", {"captured_sha256": "yes"}, "no SHA-256"),
        ("review-report", {"location": "/tmp/report.md"}, "absolute path"),
        ("commit", {"commit": "HEAD"}, "no hash of git"),
        ("file", {"path": "~/src/a.py"}, "absolute path"),
        ("file", {"line": "0"}, "no line number"),
        ("file", {"line": "zwölf"}, "no line number"),
        ("task", {"id": None}, "has no id"),
        ("task", {"type": "tasks"}, "unknown type tasks"),
        ("task", {"type": None}, "has no type"),
    ],
)
def test_what_is_malformed_is_one_fault(kind: str, changes: Any, words: str) -> None:
    found, fault = read_entry(entry(kind, **changes))
    assert found is None
    assert fault is not None
    assert words in fault.message
    assert not fault.usable


def test_several_faults_of_an_entry_are_told_in_one() -> None:
    fields = {"evidence": [entry("session-event", start=None, end=None), entry("task")]}
    found, faults = read_evidence(fields)
    assert [f.message for f in faults] == ["start is missing; end is missing"]
    assert [e.id for e in found] == ["e1"]


def test_handwriting_is_borne_with() -> None:
    alone = {"evidence": {**entry("external-uri"), "captured_sha256": "SHA256:" + HASH.upper()}}
    found, faults = read_evidence(alone)
    assert faults == ()
    assert found[0].values["captured_sha256"] == HASH
    hyphens = {"id": "e1", "type": "External_URI", "uri": "https://a.invalid", "observed": "2026"}
    found, faults = read_evidence({"evidence": [{**hyphens, "captured-sha256": HASH}]})
    assert (len(found), faults) == (1, ())
    unseen = read_evidence({"evidence": [entry("task", observed=None)]})
    assert len(unseen[0]) == 1
    assert unseen[1][0].usable
    texts = read_evidence({"evidence": ["see the log", entry("task")]})
    assert (len(texts[0]), texts[1][0].place) == (1, 0)
    assert read_evidence({}) == read_evidence({"evidence": None}) == ((), ())


def test_an_id_that_stands_twice_counts_once() -> None:
    found, faults = read_evidence({"evidence": [entry("task"), entry("commit")]})
    assert [e.type for e in found] == ["task"]
    assert [(f.place, f.message) for f in faults] == [(1, "the id e1 stands twice")]


# --- the rule


def cited(kind: str, **changes: str) -> list[Any]:
    found, _ = read_entry(entry(kind, **changes))
    assert found is not None
    return [found]


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("method", ["user-confirmation", "tool-reproduction", "independent-source"])
def test_which_evidence_is_enough_for_which_method(method: str, kind: str) -> None:
    enough = kind == ("external-uri" if method == "independent-source" else "session-event")
    assert (rule_problem(record(), method, cited(kind)) == "") is enough


def test_a_review_report_adds_nothing_and_takes_nothing() -> None:
    both = cited("review-report") + cited("session-event", id="e2")
    assert rule_problem(record(), "user-confirmation", both) == ""
    assert "e1 (review-report)" in rule_problem(record(), "user-confirmation", both[:1])


@pytest.mark.parametrize(
    "own",
    [
        {"source": "https://docs.invalid/a"},
        {"fields": {"source_url": "http://DOCS.invalid/a/"}},
        {"fields": {"url": ["https://www.docs.invalid/a#part"]}},
        {"aliases": ("https://docs.invalid/a",)},
    ],
)
def test_the_record_s_own_source_is_not_independent(own: Any) -> None:
    problem = rule_problem(record(**own), "independent-source", cited("external-uri"))
    assert "own source" in problem
    other = cited("external-uri", uri="https://docs.invalid/b")
    assert rule_problem(record(**own), "independent-source", other) == ""


def test_a_local_file_or_the_claim_itself_is_no_source() -> None:
    for uri in ("file:///home/lin/a.txt", "data:text/plain,yes"):
        assert rule_problem(record(), "independent-source", cited("external-uri", uri=uri))
    itself = cited("external-uri", captured_sha256=claim_digest(record()))
    assert "own source" in rule_problem(record(), "independent-source", itself)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.invalid/x", "http://a.invalid/x/"),
        ("https://a.invalid/x#y", "https://A.invalid/x"),
        ("https://lin@a.invalid/x", "https://a.invalid/x"),
    ],
)
def test_two_spellings_of_one_address(one: str, other: str) -> None:
    assert plain_address(one) == plain_address(other)
    assert plain_address(f"{other}?q=1") != plain_address(other)


# --- the text it is tied to


def bound(body: str, target: str) -> Record:
    verification = {**CONFIRMED["verification"], "target_sha256": target}
    return record(body, fields={**CONFIRMED, "verification": verification})


def test_a_verification_holds_for_its_text_only() -> None:
    digest = claim_digest(record("甲。\n"))
    assert judge_verification(bound("甲。\n", digest)) == ("", "")
    assert is_verified(bound("甲。  \n\n", f"SHA256:{digest.upper()}"))
    assert judge_verification(bound("乙。\n", digest))[0] == STALE
    assert not is_verified(bound("乙。\n", digest))
    assert is_verified(record()), "one that names no text holds as it stands"


@pytest.mark.parametrize("key", ["title", "summary", "applies_when", "boundary", "body"])
def test_every_part_of_the_claim_counts(key: str) -> None:
    from dataclasses import replace

    assert claim_digest(replace(record(), **{key: "else"})) != claim_digest(record())


def test_what_is_no_claim_does_not_count() -> None:
    from dataclasses import replace

    same = replace(record(), path="b.md", importance=9, topics=("x",), written_status=Status.ACTIVE)
    assert claim_digest(same) == claim_digest(record())


def test_a_typed_verified_is_not_one() -> None:
    assert not is_verified(record(fields={}))
    assert judge_verification(record(fields={}))[0] == UNVERIFIED
    assert not is_verified(record(status="active"))
    in_drafts = Record(
        "f-1", Kind.FACT, "drafts/a.md", "", Status.VERIFIED, "T", "", fields=CONFIRMED
    )
    assert not is_verified(in_drafts)
