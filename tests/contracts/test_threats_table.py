"""The table of threats names, for each of the 53, tests that exist, or what they wait for."""

from __future__ import annotations

import tomllib
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def test_every_threat_names_tests_that_exist() -> None:
    table = tomllib.loads((TESTS / "threats.toml").read_text(encoding="utf-8"))["threats"]
    assert sorted(map(int, table)) == list(range(1, 54))
    for number, shown in table.items():
        assert shown, number
        for value in shown:
            if value.startswith("later: "):
                continue
            name, _, function = value.partition("::")
            path = TESTS / name
            assert path.is_file(), (number, value)
            assert f"def {function}(" in path.read_text(encoding="utf-8"), (number, value)
