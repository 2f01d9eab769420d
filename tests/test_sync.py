"""`sync`: two clones and a bare remote, through the command line."""

from __future__ import annotations

from pathlib import Path

from helpers import fsck, git
from sync_helpers import note, share

TEXT = "# Title\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n"


def test_edits_of_different_lines_and_keys_are_joined(tmp_path: Path) -> None:
    both = share(tmp_path, {"memories/x.md": note("f-0000001", body=TEXT, topics="[a]")})
    both["a"].write({"memories/x.md": note("f-0000001", body=TEXT.replace("One.", "One, said a."), topics="[a, p]", importance="7")})
    both["b"].write({"memories/x.md": note("f-0000001", body=TEXT.replace("Four.", "四，b 说。"), topics="[a, q]", boundary="only b")})
    assert both["a"].sync().code == 0
    done = both["b"].sync("--json") if False else both["b"].run("--json", "sync", "--yes")
    assert done.code == 0, done
    assert done.data["kind"] == "merge"
    assert done.data["pushed"] is True
    assert [item["code"] for item in done.data["decisions"]] == ["merged"]
    both.settle()
    text = both["a"].read("memories/x.md")
    for part in ("One, said a.", "四，b 说。", "importance: 7", "boundary: only b", "[a, p, q]"):
        assert part in text
    assert both["a"].files() == both["b"].files()
    assert fsck(both["a"].root) == []
    message = git(both["b"].root, "log", "-1", "--min-parents=2", "--format=%B")
    assert "memories/x.md: both sides joined" in message
    assert "Vault-Op: sync" in message
    assert "Vault-Id: f-0000001" in message


def test_the_same_line_becomes_a_conflict_record(tmp_path: Path) -> None:
    both = share(tmp_path, {"memories/x.md": note("f-0000001", body=TEXT)})
    both["a"].write({"memories/x.md": note("f-0000001", body=TEXT.replace("Two.", "Two by a."))})
    both["b"].write({"memories/x.md": note("f-0000001", body=TEXT.replace("Two.", "Two by b."))})
    assert both["a"].sync().code == 0
    done = both["b"].run("--json", "sync", "--yes")
    assert done.code == 1, done
    both["a"].sync()
    assert both["a"].files() == both["b"].files()
    text = "".join(data.decode() for path, data in both["a"].files().items() if path.endswith(".md"))
    assert "<<<<<<<" not in text
    assert "Two by a." in text
    assert "Two by b." in text
    block = both["a"].run("render").out
    assert "Two by" not in block
