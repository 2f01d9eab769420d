from __future__ import annotations

from typing import Any

import pytest

from vault_cli.errors import NotFoundError, UsageError
from vault_cli.features.choosing import Choice, choose_records
from vault_cli.model.record import Status


@pytest.fixture
def chosen(make_vault: Any, note: Any) -> Any:
    files = {
        "a.md": note(
            "The old Cluster.\n", id="f-1", status="active", source="import", topics="[Ops]"
        ),
        "b.md": note("旧集群在成都。\n", id="f-2", status="active", topics="[运维]"),
        "c.md": note("x\n", id="f-3", status="active", keywords="[cluster]", origin="hook"),
        "d.md": note("The old cluster.\n", id="f-4", status="rejected"),
    }
    shot = make_vault(files).snapshot()

    def run(*named: str, **keys: str) -> list[str]:
        records = [shot.by_id[record_id] for record_id in named]
        found = choose_records(shot, records, Choice(**keys), statuses={Status.ACTIVE}, verb="x")
        return [record.id for record in found]

    return run


@pytest.mark.parametrize(
    ("keys", "ids"),
    [
        ({"match": "OLD  cluster"}, ["f-1"]),
        ({"match": "ｃｌｕｓｔｅｒ"}, ["f-1", "f-3"]),
        ({"match": "集群"}, ["f-2"]),
        ({"source": "Import"}, ["f-1"]),
        ({"source": "hook"}, ["f-3"]),
        ({"topic": "ops"}, ["f-1"]),
        ({"match": "cluster", "topic": "ops"}, ["f-1"]),
    ],
)
def test_what_fits(chosen: Any, keys: Any, ids: list[str]) -> None:
    assert chosen(**keys) == ids


def test_named_records_come_first_whatever_their_status(chosen: Any) -> None:
    assert chosen("f-4") == ["f-4"]
    assert chosen("f-3", match="cluster") == ["f-3", "f-1"]


def test_nothing_meant_and_nothing_found(chosen: Any) -> None:
    with pytest.raises(UsageError, match="which records"):
        chosen()
    with pytest.raises(UsageError, match="empty text fits everything"):
        chosen(match=" ")
    with pytest.raises(NotFoundError, match="nothing fits --match 'nowhere'"):
        chosen(match="nowhere")
    with pytest.raises(NotFoundError):
        chosen(match="cluster", topic="运维")
