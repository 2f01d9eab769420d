"""How long it takes to compare one draft with a vault in memory.

Usage: python tests/bench/likeness.py [RECORDS ...]      (default: 1000 10000)
"""

from __future__ import annotations

import random
import sys
import time
from datetime import UTC, datetime

from vaults import record_text

from vault_cli.features import likeness
from vault_cli.model.record import Record, Snapshot
from vault_cli.text import negation, similarity
from vault_cli.text.fields import read_record

DRAFTS = {
    "a sentence": ("Run the tests", "Always run the tests before a push."),
    "a Chinese rule": ("发版前必须跑完整测试", "否则容易漏掉回归。"),
    "words of every record": (
        "Retry the webhook",
        "deploy branch index retry queue 部署 分支 " * 6,
    ),
}


def read(path: str, text: str) -> Record:
    """Read one record."""
    record, found = read_record(text.encode(), path)
    assert record is not None, found
    return record


def forget() -> None:
    """Empty the caches, as they are in a new process."""
    caches = (likeness._folded, similarity.prepare_text, similarity.letters_of)
    for cache in (*caches, negation.read_sentence):
        cache.cache_clear()


def main() -> None:
    """Print milliseconds of processor time: first time in a process, and again."""
    for records in [int(text) for text in sys.argv[1:]] or [1000, 10_000]:
        rng = random.Random(7)
        known = [read(*record_text(number, rng, "active")) for number in range(records)]
        snapshot = Snapshot(tuple(known))
        now = datetime(2026, 12, 1, tzinfo=UTC)
        for name, (title, body) in DRAFTS.items():
            text = f"---\nid: r-new\nkind: rule\nstatus: candidate\ntitle: {title}\n---\n{body}\n"
            draft = read("drafts/2026-12/new.md", text)
            forget()
            times = []
            for _ in range(4):
                start = time.process_time()
                likeness.find_alike(snapshot, draft, now)
                times.append((time.process_time() - start) * 1000)
            again = min(times[1:])
            print(f"{records:>6} records, {name}: first {times[0]:.0f} ms, again {again:.0f} ms")


if __name__ == "__main__":
    main()
