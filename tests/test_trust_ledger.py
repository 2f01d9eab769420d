"""A list of what was admitted that cannot be read: everything waits, and it is said loudly."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import Result, run, write_files
from test_trust_incoming import PERSON, RULE, Pair

from vault_cli.store.own_state import INCOMING, path_key, state_file


def as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def as_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def as_dangling_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere.json")


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def no_object(path: Path) -> None:
    path.write_text("[]")


def other_version(path: Path) -> None:
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "schema": 99}))


def other_vault(path: Path) -> None:
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "vault": "/somewhere/else"}))


def bad_row(path: Path) -> None:
    data = json.loads(path.read_text())
    data["records"]["vault.toml"] = ["vault.toml"]
    path.write_text(json.dumps(data))


def no_rows(path: Path) -> None:
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "records": None}))


def forbidden(path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path.chmod(0)


DAMAGES: tuple[Callable[[Path], None], ...] = (
    as_folder, as_loop, as_dangling_link, cut_short, emptied, no_object, other_version,
    other_vault, bad_row, no_rows, forbidden,
)  # fmt: skip


class Damaged:
    """A clone with its own rule for the block; others then set another one by a push."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.ledger = state_file(INCOMING, path_key(os.path.realpath(pair.mine)))

    def run(self, *line: str, env: dict[str, str] | None = None) -> Result:
        return run("--vault", self.pair.mine, *line, env=env)


@pytest.fixture(params=DAMAGES, ids=lambda damage: damage.__name__)
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> Damaged:
    pair = Pair(tmp_path)
    pair.trust()
    with (pair.theirs / "vault.toml").open("a") as file:
        file.write('\n[render]\nmode = "off"\n')
    write_files(pair.theirs, {"playbook/r-new.md": RULE.format(id="r-new", title="新的", body="B")})
    pair.push()
    pair.pull()
    request.param(state_file(INCOMING, path_key(os.path.realpath(pair.mine))))
    return Damaged(pair)


@pytest.mark.parametrize(
    "line", ["render", "brief", "list", "search 部署", "show r-one", "status", "check"]
)
def test_every_reader_names_the_file_and_what_to_do(damaged: Damaged, line: str) -> None:
    found = damaged.run(*line.split())
    assert str(damaged.ledger) in found.text, found.text
    assert "mvault trust" in found.text
    assert "Traceback" not in found.text
    assert found.code == (1 if line == "check" else 0), found.text


def test_records_and_settings_wait(damaged: Damaged) -> None:
    shown = damaged.run("render").ok()
    assert "先问再部署" not in shown.out
    data = damaged.run("--json", "status").ok().data["trust"]
    what = {item["id"]: item["what"] for item in data["waiting"]}
    assert what == {"r-one": "new", "r-two": "new", "r-new": "new", "vault.toml": "settings"}
    # the block of the settings that came by the push is empty: those of a vault without any count
    assert "Kept out by the reader's trust settings: 3" in shown.out


def test_a_change_does_not_write_over_it(damaged: Damaged) -> None:
    before = damaged.ledger.read_bytes() if damaged.ledger.is_file() else b""
    add = ("add", "fact", "--title", "我的事实", "--body", "正文在这里。", "--yes")
    done = damaged.run(*add, env=PERSON)
    assert str(damaged.ledger) in done.text
    after = damaged.ledger.read_bytes() if damaged.ledger.is_file() else b""
    assert after == before
    assert "先问再部署" not in damaged.run("render").out


def test_trust_makes_it_anew(damaged: Damaged) -> None:
    assert "settings changed by others: vault.toml" in damaged.run("--dry-run", "trust").ok().out
    done = damaged.run("trust", "--yes", env=PERSON)
    if damaged.ledger.is_dir():
        assert done.code == 7
        assert str(damaged.ledger) in done.text
        damaged.ledger.rmdir()
        damaged.run("trust", "--yes", env=PERSON).ok()
    else:
        done.ok()
    assert damaged.run("--json", "status").ok().data["trust"]["waiting"] == []


def test_without_the_file_it_is_a_vault_that_nobody_admitted(damaged: Damaged) -> None:
    if damaged.ledger.is_dir():
        damaged.ledger.rmdir()
    else:
        damaged.ledger.unlink()
    found = damaged.run("render").ok()
    assert "this vault came from elsewhere" in found.err
    assert str(damaged.ledger) not in found.err
