"""How well and how fast secrets are found: recall, wrong alarms, microseconds.

Usage: python tests/bench/secret_scan.py [--seeds 40] [--corpus FILE.jsonl ...] [--lines FILE ...]

Without files it scores the samples that the tests make. `--corpus` takes JSON lines with `text`,
`kind` and `label` (`secret`, `pii` or `benign`), as a generator of synthetic secrets writes them.
`--lines` takes any text files, best public ones: every line is scanned, every hit is an alarm.
It prints tables and asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from secret_samples import CHECKED, HONEST, PERSONAL, SECRETS, Source  # noqa: E402

from vault_cli.text.secrets import find_secrets  # noqa: E402

Row = tuple[str, str, str]
"""Label, kind, text."""


def made_rows(seeds: int) -> Iterator[Row]:
    """Yield samples of our own makers."""
    for label, table in (("secret", SECRETS), ("pii", PERSONAL), ("benign", HONEST)):
        for kind, make in table.items():
            for seed in range(seeds):
                yield label, kind, make(Source(seed))
    for kind, make in CHECKED.items():
        for seed in range(seeds):
            number = make(Source(seed))
            yield "wrong digit", kind, number[:-1] + ("7" if number[-1] != "7" else "3")


def corpus_rows(files: Iterable[str]) -> Iterator[Row]:
    """Yield the rows of JSON lines."""
    for file in files:
        for line in Path(file).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield row["label"], row["kind"], row["text"]


def score(rows: Iterable[Row]) -> None:
    """Print hits per label, as the mean over kinds, and every kind that is not perfect."""
    counts: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for label, kind, text in rows:
        counts[label, kind][bool(find_secrets(text))] += 1
    for label in dict.fromkeys(label for label, _ in counts):
        shares = {
            kind: count[True] / count.total()
            for (its, kind), count in counts.items()
            if its == label
        }
        total = sum(count.total() for (its, _), count in counts.items() if its == label)
        print(f"{label:12} {len(shares):4} kinds {total:6} texts  flagged {mean(shares):.2%}")
        wanted = 1.0 if label in {"secret", "pii"} else 0.0
        for kind, share in shares.items():
            if share != wanted:
                print(f"    {kind}: {share:.1%}")


def mean(shares: dict[str, float]) -> float:
    """The mean over kinds."""
    return statistics.fmean(shares.values())


def scan_lines(files: Iterable[str]) -> None:
    """Print how many lines of public text raise an alarm, by kind."""
    kinds: Counter[str] = Counter()
    lines = alarmed = 0
    for file in files:
        for line in Path(file).read_text(encoding="utf-8", errors="replace").splitlines():
            hits = find_secrets(line)
            lines += 1
            alarmed += bool(hits)
            kinds.update(hit.kind for hit in hits)
    per = alarmed / max(lines, 1) * 10_000
    print(f"public lines {lines}, alarms {alarmed} ({per:.2f} in 10,000) {dict(kinds)}")


def speed() -> None:
    """Print microseconds of an ordinary memory, least of many runs, and of the sample vault."""
    texts = {
        "600 characters, English": "The index must be built outside of a transaction. " * 12,
        "600 characters, Chinese": "索引必须在事务之外建立,否则迁移会失败并且回滚。" * 25,
        "600 characters, names of keys": "The api key and the password live in the keyring. " * 12,
    }
    for name, text in texts.items():
        print(f"{name:32} {least(text[:600]):8.1f} us")
    vault = TESTS.parent / "sample-vault"
    bodies = [
        path.read_text(encoding="utf-8").split("\n---\n", 1)[-1]
        for path in sorted(vault.rglob("*.md"))
    ]
    per = [least(body[:600]) for body in bodies if len(body) > 300]
    print(
        f"{'sample vault, bodies, median':32} {statistics.median(per):8.1f} us ({len(per)} texts)"
    )


def least(text: str) -> float:
    """The least time of a scan in microseconds: what it costs when nobody else computes."""
    times = []
    for _ in range(200):
        start = time.perf_counter()
        find_secrets(text)
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--corpus", nargs="*", default=[])
    parser.add_argument("--lines", nargs="*", default=[])
    args = parser.parse_args()
    score(corpus_rows(args.corpus) if args.corpus else made_rows(args.seeds))
    if args.lines:
        scan_lines(args.lines)
    speed()


if __name__ == "__main__":
    main()
