"""Topics are a person's: declare, rename, disable, assign."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from vault_cli.errors import NotFoundError, RefusedError, UsageError
from vault_cli.features.topics import (
    TopicRequest,
    check_topics,
    plan_assign,
    plan_names,
    plan_rename,
    plan_switch,
    plan_topic,
    require_topic,
)
from vault_cli.model.change import Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.text.fields import read_record

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TOPIC = (
    "---\nid: o-0000001\nkind: topic\nstatus: active\ntitle: database\naliases: [pg, 数据库]\n"
    "---\nTables and backups.\n"
)
FACT = "---\nid: f-000000{0}\nkind: fact\nstatus: {1}\ntitle: Fact {0}\ntopics: [{2}]\n---\nIt is so.\n"


def vault(*texts: str) -> tuple[Snapshot, dict[str, bytes]]:
    records: list[Record] = []
    files: dict[str, bytes] = {}
    for number, text in enumerate(texts):
        path = f"{'topics' if 'kind: topic' in text else 'memories'}/{number}.md"
        files[path] = text.encode()
        record, problems = read_record(files[path], path)
        assert record is not None, problems
        records.append(record)
    return Snapshot(tuple(records)), files


def read(edit: object) -> Record:
    assert isinstance(edit, Put)
    record, problems = read_record(edit.data, edit.path)
    assert record is not None, problems
    return record


def test_a_person_declares_and_an_agent_proposes() -> None:
    snapshot, _ = vault()
    request = TopicRequest("支付", "退款与回调。", ("payments",))
    for actor, folder, status in (
        (Actor.PERSON, "topics/", Status.ACTIVE),
        (Actor.AGENT, "drafts/", Status.CANDIDATE),
    ):
        planned = plan_topic(snapshot, request, now=NOW, actor=actor, random_int=lambda n: 5 % n)
        record = read(planned.change.edits[0])
        assert record.path.startswith(folder)
        assert (record.status, record.title, record.aliases) == (status, "支付", ("payments",))


def test_a_name_leads_to_one_topic_only() -> None:
    snapshot, files = vault(
        TOPIC,
        TOPIC.replace("o-0000001", "o-0000002")
        .replace("database", "db")
        .replace("pg, 数据库", "x"),
    )
    for name in ("PG", "Database", "数据库"):
        with pytest.raises(RefusedError, match="database"):
            plan_topic(
                snapshot, TopicRequest(name), now=NOW, actor=Actor.PERSON, random_int=lambda _n: 1
            )
    other = require_topic(snapshot, "db")
    with pytest.raises(RefusedError):
        plan_names(snapshot, other, files[other.record.path], add=("pg",), actor=Actor.PERSON)
    with pytest.raises(RefusedError):
        plan_rename(snapshot, other, files[other.record.path], name="Database", actor=Actor.PERSON)


def test_names_are_added_and_taken_away() -> None:
    snapshot, files = vault(TOPIC)
    topic = require_topic(snapshot, "pg")
    data = files[topic.record.path]
    added = plan_names(snapshot, topic, data, add=("Postgres", "PG", "库"), actor=Actor.PERSON)
    assert read(added.edits[0]).aliases == ("pg", "数据库", "Postgres", "库")
    removed = plan_names(snapshot, topic, data, remove=("数据库",), actor=Actor.PERSON)
    assert read(removed.edits[0]).aliases == ("pg",)
    with pytest.raises(UsageError, match="no alias"):
        plan_names(snapshot, topic, data, remove=("mysql",), actor=Actor.PERSON)
    with pytest.raises(RefusedError):
        plan_names(snapshot, topic, data, add=("x",), actor=Actor.AGENT)


def test_a_renamed_topic_keeps_its_members() -> None:
    snapshot, files = vault(TOPIC, FACT.format(1, "active", "database"))
    topic = require_topic(snapshot, "database")
    change = plan_rename(
        snapshot, topic, files[topic.record.path], name="数据库", actor=Actor.PERSON
    )
    after = read(change.edits[0])
    assert (after.title, after.aliases) == ("数据库", ("pg", "database"))
    assert require_topic(Snapshot((after, snapshot.records[1])), "database").record is after


def test_a_disabled_topic_keeps_its_members_and_comes_back() -> None:
    snapshot, files = vault(TOPIC)
    topic = require_topic(snapshot, "database")
    data = files[topic.record.path]
    with pytest.raises(UsageError, match="reason"):
        plan_switch(topic, data, enable=False, reason=" ", now=NOW, actor=Actor.PERSON)
    with pytest.raises(RefusedError):
        plan_switch(topic, data, enable=False, reason="old", now=NOW, actor=Actor.AGENT)
    off = plan_switch(topic, data, enable=False, reason="old", now=NOW, actor=Actor.PERSON)
    disabled = read(off.edits[0])
    assert disabled.status is Status.DEPRECATED
    again = require_topic(Snapshot((disabled,)), "pg")
    assert isinstance(off.edits[0], Put)
    on = plan_switch(again, off.edits[0].data, enable=True, reason="", now=NOW, actor=Actor.PERSON)
    assert isinstance(on.edits[0], Put)
    assert on.edits[0].data == data
    assert plan_switch(topic, data, enable=True, reason="", now=NOW, actor=Actor.PERSON).is_empty


def test_records_are_assigned_in_one_change() -> None:
    snapshot, files = vault(
        TOPIC,
        FACT.format(1, "candidate", "ci"),
        FACT.format(2, "candidate", "数据库"),
        FACT.format(3, "active", ""),
    )
    _, one, two, three = snapshot.records
    change = plan_assign(snapshot, (one, two), files, name="pg", actor=Actor.AGENT)
    assert [read(edit).topics for edit in change.edits] == [("ci", "database")]
    assert change.ids == ("f-0000001",)
    with pytest.raises(RefusedError):
        plan_assign(snapshot, (one, three), files, name="pg", actor=Actor.AGENT)
    gone = plan_assign(snapshot, (one, two), files, name="database", remove=True, actor=Actor.AGENT)
    assert [read(edit).topics for edit in gone.edits] == [()]
    with pytest.raises(RefusedError, match="topic itself"):
        plan_assign(snapshot, (snapshot.records[0],), files, name="x", actor=Actor.PERSON)


def test_an_unknown_topic_names_the_nearest_or_how_to_declare_it() -> None:
    snapshot, _ = vault(TOPIC, FACT.format(1, "active", "缓存"))
    with pytest.raises(NotFoundError) as near:
        require_topic(snapshot, "databse")
    assert "database" in near.value.hint
    with pytest.raises(NotFoundError) as used:
        require_topic(snapshot, "缓存")
    assert "mvault topic add 缓存" in used.value.hint


def test_clashing_names_are_found() -> None:
    snapshot, _ = vault(TOPIC, TOPIC.replace("o-0000001", "o-0000002").replace("database", "db"))
    found = list(check_topics(snapshot))
    assert {item.code for item in found} == {"topic-clash"}
    assert {item.path for item in found} == {"topics/1.md"}
    assert len(found) == 2
