"""What `sync` brings in waits as the person's trust settings say, and is never taken for their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from sync_helpers import Machine, Shared, note, share

X = "memories/x.md"
TEXT = "# Title\n\nOne.\n\nTwo.\n\nThree.\n"


def setup(tmp_path: Path, files: Mapping[str, str]) -> tuple[Shared, Machine]:
    """Two clones; the second lets what others put in force wait for a review."""
    both = share(tmp_path, files)
    config = tmp_path / "b.toml"
    config.write_text('[trust]\nincoming = "review"\napprove_without_terminal = ["person"]\n')
    careful = both["b"]
    careful.more = {"MVAULT_CONFIG": str(config)}
    assert careful.run("trust", "--yes").code == 0
    return both, careful


def test_what_comes_in_waits(tmp_path: Path) -> None:
    both, careful = setup(tmp_path, {X: note("f-0000001", body=TEXT)})
    both["a"].write({X: note("f-0000001", body=TEXT.replace("Two.", "Two, by a stranger."))})
    both["a"].write({"memories/y.md": note("f-0000002", "New", "New by a stranger.\n")})
    assert both["a"].sync().code == 0
    assert careful.sync().code == 0
    assert "stranger" in careful.read(X)
    block = careful.run("render").out
    assert "stranger" not in block
    assert "Two." in block


def test_own_edits_count_after_a_sync(tmp_path: Path) -> None:
    both, careful = setup(
        tmp_path,
        {X: note("f-0000001", body=TEXT), "memories/y.md": note("f-0000002", "Y", "Why.\n")},
    )
    careful.write({X: note("f-0000001", body=TEXT.replace("Two.", "Two, my own edit."))})
    assert "my own edit" in careful.run("render").out
    both["a"].write({"memories/y.md": note("f-0000002", "Y", "Why, said a stranger.\n")})
    assert both["a"].sync().code == 0
    assert careful.sync().code == 0
    block = careful.run("render").out
    assert "my own edit" in block
    assert "stranger" not in block


def test_a_merge_does_not_launder(tmp_path: Path) -> None:
    both, careful = setup(tmp_path, {X: note("f-0000001", body=TEXT)})
    careful.write({X: note("f-0000001", body=TEXT.replace("Three.", "Three, my own edit."))})
    both["a"].write({X: note("f-0000001", body=TEXT.replace("One.", "One, by a stranger."))})
    assert both["a"].sync().code == 0
    assert careful.sync().code == 0
    text = careful.read(X)
    assert "stranger" in text
    assert "my own edit" in text
    block = careful.run("render").out
    assert "stranger" not in block
    assert "my own edit" in block  # what was admitted here goes on
    # nor does a second sync, or a later edit of another line
    assert careful.sync().code == 0
    assert "stranger" not in careful.run("render").out
    assert careful.run("edit", "f-0000001", "--set", "importance=3", "--yes").code == 0
    assert "stranger" not in careful.run("render").out


def test_a_conflict_takes_nothing_out_of_force_before_a_review(tmp_path: Path) -> None:
    both, careful = setup(tmp_path, {X: note("f-0000001", body=TEXT)})
    careful.write({X: note("f-0000001", body=TEXT.replace("Two.", "Two, mine."))})
    both["a"].write({X: note("f-0000001", body=TEXT.replace("Two.", "Two, by a stranger."))})
    assert both["a"].sync().code == 0
    assert careful.sync().code == 1
    block = careful.run("render").out
    assert "stranger" not in block
    assert "Two, mine." in block


def test_waiting_text_is_not_admitted_by_the_commit_of_own_edits(tmp_path: Path) -> None:
    both, careful = setup(tmp_path, {X: note("f-0000001", body=TEXT)})
    both["a"].write({X: note("f-0000001", body=TEXT.replace("One.", "One, by a stranger."))})
    assert both["a"].sync().code == 0
    assert careful.sync().code == 0
    # the person edits the waiting file by hand without a review, and syncs
    careful.write({X: careful.read(X).replace("Three.", "Three, mine.")})
    assert careful.sync().code == 0
    assert "stranger" not in careful.run("render").out


@pytest.mark.parametrize("status", ["active", "verified"])
def test_a_pushed_draft_does_not_come_into_force(tmp_path: Path, status: str) -> None:
    both, careful = setup(tmp_path, {X: note("f-0000001", body=TEXT)})
    both["a"].write({"memories/e.md": note("f-0000003", "Evil", "Evil text.\n", status=status)})
    both["a"].sync()
    careful.sync()
    assert "Evil text" not in careful.run("render").out
