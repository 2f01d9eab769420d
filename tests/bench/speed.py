"""Speed of the main commands on generated vaults, as ratios measured in one run.

Usage: python tests/bench/speed.py [RECORDS ...]      (default: 1000 10000)
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Sample, bench_env, measure, mvault_command, print_table

KINDS = ("lesson", "failure", "fact", "preference", "rule", "note")
WORDS = (  # noqa: SIM905 - one line a language reads better than a list
    "deploy branch index migration retry timeout queue cache token parser schema webhook release "
    "container volume proxy mirror 部署 分支 索引 迁移 重试 超时 队列 缓存 解析 发布 容器 镜像"
).split()
LETTERS = {"failure": "x"}
FOLDERS = {"rule": "playbook"}


def record_text(number: int, rng: random.Random, status: str) -> tuple[str, str]:
    """Return (vault-relative path, text) of one generated record."""
    kind = KINDS[number % len(KINDS)]
    record_id = f"{LETTERS.get(kind, kind[0])}-{number:07d}"
    words = rng.choices(WORDS, k=6)
    body = " ".join(rng.choices(WORDS, k=60))
    text = (
        f"---\nid: {record_id}\nkind: {kind}\nstatus: {status}\ntitle: {' '.join(words)}\n"
        f"scope: global\ntopics: [{words[0]}]\napplies_when: {words[1]} {words[2]}\n"
        f"importance: {rng.randint(1, 10)}\ncreated: 2026-10-{number % 28 + 1:02d}T08:00:00Z\n---\n"
        f"# {' '.join(words)}\n\n## Problem\n{body}\n\n## Correction\n{body[:120]}\n"
    )
    folder = "drafts/2026-10" if status == "candidate" else FOLDERS.get(kind, "memories")
    if folder == "memories":
        folder = f"memories/20{10 + number // 12000:02d}-{number // 1000 % 12 + 1:02d}"
    return f"{folder}/r-{number:07d}.md", text


def build_vault(root: Path, records: int, env: dict[str, str]) -> list[str]:
    """Write a committed vault of `records` active records and 32 drafts; return the draft ids."""
    rng = random.Random(7)
    subprocess.run(mvault_command("init", str(root)), env=env, check=True, capture_output=True)
    drafts = []
    for number in range(records + 32):
        status = "active" if number < records else "candidate"
        path, text = record_text(number, rng, status)
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        if status == "candidate":
            drafts.append(text.split("id: ", 1)[1].split("\n", 1)[0])
    for argv in (["add", "-A"], ["-c", "gc.auto=0", "commit", "-qm", "base"], ["gc", "-q"]):
        subprocess.run(["git", *argv], cwd=root, env=env, check=True, capture_output=True)
    return drafts


def plain_commit(root: Path, env: dict[str, str]) -> Sample:
    """Measure a shell `git add FILE && git commit` of one changed file in the same repository."""
    target = root / "plain.txt"

    def touch(number: int) -> None:
        target.write_text(f"round {number}\n")

    script = "git add plain.txt && git commit -qm plain -- plain.txt"
    return measure(["sh", "-c", script], cwd=root, env=env, prepare=touch)


def bench_size(records: int, work: Path) -> None:
    """Build a vault of `records` and print its table."""
    env = bench_env(work / "home")
    root = work / "vault"
    drafts = build_vault(root, records, env)
    base = measure([sys.executable, "-c", "pass"], env=env)
    vault = ["--vault", str(root)]
    cold = measure(
        mvault_command(*vault, "list", "--quiet"),
        env=env,
        rounds=3,
        prepare=lambda _: shutil.rmtree(root / ".state", ignore_errors=True),
    )
    commit = plain_commit(root, env)
    rows = [
        ("python -c pass", base, ""),
        ("list, cache missing", cold, "parses every file"),
        ("render", measure(mvault_command(*vault, "render"), env=env), "warm"),
        ("list", measure(mvault_command(*vault, "list"), env=env), "warm"),
        ("show", measure(mvault_command(*vault, "show", drafts[-1]), env=env), "warm"),
        ("git add && git commit", commit, "one file, shell"),
    ]
    approve = measure(
        lambda number: mvault_command(*vault, "approve", drafts[number + 1], "--yes"), env=env
    )
    rows.append(("approve", approve, f"{approve.cpu / commit.cpu:.2f} x git add && git commit"))
    print_table(f"{records} records", rows, base)


def main() -> None:
    """Run every size given on the command line."""
    for size in [int(arg) for arg in sys.argv[1:]] or [1000, 10_000]:
        with tempfile.TemporaryDirectory() as folder:
            bench_size(size, Path(folder))


if __name__ == "__main__":
    main()
