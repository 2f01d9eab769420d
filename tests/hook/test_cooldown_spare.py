"""The retry of a call that was stopped once passes, also where little can be written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from vault_cli.hook import guard, state
from vault_cli.text.guards import check_guard, compile_rule

NOW = 1_700_000_000.0


def rule() -> tuple[Any, ...]:
    value = check_guard({"match": "npx tsc"})
    assert value is not None
    return compile_rule(value, record_id="x-0000001", vault="/v", title="它会联网")


def stops(name: str, after: int = 0) -> bool:
    path = guard.cooldown_path(name, "s", rule())
    from vault_cli.hook.cooldown import is_first

    spare = guard.spare_path(name, path)
    return is_first(path, 60, NOW + after, ("", "", False), lambda: spare)


def test_a_mark_counts_until_its_time_is_over(tmp_path: Path) -> None:
    assert [stops(str(tmp_path), after) for after in (0, 1, 59, 61)] == [True, False, False, True]


def test_where_the_state_folder_cannot_be_written_the_spare_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the sandbox of DSH, where a warning was never given."""
    (tmp_path / "state").write_text("no folder\n")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    name = str(tmp_path / "state")

    assert not stops(name)  # an empty one each time would stop for ever
    assert not os.path.lexists(state.spare_folder(name))
    state.own_folder(state.spare_folder(name))
    assert [stops(name) for _ in range(2)] == [True, False]


def test_a_link_or_a_file_is_no_spare_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("no folder\n")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    spare = Path(state.spare_folder(str(tmp_path / "state")))
    spare.symlink_to(tmp_path / "elsewhere")

    assert not stops(str(tmp_path / "state"))
    assert list((tmp_path / "elsewhere").iterdir()) == []
