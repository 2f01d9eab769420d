"""What a hook costs, as CPU ratios to a bare interpreter start measured in one run.

Usage: python tests/bench/hook.py [RECORDS ...] [--rounds N]

RECORDS defaults to 1000 and 10000. Each event runs as it is installed (`python -I -S main.py`),
with a stored payload on stdin. A session's start is measured warm (the answer is ready, every
file's stamp is looked at), after an edit (the full program), and a prompt that brings something,
one that brings nothing, and one that no record can have to do with. Guards are measured with an
index that `mvault guard` compiled, where there is one. Nothing is asserted: the goals in the
remarks are those of the design.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import ROUNDS, Sample, bench_env, measure, print_table
from vaults import build_vault, rare_notes

PROJECT = Path(__file__).resolve().parents[2]
ENTRY = PROJECT / "vault_cli" / "hook" / "main.py"
PAYLOADS = PROJECT / "tests" / "data" / "hook-payloads" / "claude-code"
_FEED = 'exec "$@" < "$0"'


class Bench:
    """One vault, and the hooks of an agent that works in its folder."""

    def __init__(self, records: int, work: Path, rounds: int) -> None:
        self.work = work
        self.rounds = rounds
        self.env = bench_env(work / "home")
        self.env.pop("MVAULT_NOW")  # the clock goes on, as for everybody
        self.root = work / "vault"
        build_vault(self.root, records, self.env, rare_notes(12))
        self.state = work / "home" / "state"

    def feed(self, file: str, **more: Any) -> Path:
        """A stored payload that speaks of this vault, as a file for stdin."""
        data = json.loads((PAYLOADS / file).read_text("utf-8")) | {"cwd": str(self.root)} | more
        path = self.work / f"payload-{time.monotonic_ns()}.json"
        path.write_text(json.dumps(data, ensure_ascii=False, indent=2), encoding="utf-8")
        return path

    def hook(self, event: str, feed: Path, prepare: Any = None) -> Sample:
        """Measure one event."""
        command = [sys.executable, "-I", "-S", str(ENTRY), "claude-code", event, str(self.state)]
        argv = ["sh", "-c", _FEED, str(feed), *command]
        return measure(argv, env=self.env, cwd=self.root, rounds=self.rounds, prepare=prepare)

    def edit(self, number: int) -> None:
        """Change one record, so that nothing is ready."""
        path = next((self.root / "memories").rglob("r-*.md"))
        text = path.read_text("utf-8").rstrip("\n")
        path.write_text(f"{text}\n{number}\n", encoding="utf-8")


def tool_rows(bench: Bench, base: Sample) -> list[tuple[str, Sample, str]]:
    """The events of a tool call."""
    bare = measure([sys.executable, "-I", "-S", "-c", "pass"], env=bench.env, rounds=2 * ROUNDS)
    shell = measure(
        ["sh", "-c", f"[ -s {bench.state}/none ] || exit 0"], env=bench.env, rounds=2 * ROUNDS
    )
    index = bench.state / "hook" / "guards.bin"
    rows = [
        ("python -I -S -c pass", bare, ""),
        ("sh -c '[ -s index ] || exit 0'", shell, "pre-tool without rules as installed, <= 0.1"),
        ("pre-tool, no index", bench.hook("pre-tool", bench.feed("PreToolUse.json")), "<= 0.9"),
    ]
    if index.exists():
        rows.append(("pre-tool", bench.hook("pre-tool", bench.feed("PreToolUse.json")), "<= 0.9"))
    rows += [
        ("post-tool", bench.hook("post-tool", bench.feed("PostToolUse.json")), "<= 1.0"),
        ("stop", bench.hook("stop", bench.feed("Stop.json")), ""),
    ]
    return rows


def session_rows(bench: Bench) -> list[tuple[str, Sample, str]]:
    """The events of a session."""
    start = bench.feed("SessionStart.json")
    cold = bench.hook("session-start", start, prepare=bench.edit)
    time.sleep(2.5)  # what was just written is not kept ready
    bench.hook("session-start", start)
    warm = bench.hook("session-start", start)
    (session,) = (bench.state / "hook" / "sessions").iterdir()
    given = session.read_bytes()
    said = "why does the migration of the zeppelinc need another valvec? 索引"
    fits = bench.feed("UserPromptSubmit.json", prompt=said)
    dated = bench.feed("UserPromptSubmit.json", prompt=f"{said} since 2026-11-03")
    usual = bench.feed("UserPromptSubmit.json", prompt="why does the migration of the 索引 retry?")

    def forget(_: int) -> None:
        session.write_bytes(given)

    other = bench.feed("UserPromptSubmit.json", prompt="please make the button blue and round")
    assent = bench.feed("UserPromptSubmit.json", prompt="yes")
    return [
        ("session-start, ready (every file's stamp)", warm, "<= 5.5 at 10,000"),
        ("session-start after an edit", cold, "the full program"),
        ("prompt that fits records", bench.hook("prompt", fits, prepare=forget), "<= 2.0"),
        ("prompt of usual words", bench.hook("prompt", usual), "<= 2.0"),
        ("prompt that fits none", bench.hook("prompt", other), "<= 2.0"),
        (
            "prompt with a date",
            bench.hook("prompt", dated, prepare=forget),
            "the full program",
        ),
        ("prompt without a subject", bench.hook("prompt", assent), "<= 2.0"),
        ("subagent-start", bench.hook("subagent-start", bench.feed("SubagentStart.json")), ""),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="*", type=int, default=[1000, 10_000])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    for records in options.records:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(records, Path(folder), options.rounds)
            base = measure([sys.executable, "-c", "pass"], env=bench.env, rounds=2 * ROUNDS)
            rows = [("python -c pass", base, ""), *tool_rows(bench, base), *session_rows(bench)]
            print_table(f"{records} records", rows, base)


if __name__ == "__main__":
    main()
