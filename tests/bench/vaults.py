"""Generated vaults for the benchmark programs: honest records in both languages, one commit.

The commit is made by `git fast-import`: a pack instead of a loose object for each file, so that
100,000 records take a minute and not ten. `python tests/bench/vaults.py FOLDER RECORDS` makes one.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from measure import mvault_command

KINDS = ("lesson", "failure", "fact", "preference", "rule", "note")
WORDS = (  # noqa: SIM905 - one line a language reads better than a list
    "deploy branch index migration retry timeout queue cache counter parser schema socket release "
    "container volume proxy 部署 分支 索引 迁移 重试 超时 队列 缓存 解析 发布 容器 镜像"
).split()
LETTERS = {"failure": "x"}
FOLDERS = {"rule": "playbook"}
DRAFTS = 64
A_FOLDER = 1000
"""Records of one folder, as mvault's own months hold them."""


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
    month = number // A_FOLDER
    place = f"{FOLDERS.get(kind, 'memories')}/20{10 + month // 12:02d}-{month % 12 + 1:02d}"
    folder = "drafts/2026-10" if status == "candidate" else place
    return f"{folder}/r-{number:07d}.md", text


def rare_notes(number: int) -> dict[str, str]:
    """Return notes of which each has three words that stand nowhere else, among usual ones."""
    rng = random.Random(9)
    files = {}
    for place in range(number):
        path, text = record_text(900_000 + place, rng, "active")
        words = " ".join(f"{name}{chr(97 + place)}" for name in ("zeppelin", "hangar", "valve"))
        files[path] = text.replace(
            "\n## Problem\n", f"\n## Problem\n{words} 飞艇{chr(0x4E00 + place)}\n"
        )
    return files


def build_vault(
    root: Path, records: int, env: Mapping[str, str], more: Mapping[str, str] | None = None
) -> list[str]:
    """Write a committed vault of `records` active records and DRAFTS drafts; return their ids.

    Args:
        root: its folder.
        records: how many.
        env: environment of the commands.
        more: further files.
    """
    rng = random.Random(7)
    subprocess.run(mvault_command("init", str(root)), env=env, check=True, capture_output=True)
    files = dict(more or {})
    drafts = []
    for number in range(records + DRAFTS):
        status = "active" if number < records else "candidate"
        path, text = record_text(number, rng, status)
        files[path] = text
        if status == "candidate":
            drafts.append(text.split("id: ", 1)[1].split("\n", 1)[0])
    write_files(root, files)
    commit_all(root, [files], env)
    return drafts


def write_files(root: Path, files: Mapping[str, str]) -> None:
    """Write texts below a folder."""
    for folder in {(root / path).parent for path in files}:
        folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        (root / path).write_text(text, encoding="utf-8")


def commit_all(root: Path, steps: Iterable[Mapping[str, str]], env: Mapping[str, str]) -> None:
    """Commit texts that stand on disk already, one commit a step, on top of HEAD."""
    parts: list[bytes] = []
    for number, files in enumerate(steps):
        start = b"from refs/heads/main^0\n" if number == 0 else b""
        when = 1_790_000_000 + number
        parts.append(
            b"commit refs/heads/main\n"
            b"committer Bench <bench@example.invalid> %d +0000\ndata 4\nbase\n%b" % (when, start)
        )
        for path, text in files.items():
            data = text.encode()
            parts.append(b"M 644 inline %b\ndata %d\n%b\n" % (path.encode(), len(data), data))
    git(root, env, "fast-import", "--quiet", "--done", data=b"".join(parts) + b"done\n")
    git(root, env, "read-tree", "HEAD")
    git(root, env, "update-index", "-q", "--refresh")


def git(root: Path, env: Mapping[str, str], *argv: str, data: bytes = b"") -> str:
    """Run git in a vault and return what it prints."""
    done = subprocess.run(
        ["git", *argv], cwd=root, env=env, check=True, capture_output=True, input=data
    )
    return done.stdout.decode()


def add_history(root: Path, env: Mapping[str, str]) -> None:
    """Commit a change of every tenth record, then of one: HEAD~2 is old, HEAD~1 is near."""
    files = sorted((root / "memories").rglob("*.md"))
    for step, changed in enumerate((files[::10], files[:1])):
        for path in changed:
            text = path.read_text(encoding="utf-8")
            path.write_text(f"{text}\nChanged in step {step}. 改过。\n", encoding="utf-8")
        git(root, env, "-c", "gc.auto=0", "commit", "-qam", f"step {step}")
    git(root, env, "gc", "-q")


def build_history(root: Path, commits: int, env: Mapping[str, str]) -> str:
    """Make a vault of 1,000 records with so many commits, a change of one each; return an id."""
    build_vault(root, A_FOLDER, env)
    rng = random.Random(11)
    files = [p.relative_to(root).as_posix() for p in sorted((root / "memories").rglob("*.md"))]
    texts = {path: (root / path).read_text(encoding="utf-8") for path in files}
    steps = []
    for number in range(commits):
        path = rng.choice(files)
        texts[path] += f"Step {number}.\n"
        steps.append({path: texts[path]})
    write_files(root, texts)
    commit_all(root, steps, env)
    return texts[files[0]].split("id: ", 1)[1].split("\n", 1)[0]


if __name__ == "__main__":
    print("\n".join(build_vault(Path(sys.argv[1]), int(sys.argv[2]), os.environ)))
