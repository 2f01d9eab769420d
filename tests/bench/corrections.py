"""How well corrections are found: precision and recall on the labelled prompts of both languages.

Run: python tests/bench/corrections.py [FILE of lines "+<tab>text" and "-<tab>text"]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from vault_cli.text.corrections import find_correction

DATA = Path(__file__).resolve().parents[1] / "text" / "data"


def measure(path: Path) -> str:
    """Return one line: precision, recall, the numbers behind them, and the time a prompt takes."""
    rows = [(line[0] == "+", line[2:]) for line in path.read_text(encoding="utf-8").splitlines()]
    start = time.process_time()
    found = [(wanted, find_correction(text) is not None) for wanted, text in rows]
    spent = (time.process_time() - start) / len(rows) * 1e3
    hits = sum(wanted and seen for wanted, seen in found)
    alarms = sum(seen and not wanted for wanted, seen in found)
    total = sum(wanted for wanted, _ in found)
    precision, recall = hits / max(1, hits + alarms), hits / max(1, total)
    counts = f"{hits} of {total} found, {alarms} of {len(rows) - total} false"
    return f"{path.name}: precision {precision:.3f}, recall {recall:.3f} ({counts}; {spent:.2f} ms)"


def main(argv: list[str]) -> None:
    """Print the measures of the given files, or of all labelled ones."""
    for path in map(Path, argv) if argv else sorted(DATA.glob("corrections-*.tsv")):
        print(measure(path))


if __name__ == "__main__":
    main(sys.argv[1:])
