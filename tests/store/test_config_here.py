"""Settings that the person's own file holds for one vault."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vault_cli.errors import RefusedError, UsageError
from vault_cli.store.config import Config, load_config
from vault_cli.store.toml_patch import set_here


def load(path: Path, root: Path | None, **more: str) -> Config:
    return load_config(root, environ={"MVAULT_CONFIG": str(path), **more})


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "own.toml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "记忆 库"
    folder.mkdir()
    (folder / "vault.toml").write_text("schema = 1\n[render]\nbudget = 100\n")
    return folder


def test_it_counts_for_that_vault_only_and_beats_its_own_file(own: Path, root: Path) -> None:
    own.write_text(
        f'[render]\nbudget = 1\n[vaults."{root}"]\nrender.budget = 200\n'
        'trust.incoming = "review"\n[vaults."/elsewhere"]\nrender.budget = 300\n'
    )
    here = load(own, root)
    assert (here["render.budget"], here.origin("render.budget")) == (200, "user-here")
    assert here["trust.incoming"] == "review"
    assert load(own, root, MVAULT_RENDER_BUDGET="400")["render.budget"] == 400
    other = root.parent / "other"
    other.mkdir()
    (other / "vault.toml").write_text("schema = 1\n")
    assert load(own, other)["render.budget"] == 1
    assert load(own, None)["trust.incoming"] == "auto"
    link = root.parent / "link"
    link.symlink_to(root)
    assert load(own, link)["trust.incoming"] == "review"


def test_a_wrong_value_is_an_error_that_names_it(own: Path, root: Path) -> None:
    own.write_text(f'[vaults."{root}"]\ntrust.incoming = "maybe"\n')
    with pytest.raises(UsageError, match=r"trust\.incoming"):
        load(own, root)
    own.write_text(f'[vaults."{root}"]\ntrust.require_signed = "yes"\n')
    with pytest.raises(UsageError, match="true or false"):
        load(own, root)


def test_a_vault_cannot_hold_such_a_table(own: Path, root: Path) -> None:
    (root / "vault.toml").write_text(f'[vaults."{root}"]\ntrust.incoming = "accept"\n')
    own.write_text("")
    with pytest.raises(UsageError, match="there is no setting"):
        load(own, root)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_set_here_changes_one_line(own: Path, root: Path, end: str) -> None:
    place = os.path.realpath(root)
    first = f'# mine{end}[trust]{end}approve_without_terminal = ["x"]'
    own.write_bytes(first.encode())
    own.write_bytes(set_here(own, place, "trust.incoming", "review"))
    own.write_bytes(set_here(own, place, "trust.require_signed", "true"))
    config = load(own, root)
    assert config["trust.incoming"] == "review"
    assert config["trust.require_signed"] is True
    text = own.read_bytes().decode()
    assert text.startswith(first + end)
    assert text.count(end) == text.count("\n")
    noted = text.replace('"review"', '"review" # why')
    own.write_bytes(noted.encode())
    own.write_bytes(set_here(own, place, "trust.incoming", "signed"))
    assert own.read_bytes().decode() == noted.replace('"review" # why', '"signed" # why')
    assert set_here(own, place, "trust.incoming", "signed") == own.read_bytes()


def test_a_form_that_is_not_understood_is_left_alone(own: Path, root: Path) -> None:
    place = os.path.realpath(root)
    own.write_text(f'vaults = {{ "{place}" = {{ trust = {{ incoming = "review" }} }} }}\n')
    with pytest.raises(RefusedError):
        set_here(own, place, "trust.incoming", "accept")
    with pytest.raises(UsageError):
        set_here(own, place, "trust.incoming", "perhaps")
