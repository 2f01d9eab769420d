"""Every acceptance case has a test, and its inputs are the bytes the case describes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
CASES = sorted(path.parent for path in (TESTS / "cases").glob("*/case.json"))
SOURCE = "".join(p.read_text(encoding="utf-8") for p in sorted(TESTS.glob("test_cases_*.py")))


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_case_has_a_test_and_whole_inputs(folder: Path) -> None:
    number = folder.name[:5].replace("-", "_")
    assert f"def test_{number}_" in SOURCE
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    assert case["expect"]
    for item in case.get("inputs", ()):
        if "sha256" not in item:
            continue
        data = (folder / item["path"]).read_bytes()
        assert len(data) == item["bytes"], item["path"]
        assert hashlib.sha256(data).hexdigest().startswith(item["sha256"]), item["path"]
