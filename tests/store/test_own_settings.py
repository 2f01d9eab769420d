"""The person's own configuration, written by one program at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from vault_cli.errors import StoreError
from vault_cli.store.own_settings import change_settings


@pytest.mark.parametrize("below", ["config.toml", "设置/config.toml"])
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, below: str) -> None:
    (tmp_path / "taken").write_text("a file\n")
    with pytest.raises(StoreError, match=r"cannot write .*config\.toml"):
        change_settings(tmp_path / "taken" / below, lambda: b"")


def test_a_folder_that_is_missing_is_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "config.toml"
    change_settings(path, lambda: b"[render]\nbudget = 7\n")
    assert path.read_bytes() == b"[render]\nbudget = 7\n"
