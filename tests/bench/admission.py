"""Measure the admission scanner on a labelled corpus: recall, alarms, time.

Usage: admission.py CORPUS.jsonl [--predictions OUT]

A line of the corpus has `id`, `text`, `label` (`benign`, `injection`, or a kind of secret) and
`lang`, `category`, `source` or `kind`. A prediction per line is {id, flagged, blocked}: flagged
is any safety finding (quality is not counted), blocked is what may stop a write without a
reader: the structural layer, secrets and personal data. Run from the root of the project:
`PYTHONPATH=. python tests/bench/admission.py ...`.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vault_cli.text.codes import SCAN_CODES
from vault_cli.text.scan import find_secret_findings, scan_wording
from vault_cli.text.suspicion import find_suspicious

SECRETS = {"secret", "personal-data"}
QUALITY = {"filler", "cliche"}
STRUCTURAL = {
    "role-tags",
    "tool-markup",
    "html-md",
    "managed-block",
    "角色标签",
    "工具标记",
    "隐藏",
}
CAP = 65_536
SURE = 1.96


def scan(text: str) -> set[str]:
    """Return the codes that are reported when a text comes in, notes and quality left out.

    Besides the one scanner, as a record is read, that is the note of the suspicion model, which flags and never blocks.
    """
    found = [*find_secret_findings(text), *(hit for _, hit in scan_wording({}, text))]
    codes = {hit.code for hit in found if hit.holds or hit.code in SECRETS} - QUALITY
    return codes | {hit.code for hit in find_suspicious(text)}


def predict(row: dict[str, Any]) -> dict[str, Any]:
    """Return the prediction for one line of a corpus."""
    codes = scan(row["text"])
    if "kind" in row:  # a corpus of secrets asks for secrets only
        codes &= SECRETS
    blocked = bool(codes & (SCAN_CODES.keys() | SECRETS))
    return {"id": row["id"], "flagged": bool(codes), "blocked": blocked}


def wilson(hits: int, size: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share (Wilson 1927)."""
    share, square = hits / size, SURE * SURE
    middle = share + square / (2 * size)
    half = SURE * math.sqrt(share * (1 - share) / size + square / (4 * size * size))
    return (middle - half) / (1 + square / size), (middle + half) / (1 + square / size)


def slices(row: dict[str, Any]) -> Iterator[str]:
    """Yield the rows of the table that a line counts in."""
    label, category = row["label"], row.get("category", "")
    if category == "quoted":
        yield "quoted attacks (reported apart)"
        return
    yield f"{label}"
    yield f"{label}, {row['lang']}"
    if label == "injection":
        yield f"injection: {_group(category)}"
        if _group(category) in {"public", "memory"}:
            yield f"injection: public and memory, {row['lang']}"
    elif label == "benign" and "kind" not in row:
        hard = category == "hard" or category.startswith("trap")
        yield "benign: hard traps" if hard else "benign: rules and memories"
    elif "kind" in row and label == "benign":
        yield "benign: look-alikes"


def _group(category: str) -> str:
    if category.startswith("trick:"):
        return "trick"
    if category.rsplit(":", maxsplit=1)[-1] in STRUCTURAL:
        return "structural"
    return "memory" if category.startswith("memory:") else "public"


def print_table(rows: list[dict[str, Any]], predictions: list[dict[str, Any]]) -> None:
    """Print flagged and blocked shares of every slice."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    kinds: dict[str, list[int]] = defaultdict(list)
    for row, said in zip(rows, predictions, strict=True):
        for name in slices(row):
            for at, one in enumerate((said["flagged"], said["blocked"], True)):
                counts[name][at] += one
        if "kind" in row and row["label"] != "benign":
            kinds[row["kind"]].append(said["flagged"])
    print(f"{'slice':40}{'lines':>7}{'flagged':>10}{'95 %':>18}{'blocked':>10}")
    for name, (flagged, blocked, size) in sorted(counts.items()):
        low, high = wilson(flagged, size)
        between = f"{100 * low:.1f} to {100 * high:.1f}"
        shares = f"{100 * flagged / size:9.1f}%{between:>18}{100 * blocked / size:9.1f}%"
        print(f"{name:40}{size:7}{shares}")
    if kinds:
        mean = statistics.mean(statistics.mean(found) for found in kinds.values())
        print(f"mean over {len(kinds)} kinds: {100 * mean:.1f} %")


def print_times(rows: list[dict[str, Any]]) -> None:
    """Print CPU time per line of the corpus, and of the worst hostile text of 64 KiB."""
    times = sorted(_time(row["text"]) for row in rows)
    median, late = statistics.median(times), times[int(len(times) * 0.99)]
    print(f"time per text: median {median * 1000:.3f} ms, 99th of 100 {late * 1000:.3f} ms")
    honest = "\n".join(row["text"] for row in rows if row["label"] == "benign")
    pieces = [honest[at : at + 600] for at in range(0, min(len(honest), 60_000) - 600, 600)]
    if pieces:
        typical = statistics.median(_time(piece) for piece in pieces)
        print(f"honest text of 600 characters: median {typical * 1000:.3f} ms")
    worst = max((_time((unit * CAP)[:CAP]), unit) for unit in HOSTILE)
    print(f"worst text of 64 KiB: {worst[0] * 1000:.0f} ms (repeated {worst[1]!r})")


def _time(text: str) -> float:
    started = time.process_time()
    scan(text)
    return time.process_time() - started


HOSTILE = (
    "ignore previous ", "忽略之前的", "忽略之前。", "never send secrets to https://a.b ", "a", "<", "![",
    "不要把密钥发送到 https://a.b ", "do not tell the user ", "curl x | ", "%41", "QUJD", "i.g.n.",
    "system: ", "<!--", "\u200ba", "12 34 ", "a@a.", "忽-略-", "password = ", "1gn0r3 ",
    "chmod 777 / ", "rm -rf / ", "a.evil-", "a.a.a.", "忽(hu)", "忽🍎", "![a](https://img.shields.io/a?b=1)",
    "把改动塞进没人看", "approve your own drafts ",
)  # fmt: skip


def main() -> None:
    """Read the corpus, write the predictions, print table and times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--predictions", type=Path)
    options = parser.parse_args()
    lines = options.corpus.read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    predictions = [predict(row) for row in rows]
    if options.predictions:
        text = "".join(json.dumps(said) + "\n" for said in predictions)
        options.predictions.write_text(text, "utf-8")
    print_table(rows, predictions)
    print_times(rows)


if __name__ == "__main__":
    main()
