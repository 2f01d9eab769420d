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

from measure import ROUNDS, Sample, bench_env, measure, mvault_command, print_table

Row = tuple[str, Sample, str]

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


def add_history(root: Path, env: dict[str, str]) -> None:
    """Commit a change of every tenth record, then of one: HEAD~2 is old, HEAD~1 is near."""
    files = sorted((root / "memories").rglob("*.md"))
    for step, changed in enumerate((files[::10], files[:1])):
        for path in changed:
            text = path.read_text(encoding="utf-8")
            path.write_text(f"{text}\nChanged in step {step}. 改过。\n", encoding="utf-8")
        argv = ["git", "-c", "gc.auto=0", "commit", "-qam", f"step {step}"]
        subprocess.run(argv, cwd=root, env=env, check=True, capture_output=True)
    subprocess.run(["git", "gc", "-q"], cwd=root, env=env, check=True, capture_output=True)


def past_rows(root: Path, env: dict[str, str], plain: dict[str, Sample]) -> list[Row]:
    """Measure the commands that look at a past commit, next to the plain ones."""
    vault = ["--vault", str(root)]
    near = mvault_command(*vault, "list", "--quiet", "--known-at", "HEAD~1")
    old = mvault_command(*vault, "render", "--quiet", "--known-at", "HEAD~2")

    def forget(_: int) -> None:
        shutil.rmtree(root / ".state", ignore_errors=True)

    def forget_past(number: int) -> None:
        forget(number)
        subprocess.run(mvault_command(*vault, "list"), env=env, check=True, capture_output=True)

    measured = [
        ("list --known-at HEAD~1", near, forget, "list, cache missing", "cache missing"),
        ("list --known-at HEAD~1", near, forget_past, "list, cache missing", "only files cached"),
        ("list --known-at HEAD~1", near, None, "list", "warm"),
        ("render --known-at HEAD~2", old, forget, "list, cache missing", "cache missing"),
        ("render --known-at HEAD~2", old, None, "render", "warm, a tenth differs"),
    ]
    rows: list[Row] = []
    for name, argv, prepare, beside, state in measured:
        sample = measure(argv, env=env, rounds=3 if prepare else ROUNDS, prepare=prepare)
        rows.append((name, sample, f"{state}; {sample.cpu / plain[beside].cpu:.2f} x {beside}"))
    return rows


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
    add_history(root, env)
    cold = measure(
        mvault_command(*vault, "list", "--quiet"),
        env=env,
        rounds=3,
        prepare=lambda _: shutil.rmtree(root / ".state", ignore_errors=True),
    )
    commit = plain_commit(root, env)
    warm = {
        "render": measure(mvault_command(*vault, "render"), env=env),
        "list": measure(mvault_command(*vault, "list"), env=env),
        "search": measure(mvault_command(*vault, "search", "retry", "镜像"), env=env),
        "show": measure(mvault_command(*vault, "show", drafts[-1]), env=env),
    }
    rows: list[Row] = [
        ("python -c pass", base, ""),
        ("list, cache missing", cold, "parses every file"),
        *((name, sample, "warm") for name, sample in warm.items()),
        *past_rows(root, env, {**warm, "list, cache missing": cold}),
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
