"""Who is eligible, in which group and order, and why the rest is not."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from helpers import CONFIRMED

from vault_cli.errors import Diagnostic
from vault_cli.model.record import Kind, Record, Scope, Snapshot, Status, Tally
from vault_cli.model.validity import Validity
from vault_cli.recall.select import Query, Selection, select_records

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def record(key: str, kind: str = "lesson", **values: Any) -> Record:
    status = Status(values.pop("status", "active"))
    if status is Status.VERIFIED:
        values.setdefault("fields", CONFIRMED)
    values.setdefault("title", f"Title of {key}")
    values.setdefault("body", "Text.\n")
    values.setdefault("path", f"memories/{key}.md")
    return Record(id=key, kind=Kind(kind), digest="", written_status=status, **values)


def select(*records: Record, tallies: dict[str, Tally] | None = None, **asked: Any) -> Selection:
    asked.setdefault("now", NOW)
    return select_records(Snapshot(records=records, tallies=tallies or {}), Query(**asked))


def ids(selection: Selection) -> list[str]:
    return [pick.record.id for pick in selection.picks]


def groups(selection: Selection) -> dict[str, str]:
    return {pick.record.id: pick.group for pick in selection.picks}


def codes(selection: Selection) -> dict[str, str]:
    return {item.record.id: item.code for item in selection.excluded}


def test_only_records_in_force_take_part() -> None:
    every = [record(f"l-{status}", status=status) for status in Status]
    drafted = record("l-draft", path="drafts/x.md")
    selection = select(*every, drafted)
    assert sorted(ids(selection)) == ["l-active", "l-verified"]
    assert selection.excluded == ()


@pytest.mark.parametrize(
    ("kind", "values", "group"),
    [
        ("fact", {"correction": True}, "corrections"),
        ("rule", {"correction": True, "required": True}, "corrections"),
        ("failure", {}, "failures"),
        ("rule", {"required": True, "checklist": True}, "required"),
        ("rule", {"checklist": True}, "checklist"),
        ("rule", {}, "rules"),
        ("lesson", {}, "lessons"),
        ("fact", {}, "reference"),
        ("preference", {}, "reference"),
        ("insight", {}, "reference"),
        ("resource", {}, "reference"),
        ("note", {}, "reference"),
        ("recipe", {}, "recipes"),
        ("skill", {}, "skills"),
    ],
)
def test_each_kind_has_its_group(kind: str, values: dict[str, Any], group: str) -> None:
    assert groups(select(record("a", kind, **values))) == {"a": group}


def test_kinds_on_request_are_excluded_until_asked_for() -> None:
    kinds = ("hypothesis", "decision", "topic", "task", "ticket", "reflection")
    every = [record(kind, kind) for kind in kinds]
    selection = select(*every)
    assert ids(selection) == []
    assert codes(selection) == dict.fromkeys(kinds, "kind")
    reason = "kind decision is shown on request: render --kind decision"
    assert selection.excluded[0].reason == reason
    asked = select(*every, record("l", "lesson"), kinds=("decision",))
    assert groups(asked) == {"decision": "requested"}
    assert codes(asked)["l"] == "kind"


def test_scopes_are_read_where_they_belong() -> None:
    every = [
        record("global"),
        record("here", scope=Scope("project", "github.com/acme/web")),
        record("there", scope=Scope("project", "github.com/acme/api")),
        record("session", scope=Scope("session", "s1")),
    ]
    assert ids(select(*every)) == ["global"]
    assert ids(select(*every, project="github.com/acme/web")) == ["global", "here"]
    assert ids(select(*every, session="s1")) == ["global", "session"]
    only = select(*every, project="github.com/acme/web", scopes=("project",))
    assert ids(only) == ["here"]
    assert codes(only) == {"global": "scope", "there": "scope", "session": "scope"}


def test_a_branch_counts_only_when_it_is_known() -> None:
    bound = record("b", branch=("release/*",))
    assert ids(select(bound)) == ["b"]
    assert ids(select(bound, branch="release/2")) == ["b"]
    assert codes(select(bound, branch="main")) == {"b": "branch"}


def test_topics_narrow_and_ignore_case() -> None:
    every = [record("git", topics=("Git",)), record("yaml", topics=("yaml",)), record("none")]
    selection = select(*every, topics=("git",))
    assert ids(selection) == ["git"]
    assert codes(selection) == {"yaml": "topic", "none": "topic"}


@pytest.mark.parametrize("hours", [-8, 0, 8])
def test_the_last_day_counts_to_its_end_in_the_zone_of_the_vault(hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    every = [
        record("old", validity=Validity(end=date(2026, 8, 13))),
        record("new", validity=Validity(start=date(2026, 8, 14))),
        record("instant", validity=Validity(start=datetime(2026, 8, 13, 16, tzinfo=UTC))),
    ]
    late = select(*every, now=datetime(2026, 8, 13, 23, 30, tzinfo=zone))
    assert "old" in ids(late)
    assert codes(late)["new"] == "scheduled"
    early = select(*every, now=datetime(2026, 8, 14, 0, 30, tzinfo=zone))
    assert "new" in ids(early)
    assert codes(early)["old"] == "expired"
    exact = select(*every, now=datetime(2026, 8, 13, 15, 59, tzinfo=UTC).astimezone(zone))
    assert codes(exact)["instant"] == "scheduled"
    exact = select(*every, now=datetime(2026, 8, 13, 16, 0, tzinfo=UTC).astimezone(zone))
    assert "instant" in ids(exact)


def test_held_records_name_their_codes_and_are_let_through_when_allowed() -> None:
    found = (Diagnostic("a.md", 3, "hidden-characters", "warning", "x", holds=True),)
    selection = select(record("a", findings=found))
    assert codes(selection) == {"a": "held"}
    assert "hidden-characters" in selection.excluded[0].reason
    assert ids(select(record("a", findings=found, allow=("hidden-characters",)))) == ["a"]


def test_an_id_in_two_files_is_ambiguous_even_when_one_is_a_draft() -> None:
    selection = select(record("a"), record("a", path="drafts/a.md"))
    assert ids(selection) == []
    assert codes(selection) == {"a": "ambiguous"}


def test_what_belongs_elsewhere_is_not_counted_as_held() -> None:
    found = (Diagnostic("a.md", 3, "hidden-characters", "warning", "x", holds=True),)
    away = record("a", findings=found, scope=Scope("project", "other"))
    assert codes(select(away)) == {"a": "scope"}


def test_verified_first_then_score_then_id() -> None:
    every = [
        record("l-b", importance=5),
        record("l-a", importance=5),
        record("l-high", importance=9),
        record("l-sure", importance=1, status="verified"),
    ]
    assert ids(select(*every)) == ["l-sure", "l-high", "l-a", "l-b"]


def test_relevant_first_inside_a_group_in_both_languages() -> None:
    every = [
        record("l-yaml", title="Quote YAML values", importance=9, status="verified"),
        record("l-npx", title="Check node_modules before npx", importance=2),
        record("l-zh", title="提交之前先运行测试", importance=2),
    ]
    english = select(*every, text="npx tries to download something")
    assert ids(english)[0] == "l-npx"
    assert [pick.relevant for pick in english.picks] == [True, False, False]
    assert "matches npx" in english.picks[0].reason
    chinese = select(*every, text="提交代码")
    assert ids(chinese)[0] == "l-zh"


def test_strict_does_not_look_at_the_text() -> None:
    every = [record("l-a", title="Quote YAML"), record("l-npx", title="npx", importance=1)]
    selection = select(*every, text="npx", mode="strict")
    assert ids(selection) == ["l-a", "l-npx"]
    assert all(pick.relevant for pick in selection.picks)


def test_rules_that_must_be_known_stay_relevant_whatever_the_task_is() -> None:
    selection = select(
        record("r", "rule", required=True, title="Never purge production"),
        record("x", "failure", title="npx downloads"),
        text="写一首诗",
    )
    assert all(pick.relevant for pick in selection.picks)


def test_conflicts_need_both_sides_to_name_each_other() -> None:
    tabs = record("r-tabs", "rule", conflicts=(("r-spaces", "condition"),))
    spaces = record("r-spaces", "rule", conflicts=(("r-tabs", ""),))
    claim = record("r-claim", "rule", conflicts=(("r-main", "contradiction"),))
    main = record("r-main", "rule", required=True)
    selection = select(tabs, spaces, claim, main)
    assert groups(selection) == {
        "r-main": "required",
        "r-claim": "rules",
        "r-tabs": "conflicts",
        "r-spaces": "conflicts",
    }
    partners = {pick.record.id: pick.partners for pick in selection.picks}
    assert partners["r-tabs"] == (("r-spaces", "condition"),)
    assert partners["r-spaces"] == (("r-tabs", "condition"),)


def test_a_conflict_with_an_expired_record_is_none() -> None:
    tabs = record("r-tabs", "rule", conflicts=(("r-spaces", "goal"),))
    spaces = record(
        "r-spaces",
        "rule",
        conflicts=(("r-tabs", "goal"),),
        validity=Validity(end=date(2026, 1, 1)),
    )
    assert groups(select(tabs, spaces)) == {"r-tabs": "rules"}


def test_order_does_not_depend_on_the_day_or_on_the_order_of_files() -> None:
    every = [record(f"l-{n}", importance=n % 3 + 1, created="2020-01-01") for n in range(9)]
    first = ids(select(*every))
    later = select(*reversed(every), now=datetime(2031, 1, 1, tzinfo=UTC))
    assert ids(later) == first


def test_freshness_moves_with_the_observations_and_never_with_the_clock() -> None:
    old = record("f-old", kind="fact", created="2025-12-01")
    new = record("f-zew", kind="fact", created="2026-11-01")
    used = lambda day: {"f-zew": Tally(last_used=day)}  # noqa: E731
    order = lambda **asked: [pick.record.id for pick in select(old, new, **asked).picks]  # noqa: E731
    years = [NOW.replace(year=year) for year in (2024, 2026, 2031)]
    for now in years:
        assert order(now=now) == ["f-old", "f-zew"], "no use is known: by id"
        assert order(now=now, tallies=used("2026-11-30")) == ["f-zew", "f-old"]
    assert order(tallies={"f-old": Tally(last_used="2026-11-30")}) == ["f-old", "f-zew"]
    reason = select(old, new, tallies=used("2026-11-30")).picks[1].reason
    assert reason == "importance 5, retention 0.70"
