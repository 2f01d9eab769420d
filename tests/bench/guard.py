"""What guards cost: the look before a tool call, as CPU ratios to a bare interpreter start.

Usage: python tests/bench/guard.py [RECORDS] [--rounds N]

RECORDS (default 1000) is the size of the vault. The hook runs as it is installed
(`python -I -S main.py`); no rules is the shell's own test of the empty index. Compiling is
`mvault guard compile`, most of which is reading the vault. Nothing is asserted: the goals in the
remarks are those of the design.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from measure import ROUNDS, Sample, bench_env, measure, print_table
from vaults import build_vault

PROJECT = Path(__file__).resolve().parents[2]
ENTRY = PROJECT / "vault_cli" / "hook" / "main.py"
PAYLOAD = PROJECT / "tests" / "data" / "hook-payloads" / "claude-code" / "PreToolUse.json"
_FEED = 'exec "$@" < "$0"'
RULE = """---
id: x-guard{number:03d}
kind: failure
status: active
title: Call number {number} failed before
guard:
  match: {match}
  action: deny
---
## Problem
x
## Avoid
x
"""


def add_rules(root: Path, first: int, number: int) -> None:
    """Write records with a guard, every fifth with a pattern."""
    folder = root / "memories" / "guards"
    folder.mkdir(parents=True, exist_ok=True)
    for one in range(first, first + number):
        match = f"'re:tool{one}\\s+(run|do)\\b'" if one % 5 == 4 else f"tool{one} run"
        text = RULE.format(number=one, match=match)
        (folder / f"{one}.md").write_text(text, encoding="utf-8")


def look(work: Path, root: Path, env: dict[str, str], command: str, rounds: int) -> Sample:
    """Measure the hook before one shell command."""
    data = json.loads(PAYLOAD.read_text("utf-8"))
    data |= {"cwd": str(root), "tool_input": {"command": command, "description": "x"}}
    feed = work / f"payload-{abs(hash(command))}.json"
    feed.write_text(json.dumps(data), encoding="utf-8")
    argv = [sys.executable, "-I", "-S", str(ENTRY), "claude-code", "pre-tool"]
    argv = ["sh", "-c", _FEED, str(feed), *argv, env["MVAULT_STATE_DIR"]]
    return measure(argv, env=env, cwd=root, rounds=rounds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="?", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        env = bench_env(work / "home")
        env.pop("MVAULT_NOW")
        root = work / "vault"
        build_vault(root, options.records, env)
        mvault = [sys.executable, "-m", "vault_cli"]
        base = measure([sys.executable, "-c", "pass"], env=env, rounds=2 * options.rounds)
        index = Path(env["MVAULT_STATE_DIR"]) / "hook" / "guards.bin"
        shell = ["sh", "-c", f"[ -s '{index}' ] || exit 0"]
        rows = [
            ("python -c pass", base, ""),
            (
                "no rules, as installed",
                measure(shell, env=env, rounds=2 * options.rounds),
                "<= 0.1",
            ),
        ]
        for first, number in ((0, 1), (1, 499)):
            add_rules(root, first, number)
            compiling = measure([*mvault, "guard", "compile"], env=env, cwd=root, rounds=3)
            count = f"{first + number} rules"
            for what, command, goal in (
                ("no hit", "python3 -m pytest -q tests", "<= 0.9"),
                ("hit by words", "cd web && tool0 run --fast", "<= 1.8"),
                ("hit by a pattern", "tool4  do it", "<= 1.8"),
            ):
                if first + number > 4 or "pattern" not in what:
                    sample = look(work, root, env, command, options.rounds)
                    rows.append((f"{count}, {what}", sample, goal))
            rows.append((f"{count}, compiling ({options.records:,} records)", compiling, ""))
        print_table(f"{options.records} records", rows, base)


if __name__ == "__main__":
    main()
