"""Where the person's own files live, and the secret of this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from vault_cli.errors import StoreError
from vault_cli.store import places
from vault_cli.store.config import user_config_path
from vault_cli.store.git_place import find_place
from vault_cli.store.own_state import read_state, require_state
from vault_cli.store.places import expand_home, machine_token, state_folder, user_folder
from vault_cli.store.repo import Repository
from vault_cli.store.trust import record_trust


def test_the_folders_are_those_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = {place: user_folder(place) for place in ("config", "data", "state")}
    monkeypatch.setattr(places, "_PLATFORM", "elsewhere")
    assert {place: user_folder(place) for place in quick} == quick


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="XDG folders")
def test_xdg_folders_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("MVAULT_STATE_DIR", raising=False)
    assert state_folder() == tmp_path / "mvault"


def test_one_state_folder_for_the_token_and_for_trust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MVAULT_STATE_DIR", "~/kept here")
    vault = tmp_path / "vault"
    vault.mkdir()
    Repository.create(vault)
    place = find_place(vault)
    assert place is not None
    record_trust(place, "f")
    assert machine_token() == machine_token() is not None
    assert sorted(p.name for p in (tmp_path / "kept here").iterdir()) == [
        "cache-token",
        "clones",
        "trust",
    ]


def test_a_relative_state_folder_is_bound_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MVAULT_STATE_DIR", "state")
    assert state_folder() == tmp_path / "state"


def test_a_home_that_nobody_has_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert expand_home("~no-such-person/x") == Path("~no-such-person/x")
    assert user_config_path({"MVAULT_CONFIG": "~no-such-person/c.toml"}).name == "c.toml"


def test_a_damaged_token_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path))
    (tmp_path / "cache-token").write_bytes(b"short")
    token = machine_token()
    assert token is not None
    assert len(token) == 32
    assert machine_token() == token
    (tmp_path / "file").touch()
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "file"))
    assert machine_token() is None


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes there")
@pytest.mark.parametrize(
    ("name", "read", "found"),
    [
        ("cache-token", machine_token, None),
        ("people/x.json", lambda: read_state("people", "x"), {}),
        ("people/x.json", lambda: refused(lambda: require_state("people", "x")), StoreError),
    ],
)
def test_nobody_waits_at_a_pipe_in_place_of_ones_own_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    read: Callable[[], object],
    found: object,
) -> None:
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path))
    place = tmp_path / name
    place.parent.mkdir(exist_ok=True)
    os.mkfifo(place)
    told: list[object] = []
    reader = Thread(target=lambda: told.append(read()), daemon=True)
    reader.start()
    reader.join(5)
    assert told == [found]


def refused(call: Callable[[], object]) -> type[Exception] | None:
    try:
        call()
    except StoreError as error:
        return type(error)
    return None
