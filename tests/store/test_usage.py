"""Files of observations: appended whole, read whatever is in them, the same from a cache."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from helpers import PROJECT, commit_all, git, make_vault

from vault_cli.errors import StoreError
from vault_cli.model.observation import (
    AGENT,
    EXPOSURE,
    HARMFUL,
    HELPFUL,
    HIT,
    WATERMARK,
    Observation,
    write_line,
)
from vault_cli.model.sums import fold
from vault_cli.store import usage_cache as tallies_module
from vault_cli.store import usage_log as log_module
from vault_cli.store.own_usage import append_lines, machine_id, new_key, own_path, put_back
from vault_cli.store.places import state_folder
from vault_cli.store.usage_cache import load_sums
from vault_cli.store.usage_log import read_usage

DAY = date(2026, 11, 30)
AT = "2026-11-30T10:00:00Z"


def hit(record_id: str = "l-1", kind: str = HIT) -> Observation:
    return Observation(kind, AT, new_key(), (record_id,))


def mark() -> Observation:
    return Observation(WATERMARK, AT, new_key())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "vault"
    (place / ".state").mkdir(parents=True)
    return place


def test_each_place_has_a_writer_of_its_own_that_names_nobody(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = machine_id(root)
    assert own == machine_id(root)
    assert os.uname().nodename.lower() not in own
    assert machine_id(tmp_path) != own
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "other machine"))
    assert machine_id(root) != own


def test_without_a_state_folder_nothing_is_written(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "file"))
    with pytest.raises(StoreError, match="state folder"):
        append_lines(root, [hit()])
    assert not (root / "usage").exists()


def test_a_torn_last_line_is_passed_over_and_said_and_what_stands_around_it_counts(
    root: Path,
) -> None:
    path = root / append_lines(root, [hit(), hit()])
    whole = path.read_bytes()
    for copy in (path, state_folder() / path.relative_to(root)):
        copy.write_bytes(whole[:-10])
    log = read_usage(root, DAY)
    assert len(log.pool) == 1
    assert [(found.code, found.line) for found in log.findings] == [("usage-torn", 2)]
    append_lines(root, [hit()])
    log = read_usage(root, DAY)
    assert len(log.pool) == 2
    assert [(found.code, found.line) for found in log.findings] == [("usage-line", 2)]
    assert path.read_bytes().startswith(whole[:-10] + b"\n")


def test_a_line_that_stands_twice_counts_once(root: Path) -> None:
    said = [hit(), hit()]
    path = root / append_lines(root, said)
    shutil.copy(path, root / "usage" / "another-machine.jsonl")
    path.write_bytes(path.read_bytes() * 3)
    assert fold(read_usage(root, DAY).pool, DAY).tallies["l-1"].hits == 2
    assert load_sums(root, DAY).tallies["l-1"].hits == 2


def test_hostile_files_are_bounded_and_hide_no_other(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_lines(root, [hit()])
    folder = root / "usage"
    (folder / "long-line.jsonl").write_bytes(b"x" * (10 << 20) + b"\n" + write_line(hit()))
    (folder / "binary.jsonl").write_bytes(os.urandom(5000) + b"\n" + write_line(hit()))
    (folder / "many-bad.jsonl").write_bytes((b"{" + b"x" * 80 + b"}\n") * 5000 + write_line(hit()))
    (folder / "link.jsonl").symlink_to("/etc/passwd")
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "Conflicted Copy.jsonl").write_bytes(write_line(hit()))
    log = read_usage(root, DAY)
    assert fold(log.pool, DAY).tallies["l-1"].hits == 4
    assert load_sums(root, DAY).tallies["l-1"].hits == 4
    by_path: dict[str, int] = {}
    for found in log.findings:
        assert found.severity in {"warning", "note"}
        by_path[found.path] = by_path.get(found.path, 0) + 1
    assert {Path(path).name for path in by_path} == {
        "long-line.jsonl",
        "binary.jsonl",
        "many-bad.jsonl",
        "link.jsonl",
        "folder.jsonl",
        "pipe.jsonl",
        "Conflicted Copy.jsonl",
    }
    assert by_path["usage/many-bad.jsonl"] == 21


def test_a_file_over_the_limit_counts_up_to_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_lines(root, [hit() for _ in range(10)])
    monkeypatch.setattr(log_module, "MAX_USAGE", 250)
    log = read_usage(root, DAY)
    assert 0 < len(log.pool) < 10
    assert [found.code for found in log.findings] == ["usage-file"]


_WRITER = """
import sys
from pathlib import Path
from vault_cli.model.observation import Observation
from vault_cli.store.own_usage import append_lines, new_key
n = 0
while True:
    append_lines(Path(sys.argv[1]), [Observation("hit", "2026-11-30T10:00:00Z", new_key(), ("l-1",))])
    n += 1
    print(n, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(root: Path) -> None:
    for _ in range(3):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", _WRITER, str(root)],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": str(PROJECT)},
            )
            for _ in range(2)
        ]
        for writer in writers:
            assert writer.stdout is not None
            for _ in range(20):
                writer.stdout.readline()
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            writer.communicate()
    log = read_usage(root, DAY)
    assert len(log.pool) >= 3 * 2 * 20
    assert {found.code for found in log.findings} <= {"usage-torn", "usage-line", "usage-own"}
    put_back(root, datetime(2026, 11, 30, tzinfo=UTC))
    codes = {found.code for found in read_usage(root, DAY).findings}
    assert codes <= {"usage-torn", "usage-line"}, "what stood in one copy only is in both"


