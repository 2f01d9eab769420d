"""The spool is taken in at least once, and removed only after everyone has taken it in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from vault_cli.errors import StoreError
from vault_cli.hook import spool as writer
from vault_cli.hook.frames import Frame
from vault_cli.store.spool import digest_of, fold, look


def put(state: Path, *texts: str) -> None:
    for number, text in enumerate(texts):
        writer.append(str(state), (1796040000 + number, "codex", "prompt"), text.encode())


def test_every_frame_is_handed_to_everyone_and_the_file_goes(tmp_path: Path) -> None:
    put(tmp_path, "一", "two")
    one: list[Frame] = []
    other: list[Frame] = []
    assert look(tmp_path).files == 1
    done = fold(tmp_path, [one.extend, other.extend])
    assert (done.files, done.frames, done.damaged, done.problems) == (1, 2, 0, ())
    assert [frame.raw.decode() for frame in one] == ["一", "two"]
    assert one == other
    assert look(tmp_path).files == 0
    assert fold(tmp_path, [one.extend]).frames == 0


def test_what_a_taker_refuses_stays_for_the_next_time(tmp_path: Path) -> None:
    put(tmp_path, "one")

    def refuse(_: Sequence[Frame]) -> None:
        raise StoreError("the disk is full")

    with pytest.raises(StoreError):
        fold(tmp_path, [refuse])
    put(tmp_path, "two")
    found: list[Frame] = []
    done = fold(tmp_path, [found.extend])
    assert (done.files, [f.raw for f in found]) == (2, [b"one", b"two"])


def test_damaged_frames_are_counted_and_the_others_kept(tmp_path: Path) -> None:
    put(tmp_path, "one")
    path = tmp_path / "hook" / "spool" / "events.bin"
    with path.open("ab") as file:
        file.write(b"mv1 179 codex prompt 3 00000000\nxyz\nmv1 torn")
    put(tmp_path, "two")
    found: list[Frame] = []
    done = fold(tmp_path, [found.extend])
    assert [f.raw for f in found] == [b"one", b"two"]
    assert done.damaged >= 1


def test_a_frame_that_comes_while_the_file_is_taken_in_is_not_lost(tmp_path: Path) -> None:
    put(tmp_path, "one")
    path = tmp_path / "hook" / "spool" / "events.bin"
    late = os.open(path, os.O_WRONLY | os.O_APPEND)  # a hook that opened it just before
    other = tmp_path / "other"
    put(other, "late")
    frame = (other / "hook" / "spool" / "events.bin").read_bytes()
    found: list[Frame] = []

    def take(frames: Sequence[Frame]) -> None:
        found.extend(frames)
        if len(found) == 1:
            os.write(late, frame)

    done = fold(tmp_path, [take])
    os.close(late)
    assert [f.raw for f in found] == [b"one", b"late"]
    assert done.frames == 2
    assert look(tmp_path).files == 0


def test_the_spare_folder_is_taken_in_too(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "hook").write_text("no folder")
    put(state, "spooled elsewhere")
    assert look(state).spare
    (state / "hook").unlink()
    put(state, "spooled here")
    found: list[Frame] = []
    assert fold(state, [found.extend]).files == 2
    assert {f.raw for f in found} == {b"spooled here", b"spooled elsewhere"}


def test_links_and_other_files_are_left_alone(tmp_path: Path) -> None:
    put(tmp_path, "one")
    folder = tmp_path / "hook" / "spool"
    target = tmp_path / "target.bin"
    target.write_bytes((folder / "events.bin").read_bytes())
    (folder / "events.00000000000000000001.bin").symlink_to(target)
    (folder / "notes.txt").write_text("x")
    found: list[Frame] = []
    fold(tmp_path, [found.extend])
    assert len(found) == 1
    assert target.exists()
    assert (folder / "notes.txt").exists()


def test_a_frame_has_one_name() -> None:
    one = Frame(1, "codex", "prompt", b"x", False)
    assert digest_of(one) == digest_of(Frame(1, "codex", "prompt", b"x", False))
    assert digest_of(one) != digest_of(Frame(2, "codex", "prompt", b"x", False))
    assert digest_of(one) != digest_of(Frame(1, "codex", "prompt", b"y", False))
