"""`sync` of several machines at once, and killed at any moment."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers import fsck, git, start_real
from sync_helpers import Machine, note, past_texts, share

CHANGES = 50 if os.environ.get("MVAULT_SWEEP") == "all" else 2
KILLS = int(os.environ.get("MVAULT_TEST_KILLS", "12"))
"""Read here: within a test the environment is the product's, without any of these."""

BODY = "# Title\n\n" + "".join(f"Line {n}.\n\n" for n in range(8))


def environment(machine: Machine) -> dict[str, str | None]:
    return {"MVAULT_STATE_DIR": str(machine.state), "MVAULT_ACTOR": "person"}


def real(machine: Machine, *argv: str) -> subprocess.CompletedProcess[str]:
    process = start_real("--vault", machine.root, *argv, env=environment(machine))
    out, err = process.communicate(timeout=180)
    return subprocess.CompletedProcess(argv, process.returncode, out, err)


@pytest.mark.slow
def test_three_machines_sync_at_the_same_time(tmp_path: Path) -> None:
    files = {f"memories/r{n}.md": note(f"f-000000{n}", f"Record {n}", BODY) for n in range(6)}
    trio = share(tmp_path, files, "abc")
    wrote: set[str] = set()
    for turn in range(3):
        for number, machine in enumerate(trio.machines.values()):
            word = f"edit-{machine.name}{turn}"
            wrote.add(word)
            path = f"memories/r{turn}.md"
            line = f"Line {number * 3}."
            machine.write({path: machine.read(path).replace(line, f"{line} {word}")})
            machine.write(
                {
                    f"drafts/{word}.md": note(
                        f"f-{machine.name}00000{turn}", word, f"{word}\n", status="candidate"
                    )
                }
            )
        with ThreadPoolExecutor(3) as pool:
            done = list(pool.map(lambda m: real(m, "sync", "--yes"), trio.machines.values()))
        assert [d.returncode for d in done] == [0, 0, 0], done
        trio.settle()
        everything = b"".join(trio["a"].files().values()).decode()
        assert all(word in everything for word in wrote)
    assert trio["a"].files() == trio["b"].files() == trio["c"].files()
    assert fsck(trio.remote) == []


@pytest.mark.slow
def test_changes_of_others_while_it_runs(tmp_path: Path) -> None:
    """Every acknowledged addition is in the history, although syncs go on meanwhile."""
    both = share(tmp_path, {"memories/x.md": note("f-0000001", body=BODY)})

    def add(number: int) -> str:
        done = real(
            both["a"],
            "--json",
            "add",
            "fact",
            "--title",
            f"Made {number}",
            "--body",
            f"Body {number}.",
        )
        assert done.returncode == 0, done
        return str(json.loads(done.stdout)["data"]["ids"][0])

    with ThreadPoolExecutor(3) as pool:
        added = pool.map(add, range(8))
        syncs = [pool.submit(real, both["a"], "sync", "--yes") for _ in range(3)]
        ids = list(added)
        codes = [job.result().returncode for job in syncs]
    assert set(codes) <= {0, 5}, [job.result() for job in syncs]
    both.settle()
    assert len(set(ids)) == 8
    listed = {r["id"] for r in both["b"].run("--json", "list").data["records"]}
    assert set(ids) <= listed


@pytest.mark.slow
def test_eight_writers_on_two_machines_that_sync(tmp_path: Path) -> None:
    """Every change that was acknowledged is in both clones; `MVAULT_SWEEP=all`: 50 a writer."""
    both = share(tmp_path, {"memories/x.md": note("f-0000001", body=BODY)})
    began = time.monotonic()
    writing = True

    def write(number: int) -> list[str]:
        machine = both["ab"[number % 2]]
        ids = []
        for turn in range(CHANGES):
            words = ("--title", f"写者 {number}-{turn}", "--body", f"Text {number}-{turn}.")
            done = real(machine, "--json", "add", "fact", *words)
            assert done.returncode == 0, done
            ids.append(str(json.loads(done.stdout)["data"]["ids"][0]))
        return ids

    def keep_syncing(machine: Machine) -> list[int]:
        codes = []
        while writing:
            codes.append(real(machine, "sync", "--yes").returncode)
        return codes

    with ThreadPoolExecutor(10) as pool:
        syncs = [pool.submit(keep_syncing, machine) for machine in both.machines.values()]
        try:
            ids = [item for found in pool.map(write, range(8)) for item in found]
        finally:
            writing = False
        codes = [code for job in syncs for code in job.result()]
    print(f"{len(ids)} changes in {time.monotonic() - began:.0f} s beside {len(codes)} syncs")
    assert set(codes) <= {0, 5}
    both.settle()
    assert len(set(ids)) == 8 * CHANGES
    for machine in both.machines.values():
        listed = {r["id"] for r in machine.run("--json", "list").data["records"]}
        assert set(ids) <= listed
        assert fsck(machine.root) == []
    past = past_texts(both["a"].root)
    assert all(f"Text {n}-{turn}." in past for n in range(8) for turn in range(CHANGES))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_killed_at_any_moment(tmp_path: Path) -> None:
    both = share(
        tmp_path, {f"memories/r{n}.md": note(f"f-000000{n}", f"Record {n}", BODY) for n in range(5)}
    )
    rng = random.Random(7)
    wrote = []
    for turn in range(KILLS):
        for name in "ab":
            path, line = f"memories/r{turn % 5}.md", f"Line {0 if name == 'a' else 6}."
            word = f"w{name}{turn}x"
            both[name].write({path: both[name].read(path).replace(line, f"{line} {word}", 1)})
            wrote.append(word)
        assert both["a"].sync().code == 0
        process = start_real("--vault", both["b"].root, "sync", "--yes", env=environment(both["b"]))
        time.sleep(rng.uniform(0.15, 1.1))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        # the next command works, and no file is half written
        assert both["b"].run("list").code == 0
        for data in both["b"].files().values():
            assert b"<<<<<<<" not in data
        done = both["b"].sync()
        assert done.code == 0, done
        assert both["a"].sync().code == 0
        assert both["a"].files() == both["b"].files()
        everything = b"".join(both["a"].files().values()).decode()
        assert [word for word in wrote if word not in everything] == []
    assert fsck(both["b"].root) == []
    assert git(both["b"].root, "status", "--porcelain") == ""
    left = {path.name for path in (both["b"].root / ".git").glob("mvault-*")}
    # The lock that recoveries share and the mark of this clone stay.
    assert left <= {"mvault-recovery", "mvault-clone"}
