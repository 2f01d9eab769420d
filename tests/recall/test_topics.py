"""Names of topics in both languages, clashes, mates."""

from __future__ import annotations

import random

import pytest

from vault_cli.errors import Diagnostic
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.recall.topics import TopicTable, find_mates, fold_topic


def make(record_id: str, kind: Kind = Kind.FACT, **values: object) -> Record:
    folder = kind.folder
    fields: dict[str, object] = {"title": record_id, "written_status": Status.ACTIVE, "body": ""}
    fields |= values
    return Record(id=record_id, kind=kind, path=f"{folder}/{record_id}.md", digest="", **fields)  # type: ignore[arg-type]


DATABASE = make("o-0000001", Kind.TOPIC, title="Data Base", aliases=("postgres", "数据库"))
PAY = make("o-0000002", Kind.TOPIC, title="payments", aliases=("支付",))


@pytest.mark.parametrize(
    "name",
    ["Data Base", "data-base", "data_base", "#data base", "ＤＡＴＡ base", "数据库", "o-0000001"],
)
def test_every_name_leads_to_the_topic(name: str) -> None:
    table = TopicTable([DATABASE, PAY])
    found = table.find(name)
    assert found is not None
    assert found.record is DATABASE
    assert table.key(name) == "data-base"
    assert table.label(name) == "Data Base"


def test_a_name_nobody_declared_is_a_topic_of_its_own() -> None:
    table = TopicTable([DATABASE])
    assert table.find("缓存") is None
    assert table.key("缓存") == "缓存"
    assert table.label("Cache Layer") == "Cache Layer"
    assert table.key("Cache Layer") == table.key("cache-layer")


def test_members_come_by_any_name_and_may_be_in_several() -> None:
    one = make("f-1", topics=("postgres", "支付"))
    two = make("r-2", Kind.RULE, topics=("数据库",))
    three = make("f-3", topics=("payments",))
    table = TopicTable([DATABASE, PAY, one, two, three])
    assert table.members((one, two, three), "database") == ()
    assert table.members((one, two, three), "data base") == (one, two)
    assert table.members((one, two, three), "支付") == (one, three)


def test_a_proposed_topic_names_nothing_and_a_disabled_one_still_does() -> None:
    proposed = make("o-1", Kind.TOPIC, title="ci", written_status=Status.CANDIDATE)
    disabled = make("o-2", Kind.TOPIC, title="旧接口", written_status=Status.DEPRECATED)
    table = TopicTable([proposed, disabled])
    assert table.find("ci") is None
    assert table.is_disabled("旧接口")
    assert not table.is_disabled("ci")


def test_a_title_wins_over_an_alias_whatever_the_order_of_files() -> None:
    greedy = make("o-0000000", Kind.TOPIC, title="storage", aliases=("payments", "postgres"))
    records = [DATABASE, PAY, greedy]
    for seed in range(5):
        random.Random(seed).shuffle(records)
        table = TopicTable(records)
        assert table.label("payments") == "payments"
        assert table.label("postgres") == "storage"  # two aliases: the smaller id
        clashes = {(c.name, c.kept.name, c.other.name) for c in table.clashes}
        assert clashes == {
            ("payments", "payments", "storage"),
            ("postgres", "storage", "Data Base"),
        }


def test_mates_share_most_topics_then_the_rarest() -> None:
    own = make("f-1", topics=("postgres", "payments"))
    both = make("f-2", topics=("支付", "data base"))
    rare = make("f-3", topics=("payments",), importance=1)
    common = [make(f"f-4{n}", topics=("数据库",), importance=9) for n in range(3)]
    ended = make("f-5", topics=("payments",), written_status=Status.DEPRECATED)
    snapshot = Snapshot((DATABASE, PAY, own, both, rare, *common, ended))
    mates = find_mates(snapshot, own)
    assert [mate.record.id for mate in mates] == ["f-2", "f-3", "f-40", "f-41", "f-42"]
    assert mates[0].shared == ("postgres", "payments") or set(mates[0].shared) == {
        "Data Base",
        "payments",
    }
    assert find_mates(snapshot, make("f-9")) == ()


def test_folding_drops_width_case_and_gaps_only() -> None:
    assert fold_topic(" CI/CD ") == "ci/cd"
    assert fold_topic("数据 库") == "数据-库"
    assert fold_topic("###") == ""


def test_rules_of_one_topic_stand_together_and_a_disabled_one_gives_no_heading() -> None:
    from datetime import UTC, datetime

    from vault_cli.recall.select import Query, select_records

    off = make("o-0000009", Kind.TOPIC, title="legacy", written_status=Status.DEPRECATED)
    rules = [
        make("r-1", Kind.RULE, topics=("postgres",)),
        make("r-2", Kind.RULE, topics=("数据库",)),
        make("r-3", Kind.RULE, topics=("legacy",)),
        make("r-4", Kind.RULE, topics=("legacy", "支付")),
    ]
    snapshot = Snapshot((DATABASE, PAY, off, *rules))
    now = datetime(2026, 11, 30, tzinfo=UTC)
    picks = {pick.record.id: pick.topic for pick in select_records(snapshot, Query(now)).picks}
    assert picks == {"r-1": "Data Base", "r-2": "Data Base", "r-3": "", "r-4": "payments"}
    narrowed = select_records(snapshot, Query(now, topics=("data_base",)))
    assert {pick.record.id for pick in narrowed.picks} == {"r-1", "r-2"}


def test_a_topic_that_is_kept_out_names_and_hides_nothing() -> None:
    waits = make("o-0", Kind.TOPIC, title="支付", aliases=("git",), withheld="not reviewed")
    disabled = make("o-1", Kind.TOPIC, title="git", written_status=Status.DEPRECATED, withheld="x")
    held = Diagnostic("x", 0, "injection", "warning", "held", "", holds=True)
    table = TopicTable([waits, disabled, make("o-2", Kind.TOPIC, title="git", findings=(held,))])
    assert table.topics == ()
    assert table.label("git") == "git"
    assert not table.is_disabled("git")


def test_topics_of_a_project_lead_to_its_own_records() -> None:
    theirs = make("o-0", Kind.TOPIC, title="Theirs", aliases=("git", "支付"), vault="project")
    mine = make("o-9", Kind.TOPIC, title="我的", aliases=("git",), vault="user")
    own = make("r-1", Kind.RULE, topics=("支付", "git"), vault="user")
    other = make("r-2", Kind.RULE, topics=("支付", "git"), vault="project")
    table = TopicTable([theirs, mine, own, other])
    assert [table.label(text, "user") for text in own.topics] == ["支付", "我的"]
    assert [table.label(text, "project") for text in other.topics] == ["Theirs", "我的"]
    assert table.members((own, other), "Theirs") == (other,)
    assert table.members((own, other), "支付") == (own, other)
    assert table.members((own, other), "git") == (own, other)
