"""How well `search` finds what is meant, on neutral files of documents and questions.

Usage: python tests/bench/recall.py DOCS.jsonl QUERIES.jsonl [--scoped] [--run FILE] [--by-category]
[--words]

A vault is made of the documents, each a record with title, text and day, let in as a person does (what
the scanner holds is allowed), and searched as the command does, through the stored postings. `--scoped` asks only the documents of the question's
`group`, pooled asks all. The run is written for `score.py` (default: beside the temporary vault, and
gone with it); the same measures are printed. No network. Where the extra `[semantic]` is installed its
model reads all documents first, unless `--words` says that only words count.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

_EVENT = re.compile(r"(.*[^0-9A-Za-z].*?|.*[A-Za-z]{2}.*?)(\d+)")
_SPEAKER = re.compile(r"\s*[^\n:：.,。，]{1,40}[:：]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
DEPTH = 10
MOST_SPEAKERS = 4


def read_rows(path: str) -> list[dict[str, Any]]:
    """Return the objects of a JSONL file."""
    with Path(path).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def text_of(row: Row, key: str) -> str:
    """Return a value as text, "" when it is missing."""
    value = row.get(key)
    return "" if value is None else str(value)


def find_events(docs: Sequence[Row]) -> dict[str, tuple[str, int]]:
    """Return for documents that are parts of one conversation which, and their number in it.

    Parts are spoken, have ids that differ in their last number only, and the same day: what an
    importer of a transcript knows as session and event. Notes without a day are never parts.
    """
    sessions: dict[str, list[tuple[int, Row]]] = {}
    for row in docs:
        match = _EVENT.fullmatch(text_of(row, "id"))
        stamp = text_of(row, "timestamp")
        if match and stamp:
            day = read_day(stamp)
            key = f"{text_of(row, 'group')}/{match[1]}/{day.isoformat() if day else stamp}"
            sessions.setdefault(key, []).append((int(match[2]), row))
    return {
        text_of(row, "id"): (key, number)
        for key, rows in sessions.items()
        if len(rows) > 1 and is_spoken([row for _, row in rows])
        for number, row in rows
    }


def is_spoken(rows: Sequence[Row]) -> bool:
    """Tell whether documents are turns of a conversation: most of them name who speaks."""
    named = sum(
        bool(row.get("speaker")) or _SPEAKER.match(text_of(row, "body")) is not None for row in rows
    )
    titles = {text_of(row, "title") for row in rows}
    return 2 * named >= len(rows) or (len(rows) > 2 * len(titles) and len(titles) <= MOST_SPEAKERS)


def record_text(number: int, row: Row, event: tuple[str, int] | None) -> str:
    """Return a document as a record file."""
    quote = json.dumps
    lines = [
        "---",
        f"id: n-{number:07d}",
        "kind: note",
        "status: active",
        f"title: {quote(text_of(row, 'title') or '-', ensure_ascii=False)}",
        f"scope: {quote('project:' + (text_of(row, 'group') or 'none'), ensure_ascii=False)}",
    ]
    if row.get("speaker"):
        lines.append(f"keywords: [{quote(text_of(row, 'speaker'), ensure_ascii=False)}]")
    if day := read_day(text_of(row, "timestamp")):
        lines.append(f"created: {day.isoformat()}T12:00:00Z")
    if event is not None:
        lines += ["source: agent", "origin: hook", "evidence:"]
        session = quote(event[0], ensure_ascii=False)
        lines.append(f"  - {{id: e1, type: session-event, session: {session}, start: {event[1]},")
        lines[-1] += f" end: {event[1]}}}"
    body = _CONTROL.sub(" ", text_of(row, "body").replace("\r", "\n"))
    return "\n".join([*lines, "---", *(_plain_line(line) for line in body.split("\n")), ""])


def allowed(text: str) -> str:
    """Return a record as it stands when a person has let it in: with what holds it allowed."""
    from vault_cli.text.fields import read_record

    record, _ = read_record(text.encode("utf-8", "replace"), "memories/n.md")
    codes = sorted({found.code for found in record.held_by}) if record is not None else []
    return text.replace("\n---\n", f"\nallow: [{', '.join(codes)}]\n---\n", 1) if codes else text


def _plain_line(line: str) -> str:
    return f" {line}" if line.startswith(("<<<<<<<", "=======", ">>>>>>>", "---")) else line


def read_day(text: str) -> date | None:
    """Return the day a time stamp names, in ISO form, in words or in seconds; None without one."""
    from vault_cli.text.dates import find_days

    if re.fullmatch(r"\d{10}(\d{3})?", text):
        return datetime.fromtimestamp(int(text[:10]), UTC).date()
    days = [key[1:] for key in find_days(text) if len(key) == len("@2026-11-30")]
    return date.fromisoformat(days[0]) if days else None


def build_vault(root: Path, docs: Sequence[Row]) -> dict[str, str]:
    """Write a vault; return document ids by the names of their files."""
    (root / "vault.toml").write_text("")
    events = find_events(docs)
    names = {}
    for number, row in enumerate(docs):
        path = f"memories/{number // 1000:04d}/n-{number:07d}.md"
        names[path] = text_of(row, "id")
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = allowed(record_text(number, row, events.get(text_of(row, "id"))))
        target.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    return names


def measures(relevant: Sequence[str], ranked: Sequence[str]) -> dict[str, float]:
    """Return recall at 1, 5 and 10, MRR and nDCG at 10 of one question."""
    wanted = set(relevant)
    top = list(dict.fromkeys(ranked))[:DEPTH]
    found = {f"R@{k}": len(wanted & set(top[:k])) / max(len(wanted), 1) for k in (1, 5, 10)}
    places = [place for place, key in enumerate(top) if key in wanted]
    gain = sum(1 / math.log2(place + 2) for place in places)
    best = sum(1 / math.log2(place + 2) for place in range(min(len(wanted), DEPTH)))
    return found | {
        "MRR@10": 1 / (places[0] + 1) if places else 0.0,
        "nDCG@10": gain / best if best else 0.0,
    }


def no_meaning(_: str) -> None:
    """Return that only words count."""


def read_all(vault: Any, records: Sequence[Any]) -> Callable[[str], Any]:
    """Let the model read all records, if there is one; return what says how near a question is."""
    from vault_cli.cli.meaning import Reader
    from vault_cli.recall.meaning import weigh_meaning
    from vault_cli.text.meaning import is_installed, load_model

    model = load_model() if is_installed() else None
    if model is None:
        return no_meaning
    reader = Reader(model, len(model.of_query("")), every=True)
    reader.take(vault, records)
    return lambda text: weigh_meaning(
        reader.digests, model.compare(model.of_query(text), reader.vectors), reader.scripts
    )


def run_queries(
    root: Path, names: Mapping[str, str], queries: Sequence[Row], *, scoped: bool, words: bool
) -> list[dict[str, Any]]:
    """Return the run: for each question the best documents."""
    from vault_cli.cli.shelves import open_shelves
    from vault_cli.recall.corpus import searchable
    from vault_cli.recall.search import search
    from vault_cli.store.vault import Vault

    vault = Vault.open(root, environ={})
    snapshot = vault.snapshot()
    if len(snapshot.records) != len(names):
        read = f"only {len(snapshot.records)} of {len(names)} documents can be read"
        print(read, *snapshot.unreadable[:5], file=sys.stderr)
    meaning_of = no_meaning if words else read_all(vault, searchable(snapshot.records))
    rows = []
    with open_shelves(vault, searchable(snapshot.records)) as shelves:
        for query in queries:
            scope = f"project:{text_of(query, 'group') or 'none'}"
            found = search(
                snapshot,
                text_of(query, "query"),
                limit=DEPTH,
                wanted=(lambda record, s=scope: str(record.scope) == s) if scoped else None,
                shelves=shelves,
                today=read_day(text_of(query, "timestamp")),
                meaning=meaning_of(text_of(query, "query")),
            )
            ranked = [names[hit.record.path] for hit in found.hits]
            rows.append({"query_id": text_of(query, "id"), "ranked": ranked})
    return rows


def print_table(queries: Sequence[Row], rows: Sequence[Row], *, by_category: bool) -> None:
    """Print the measures, averaged over the questions."""
    groups: dict[str, list[dict[str, float]]] = {"all": []}
    ranked = {row["query_id"]: row["ranked"] for row in rows}
    for query in queries:
        found = measures(query["relevant"], ranked[text_of(query, "id")])
        groups["all"].append(found)
        if by_category:
            groups.setdefault(text_of(query, "category") or "-", []).append(found)
    keys = list(groups["all"][0])
    print(f"{'':16} {'n':>5} " + " ".join(f"{key:>8}" for key in keys))
    for name, found in groups.items():
        means = " ".join(f"{sum(m[key] for m in found) / len(found):8.4f}" for key in keys)
        print(f"{name:16} {len(found):5} {means}")


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("docs")
    parser.add_argument("queries")
    parser.add_argument("--scoped", action="store_true")
    parser.add_argument("--by-category", action="store_true")
    parser.add_argument("--run", metavar="FILE")
    parser.add_argument("--words", action="store_true", help="without the model")
    options = parser.parse_args()
    docs, queries = read_rows(options.docs), read_rows(options.queries)
    if not docs or not queries:
        raise SystemExit("there are no documents or no questions")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        root.mkdir()
        names = build_vault(root, docs)
        start = time.process_time()
        rows = run_queries(root, names, queries, scoped=options.scoped, words=options.words)
        spent = time.process_time() - start
        run = Path(options.run) if options.run else Path(folder) / "run.jsonl"
        run.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print_table(queries, rows, by_category=options.by_category)
    print(
        f"{len(docs)} documents, {len(queries)} questions: {spent:.2f} s CPU,"
        f" {spent / len(queries) * 1000:.1f} ms a question, reading and indexing included",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