# the cache


def test_a_cached_sum_equals_one_read_anew_over_random_edits(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tallies_module, "_TICK_NS", 0)
    dice = random.Random(7)
    folder = root / "usage"
    folder.mkdir()
    for step in range(120):
        path = folder / f"machine-{dice.randrange(3)}.jsonl"
        old = path.read_bytes() if path.exists() else b""
        lines = old.splitlines(keepends=True)
        fresh = b"".join(
            write_line(
                dice.choice(
                    [
                        hit(f"l-{dice.randrange(5)}", dice.choice([HIT, HELPFUL, HARMFUL])),
                        Observation(
                            EXPOSURE, AT, new_key(), ("l-1",), AGENT, "s", f"r{dice.randrange(3)}"
                        ),
                        mark(),
                    ]
                )
            )
            for _ in range(dice.randrange(1, 4))
        )
        action = dice.randrange(8)
        if action < 4:
            path.write_bytes(old + fresh)
        elif action == 4 and lines:
            dice.shuffle(lines)
            path.write_bytes(b"".join(lines))
        elif action == 5 and lines:
            path.write_bytes(b"".join(lines[1:]))
        elif action == 6:
            path.write_bytes(old + b'{"torn')
        elif path.exists():
            path.unlink()
        pool = read_usage(root, DAY).pool
        for settled in dice.sample([False, True], 2):
            cached, anew = load_sums(root, DAY, settled=settled), fold(pool, DAY, settled=settled)
            if settled:
                assert cached == anew, step
            else:  # exposures may wait for the next use
                assert {k: v[1:] for k, v in cached.tallies.items() if any(v[1:7])} == {
                    k: v[1:] for k, v in anew.tallies.items() if any(v[1:7])
                }, step
                assert cached.claims == anew.claims


def test_an_edit_of_the_same_size_at_once_is_seen(root: Path) -> None:
    path = root / "usage" / "teammate.jsonl"
    path.parent.mkdir()
    path.write_bytes(write_line(hit("l-1")))
    assert set(load_sums(root, DAY).tallies) == {"l-1"}
    facts = path.stat()
    path.write_bytes(path.read_bytes().replace(b"l-1", b"l-2"))
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert set(load_sums(root, DAY).tallies) == {"l-2"}


def test_a_cache_that_came_with_a_folder_is_not_believed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / append_lines(root, [hit() for _ in range(50)])
    load_sums(root, DAY)
    path.write_bytes(write_line(hit("l-2")))
    old = time.time() - 3600
    os.utime(path, (old, old))
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "elsewhere"))
    assert set(load_sums(root, DAY).tallies) == {"l-2"}
    for name in ("usage-sums", "usage-pool"):
        (root / ".state" / name).write_bytes(os.urandom(100))
    assert set(load_sums(root, DAY).tallies) == {"l-2"}


def test_below_the_watermark_no_line_is_read_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_lines(root, [hit(), mark()])
    before = load_sums(root, DAY, settled=True)
    append_lines(root, [hit() for _ in range(5)])
    monkeypatch.setattr(tallies_module, "parse_lines", lambda *_: pytest.fail("read again"))
    assert load_sums(root, DAY, settled=True) == before


def test_a_read_only_vault_has_its_sums(root: Path) -> None:
    append_lines(root, [hit()])
    (root / ".state").rmdir()
    root.chmod(0o555)
    try:
        assert load_sums(root, DAY).tallies["l-1"].hits == 1
    finally:
        root.chmod(0o755)


def test_two_machines_and_two_branches_never_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = make_vault(tmp_path)
    two = tmp_path / "two"
    git(tmp_path, "clone", "--quiet", str(one), str(two))
    append_lines(one, [hit(), hit()])
    commit_all(one)
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "second machine"))
    append_lines(two, [hit()])
    commit_all(two)
    git(two, "checkout", "--quiet", "-b", "side", "HEAD~1")
    append_lines(two, [hit()])
    commit_all(two)
    git(two, "checkout", "--quiet", "-")
    append_lines(two, [hit()])
    commit_all(two)
    git(two, "merge", "--quiet", "--no-edit", "side")
    git(two, "pull", "--quiet", "--no-rebase", "--no-edit")
    log = read_usage(two, DAY)
    assert log.findings == ()
    assert fold(log.pool, DAY).tallies["l-1"].hits == 5
    assert own_path(two) != own_path(one)
