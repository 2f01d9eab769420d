"""Anchors are set, refreshed and taken out; what became of the code is told."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.errors import ChangedMeanwhileError, NotFoundError, RefusedError
from vault_cli.features.anchors import (
    Request,
    Stale,
    count_lines,
    find_stale,
    is_stale,
    plan_anchor,
    stale_findings,
)
from vault_cli.model.anchors import Anchor, Verdict, read_anchors
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Status

OLD, NEW = "3b18e512dba79e4c8300dd08aeb37f8e728b8dad", "0a" * 20


@pytest.fixture
def fact(make_vault: Any, note: Any) -> Any:
    def make(**keys: str) -> Any:
        path = keys.pop("path", "memories/a.md")
        base = {"id": "f-1", "kind": "fact", "status": "active", "title": "T"}
        return make_vault({path: note("# 价格 in cents\n", **{**base, **keys})})

    return make


def plan(vault: Any, *, actor: Actor = Actor.PERSON, **asked: Any) -> Any:
    record = vault.record("f-1")
    planned = plan_anchor(Request(record, **asked), vault.files[record.path], actor=actor)
    vault.apply(planned.change)
    return planned.change


def anchors(vault: Any) -> list[tuple[str, str]]:
    return [(anchor.path, anchor.blob) for anchor in read_anchors(vault.record("f-1"))]


def test_one_key_is_added_and_the_rest_stays(fact: Any) -> None:
    vault = fact()
    before = vault.text("memories/a.md")
    change = plan(vault, add={"src/a.py": OLD, "-价格.py": OLD}, reason="why")
    assert (change.verb, change.reason, change.ids) == ("anchor", "why", ("f-1",))
    assert anchors(vault) == [("src/a.py", OLD), ("-价格.py", OLD)]
    lines = [line for line in vault.text("memories/a.md").split("\n") if "path" not in line]
    assert "\n".join(line for line in lines if line != "anchors:") == before
    assert plan(vault, add={"src/a.py": OLD}).is_empty
    plan(vault, remove=["src/a.py", "-价格.py"])
    assert vault.text("memories/a.md") == before


def test_a_refresh_keeps_other_keys_and_entries(fact: Any) -> None:
    vault = fact(anchors=f'[{{path: a.py, blob: "{OLD}", note: mine}}, b.py, {{blob: x}}]')
    plan(vault, add={"a.py": NEW})
    text = vault.text("memories/a.md")
    assert "note: mine" in text
    assert "b.py" in text
    assert anchors(vault) == [("a.py", NEW), ("b.py", "")]
    plan(vault, add={"b.py": NEW})
    assert anchors(vault) == [("a.py", NEW), ("b.py", NEW)]


@pytest.mark.parametrize("written", ["cafe\u0301.py", "caf\u00e9.py"])
def test_two_spellings_are_one_path(fact: Any, written: str) -> None:
    vault = fact(anchors=f'[{{path: "{written}", blob: "{OLD}"}}]')
    plan(vault, add={"caf\u00e9.py": NEW})
    assert anchors(vault) == [(written, NEW)]
    plan(vault, remove=["caf\u00e9.py"])
    assert anchors(vault) == []


def test_what_is_refused(fact: Any) -> None:
    vault = fact()
    with pytest.raises(RefusedError, match="naming its code is for a person"):
        plan(vault, add={"a.py": OLD}, actor=Actor.AGENT)
    with pytest.raises(NotFoundError, match=r"no anchor a\.py"):
        plan(vault, remove=["a.py"])
    with pytest.raises(ChangedMeanwhileError):
        plan_anchor(Request(vault.record("f-1"), {"a": OLD}), b"x", actor=Actor.PERSON)
    with pytest.raises(RefusedError, match="is deprecated"):
        plan(fact(status="deprecated"), add={"a.py": OLD})
    draft = fact(path="drafts/a.md", status="candidate")
    assert not plan(draft, add={"a.py": OLD}, actor=Actor.AGENT).is_empty


def test_a_skill_file_has_no_anchors(make_vault: Any) -> None:
    path = "skills/a/SKILL.md"
    text = (
        "---\nname: a\ndescription: D.\nmetadata: {mvault-id: k-1, mvault-status: active}\n---\nX\n"
    )
    vault = make_vault({path: text})
    with pytest.raises(RefusedError, match=r"SKILL\.md"):
        plan_anchor(Request(vault.record("k-1"), {"a": OLD}), vault.files[path], actor=Actor.PERSON)


def record(status: str = "active", anchors: Any = ()) -> Record:
    return Record("f-1", Kind.FACT, "memories/f.md", "", Status(status), "T", "T.\n",
                  fields=MappingProxyType({"anchors": list(anchors)} if anchors else {}))  # fmt: skip


def judged(*states: str) -> Any:
    return lambda _: [(Anchor(f"{s}.py", OLD), Verdict(s, "why", NEW)) for s in states]


def test_only_what_is_not_fresh_and_not_over_is_told() -> None:
    one = record(anchors=["a"])
    judge = judged("fresh", "stale", "unverifiable")
    found = find_stale([one, record(), record("superseded", ["a"])], judge)
    assert [item.anchor.path for item in found] == ["stale.py", "unverifiable.py"]
    assert is_stale(one, judge)
    assert not is_stale(one, judged("fresh", "unverifiable"))
    assert not is_stale(record(), judge)
    assert not is_stale(one, None)
    codes = [(f.code, f.severity, f.holds) for f in stale_findings(found)]
    assert codes == [("anchor-stale", "warning", False), ("anchor-unverifiable", "note", False)]


def test_a_finding_says_what_changed_and_how_to_go_on() -> None:
    item = Stale(
        record(), Anchor("src/a b.py", OLD), Verdict("stale", "it has changed", NEW), (3, 1)
    )
    found = item.finding()
    assert "(+3 -1 lines); blob 3b18e512db then, now 0a0a0a0a0a" in found.message
    assert "mvault anchor f-1 'src/a b.py' --refresh. Not any more: mvault revise f-1" in found.hint
    moved = item._replace(moved=("-b.py", "c.py")).hint
    assert "is in -b.py: mvault anchor f-1 ./-b.py, then" in moved
    gone = item._replace(verdict=Verdict("stale", "it is gone"), lines=None)
    assert "now" not in gone.finding().message
    assert "--remove" in gone.hint
    draft = item._replace(record=record("candidate"))
    assert "mvault edit f-1" in draft.hint
    assert item.as_data()["lines"] == {"added": 3, "gone": 1}


@given(st.lists(st.binary(max_size=5)), st.lists(st.binary(max_size=5)))
def test_lines_are_counted_whatever_they_hold(old: list[bytes], new: list[bytes]) -> None:
    before, after = b"\n".join(old), b"\n".join(new)
    more, less = count_lines(before, after)
    assert more - less == len(after.splitlines()) - len(before.splitlines())
    assert count_lines(after, before) == (less, more)
    assert count_lines(before, before) == (0, 0)
