"""The feature table names tests that exist, and a reason where there is none."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROW = re.compile(r"[LSXEC]-\d{2,3}")


def test_every_row_names_a_test_that_exists_or_a_reason() -> None:
    table = tomllib.loads((TESTS / "features.toml").read_text(encoding="utf-8"))
    seen: set[str] = set()
    for area, rows in table.items():
        for row, value in rows.items():
            assert ROW.fullmatch(row), (area, row)
            assert row not in seen, f"{row} stands twice"
            seen.add(row)
            if value.startswith(("later: ", "not wanted: ")):
                continue
            name, _, function = value.partition("::")
            path = TESTS / name
            assert path.is_file(), value
            assert f"def {function}(" in path.read_text(encoding="utf-8"), value
