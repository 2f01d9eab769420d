"""The exclusive lock: waits fairly, ends with its owner, names who has it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from helpers import make_vault, run

from vault_cli.errors import ChangedMeanwhileError, StoreError
from vault_cli.store.files import lock_vault

ROOT = Path(__file__).resolve().parents[2]
HOLD = """
import sys, time
from pathlib import Path
from vault_cli.store.files import lock_vault
with lock_vault(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def hold(root: Path, seconds: float) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(root), str(seconds)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_a_second_owner_waits_for_the_first(tmp_path: Path) -> None:
    process = hold(tmp_path, 0.3)
    start = time.monotonic()
    with lock_vault(tmp_path, wait=10):
        assert time.monotonic() - start > 0.1
    end(process)


def test_a_live_owner_is_named_when_the_wait_is_over(tmp_path: Path) -> None:
    process = hold(tmp_path, 30)
    words = f"process {process.pid} on .* since 20"
    with pytest.raises(ChangedMeanwhileError, match=words), lock_vault(tmp_path, wait=0.1):
        pass
    end(process)


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_owner_frees_it_at_once_even_for_who_waits(tmp_path: Path) -> None:
    process = hold(tmp_path, 30)
    timer = threading.Timer(0.2, process.send_signal, [signal.SIGKILL])
    timer.start()
    with lock_vault(tmp_path, wait=10) as crashed:
        assert crashed
    timer.join()
    end(process)
    with lock_vault(tmp_path, wait=0) as crashed:
        assert not crashed
        assert str(os.getpid()) in (tmp_path / ".state/lock").read_text()
    assert (tmp_path / ".state/lock").read_text() == ""


def test_giving_up_does_not_keep_the_lock_from_others(tmp_path: Path) -> None:
    process = hold(tmp_path, 30)
    with pytest.raises(ChangedMeanwhileError), lock_vault(tmp_path, wait=0.05):
        pass
    end(process)
    time.sleep(0.05)
    with lock_vault(tmp_path, wait=1):
        pass
    end(hold(tmp_path, 0))


def test_an_error_inside_frees_it(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), lock_vault(tmp_path):
        raise ZeroDivisionError
    with lock_vault(tmp_path, wait=0):
        pass


def test_a_removed_lock_file_does_not_let_two_in(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        with lock_vault(tmp_path, wait=10):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.05)
            inside.pop()

    first = threading.Thread(target=work)
    first.start()
    time.sleep(0.02)
    second = threading.Thread(target=work)
    second.start()
    first.join()
    second.join()
    assert max(most) == 1


def test_the_state_folder_is_private_and_hidden_from_git(tmp_path: Path) -> None:
    with lock_vault(tmp_path):
        pass
    assert (tmp_path / ".state/.gitignore").read_text() == "*\n"
    if os.name != "nt":
        assert (tmp_path / ".state").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_a_link_in_the_way_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    vault = tmp_path / "v"
    vault.mkdir()
    (vault / ".state").symlink_to(outside)
    with pytest.raises(StoreError), lock_vault(vault):
        pass
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", [".state", ".state/lock", ".state/turn", ".state/journal"])
@pytest.mark.parametrize("what", ["a folder", "a link", "a file"])
def test_what_a_push_put_in_our_place_is_named(tmp_path: Path, path: str, what: str) -> None:
    usual = "a folder" if path == ".state" else "a file"
    root = make_vault(tmp_path)
    place = root / path
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    if what == "a folder":
        (place / "推").mkdir(parents=True)
    elif what == "a link":
        place.symlink_to(tmp_path / "away")
    else:
        place.write_text("")
    done = run("--vault", root, "add", "note", "--title", "我的 note", "--body", "b")
    if what == usual:
        done.ok()
        return
    assert done.code == 7
    assert f"{path} is {what}" in done.err
    assert f"git log -- {path}" in done.err
    assert not (tmp_path / "away").exists()
