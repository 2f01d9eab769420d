"""The retry of a call that was stopped once passes, also where little can be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vault_cli.hook import cooldown, state

NOW = 1_700_000_000.0


def test_a_mark_counts_until_its_time_is_over(tmp_path: Path) -> None:
    asked = [cooldown.is_first(str(tmp_path), "m", 60, NOW + after) for after in (0, 1, 59, 61)]
    assert asked == [True, False, False, True]
    assert cooldown.is_first(str(tmp_path), "another", 60, NOW)


def test_where_the_state_folder_cannot_be_written_the_spare_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the sandbox of DSH, where a warning was never given."""
    (tmp_path / "state").write_text("no folder\n")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    name = str(tmp_path / "state")

    assert not cooldown.is_first(name, "m", 60, NOW)  # an empty one each time stops for ever
    assert not os.path.lexists(state.spare_folder())
    state.own_folder(state.spare_folder())
    assert [cooldown.is_first(name, "m", 60, NOW) for _ in range(2)] == [True, False]


def test_a_link_or_a_file_is_no_spare_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("no folder\n")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    spare = Path(state.spare_folder())
    spare.symlink_to(tmp_path / "elsewhere")

    assert not cooldown.is_first(str(tmp_path / "state"), "m", 60, NOW)
    assert list((tmp_path / "elsewhere").iterdir()) == []
