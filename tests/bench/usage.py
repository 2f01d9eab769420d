"""What 100,000 observations cost: folding them, and a render with and without.

Run: python tests/bench/usage.py [RECORDS [OBSERVATIONS]]. Prints tables, asserts nothing.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from measure import ROUNDS, bench_env, measure, mvault_command, print_table
from speed import build_vault

DAY = date(2026, 11, 30)
MACHINES = 4


def write_usage(root: Path, records: int, observations: int) -> None:
    """Write the files of four machines: a third exposures, the rest judgements by a person."""
    from vault_cli.model.observation import EXPOSURE, USES, WATERMARK, Observation, write_line

    dice = random.Random(7)
    ids = sorted(
        path.read_text().split("id: ", 1)[1].split("\n", 1)[0] for path in records_of(root)
    )
    (root / "usage").mkdir(exist_ok=True)
    for machine in range(MACHINES):
        lines = []
        named: set[str] = set()
        for number in range(observations // MACHINES):
            at = f"2026-{dice.randint(1, 11):02}-{dice.randint(1, 28):02}T10:00:00Z"
            key = f"{machine}x{number}"
            if number % 3 == 0:
                receipt = f"{dice.randrange(200):016x}"
                shown = () if receipt in named else tuple(dice.sample(ids, 80))
                named.add(receipt)
                session = f"s{number // 30}"
                lines.append(Observation(EXPOSURE, at, key, shown, "agent", session, receipt))
                continue
            kind = dice.choice(USES)
            result = dice.choice(["succeeded", "failed"]) if kind == "outcome" else ""
            lines.append(Observation(kind, at, key, (dice.choice(ids),), result=result))
            if number % 12 == 0:
                lines.append(Observation(WATERMARK, at, key))
        lines.append(Observation(WATERMARK, "2026-11-30T10:00:00Z", "end"))
        path = root / "usage" / f"machine-{machine}.jsonl"
        path.write_bytes(b"".join(map(write_line, lines)))
        old = time.time() - 3600
        os.utime(path, (old, old))


def records_of(root: Path) -> list[Path]:
    """Return the record files of a generated vault."""
    return [path for path in root.rglob("r-*.md") if ".git" not in path.parts]


def cpu_of(action: Callable[[], object], before: Callable[[], object] = tuple) -> str:
    """Return the CPU milliseconds of a call: median, least and most of several."""
    found = []
    for _ in range(ROUNDS):
        before()
        start = time.process_time()
        action()
        found.append(1e3 * (time.process_time() - start))
    return f"{statistics.median(found):.0f} ms ({min(found):.0f}-{max(found):.0f})"


def bench_fold(root: Path) -> None:
    """Print what reading and adding up costs, cold, warm, and after a line more."""
    from vault_cli.model.observation import EXPOSURE, HIT, Observation
    from vault_cli.model.sums import fold
    from vault_cli.store.own_usage import append_lines, new_key
    from vault_cli.store.usage_cache import load_sums
    from vault_cli.store.usage_log import read_usage

    def forget() -> None:
        for name in ("usage-sums", "usage-pool"):
            (root / ".state" / name).unlink(missing_ok=True)

    def add(kind: str) -> None:
        ids = ("l-0000001",)
        append_lines(root, [Observation(kind, "2026-11-30T10:00:00Z", new_key(), ids)], sync=False)

    pool = read_usage(root, DAY).pool
    size = sum(path.stat().st_size for path in (root / "usage").iterdir())
    rows = {
        "read all files": cpu_of(lambda: read_usage(root, DAY)),
        "fold": cpu_of(lambda: fold(pool, DAY)),
        "sums, no cache": cpu_of(lambda: load_sums(root, DAY), forget),
        "sums, warm": cpu_of(lambda: load_sums(root, DAY)),
        "sums of a render, warm": cpu_of(lambda: load_sums(root, DAY, settled=True)),
        "sums of a render, a use more": cpu_of(
            lambda: load_sums(root, DAY, settled=True), lambda: add(HIT)
        ),
        "sums, an exposure more": cpu_of(lambda: load_sums(root, DAY), lambda: add(EXPOSURE)),
        "sums, a use more": cpu_of(lambda: load_sums(root, DAY), lambda: add(HIT)),
    }
    print(f"\n## {len(pool)} observations, {size / 1e6:.1f} MB, CPU in process\n")
    print("| what | CPU |\n|---|---|")
    for name, words in rows.items():
        print(f"| {name} | {words} |")


def main() -> None:
    """Build a vault, measure without observations, add them, measure again."""
    sizes = [int(arg) for arg in sys.argv[1:]]
    records, observations = (sizes + [10_000, 100_000][len(sizes) :])[:2]
    with tempfile.TemporaryDirectory() as folder:
        env = bench_env(Path(folder) / "home")
        os.environ.update({name: env[name] for name in ("MVAULT_STATE_DIR", "MVAULT_NOW")})
        root = Path(folder) / "vault"
        build_vault(root, records, env)
        base = measure([sys.executable, "-c", "pass"], env=env)
        argv = mvault_command("--vault", str(root), "render", "--quiet")
        noted = [*argv, "--session", "bench"]
        measure(argv, env=env, rounds=2)
        without = measure(argv, env=env)
        write_usage(root, records, observations)
        first = measure(argv, env=env, rounds=1)
        rows = [
            ("render, no observations", without, "warm"),
            ("render, first time with them", first, "folds all of them"),
            ("render, with them", measure(argv, env=env), "warm"),
            ("render --session", measure(noted, env=env), "and notes what it showed"),
        ]
        mark = mvault_command("--vault", str(root), "mark", "l-0000000", "--hit", "--yes")
        rows.append(("mark", measure(mark, env=env), "every eighth with a commit"))
        rows.append(("render, after marks", measure(argv, env=env), "warm"))
        print_table(f"{records} records, {observations} observations", rows, base)
        bench_fold(root)


if __name__ == "__main__":
    main()
