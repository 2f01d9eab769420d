"""Many writers at once through the command line, and foreign git loops beside them.

`MVAULT_SWEEP=all` runs the full load.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WRITERS = 8
CHANGES = 50 if os.environ.get("MVAULT_SWEEP") == "all" else 2
FOREIGN = 2

WRITER = """
import subprocess, sys
vault, name, count = sys.argv[1:]
command = [sys.executable, "-m", "vault_cli", "--vault", vault, "add", "fact"]
for number in range(int(count)):
    words = ["--title", f"Fact {name} {number}", "--body", f"Body of {name}-{number}."]
    done = subprocess.run([*command, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}-{number}: exit {done.returncode}: {done.stderr}")
"""

LOOP = """
n=0
while [ ! -e "$1/stop" ]; do
  n=$((n + 1))
  echo "$2 $n" > "foreign-$2-$n.txt"
  # git reads the index before it locks it, so that one loop can undo the `add` of the other
  until git add "foreign-$2-$n.txt" && git commit -qm "foreign $2 $n" -- "foreign-$2-$n.txt"
  do sleep 0.02; done >/dev/null 2>&1
  echo "foreign-$2-$n.txt" >> "$1/made"
  sleep 0.1
done
"""


def environment(home: Path) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "MVAULT", "XDG_"))}
    home.mkdir()
    (home / "gitconfig").write_text("[user]\nname = T\nemail = t@example.invalid\n[gc]\nauto=0\n")
    return env | {
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "MVAULT_CONFIG": str(home / "config.toml"),
        "MVAULT_STATE_DIR": str(home / "state"),
        "PYTHONPATH": str(ROOT),
    }


def git(env: dict[str, str], vault: Path, *args: str) -> subprocess.CompletedProcess[str]:
    argv = ["git", "-C", str(vault), *args]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False)


def test_no_change_is_lost(tmp_path: Path) -> None:
    env, vault = environment(tmp_path / "home"), tmp_path / "vault"
    init = [sys.executable, "-m", "vault_cli", "init", str(vault)]
    subprocess.run(init, env=env, check=True, capture_output=True)
    loops = [
        subprocess.Popen(["/bin/sh", "-c", LOOP, "sh", str(tmp_path), str(n)], cwd=vault, env=env)
        for n in range(FOREIGN)
    ]
    start = time.monotonic()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(vault), f"w{n}", str(CHANGES)],
            env=env, stderr=subprocess.PIPE, text=True,
        )
        for n in range(WRITERS)
    ]  # fmt: skip
    errors = [writer.communicate(timeout=1800)[1] for writer in writers]
    seconds = time.monotonic() - start
    (tmp_path / "stop").touch()
    assert [loop.wait(timeout=60) for loop in loops] == [0] * FOREIGN
    assert errors == [""] * WRITERS

    foreign = (tmp_path / "made").read_text().split()
    subjects = git(env, vault, "log", "--format=%s").stdout.splitlines()
    ours = [subject for subject in subjects if subject.startswith("add(fact): Fact w")]
    print(f"{len(ours) / seconds:.1f} changes/s beside {len(foreign)} foreign commits")
    assert len(ours) == len(set(ours)) == WRITERS * CHANGES
    assert len(subjects) == 1 + len(ours) + len(foreign)
    tree = git(env, vault, "ls-tree", "-r", "--name-only", "HEAD").stdout.split()
    assert set(foreign) <= set(tree)
    texts = "".join(p.read_text() for p in vault.glob("drafts/**/*.md"))
    assert all(f"Body of w{n}-{m}." in texts for n in range(WRITERS) for m in range(CHANGES))
    git(env, vault, "read-tree", "HEAD")  # what the foreign loops did to each other's index
    assert git(env, vault, "status", "--porcelain").stdout == ""
    assert git(env, vault, "fsck", "--strict").returncode == 0
    assert not list((vault / ".git").rglob("*.lock"))
