"""`bisect` on the command line: by hand, by a program, after a stop; against a linear walk."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import commit_all, git, head, make_vault, run, run_real, snapshot_bytes, write_files


def note(key: str, text: str = "正文", status: str = "active", **keys: str) -> str:
    more = "".join(f"{name}: {value}\n" for name, value in keys.items())
    head = f"id: {key}\nkind: lesson\nstatus: {status}\ntitle: 标题 {key}\n{more}"
    return f"---\n{head}---\n{text} {key}\n"


def bisect(root: Path, *argv: str, code: int = 0, cwd: Path | None = None) -> Any:
    result = run("--vault", root, "--json", "bisect", *argv, cwd=cwd)
    assert result.code == code, result.text
    return result.data


def program(tmp_path: Path, body: str) -> tuple[str, str]:
    """A program that judges: Python, with the block as `block` and what it saw in `log`."""
    file = tmp_path / "judge.py"
    start = (
        "import os, sys\nblock = sys.stdin.buffer.read().decode()\n"
        f"log = open({str(tmp_path / 'seen')!r}, 'a')\n"
        "assert open(os.environ['MVAULT_BLOCK'], encoding='utf-8').read() == block\n"
        "log.write(os.environ['MVAULT_COMMIT'] + '\\n')\n"
    )
    file.write_text(start + body)
    return sys.executable, str(file)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault of ten commits: eight notes one by one, after an unrelated commit."""
    root = make_vault(tmp_path)
    for n in range(8):
        write_files(root, {f"memories/{n}.md": note(f"l-note{n}", "正文 text")})
        commit_all(root, f"note {n} 记录")
    return root


def commit_of(root: Path, subject: str) -> str:
    return git(root, "log", "--format=%H", "--fixed-strings", f"--grep={subject}")


def start_of(root: Path) -> str:
    return git(root, "rev-list", "--max-parents=0", "HEAD")


def test_by_hand_each_block_is_shown_and_the_commit_is_found(vault: Path) -> None:
    before = head(vault), git(vault, "status", "--porcelain"), snapshot_bytes(vault)
    assert bisect(vault, "start")["state"] == "waiting"
    assert bisect(vault, "bad")["state"] == "waiting"
    data = bisect(vault, "good", start_of(vault))
    seen = 0
    while data["state"] == "asking":
        seen += 1
        shown = run("--vault", vault, "render", "--known-at", data["commit"]["commit"]).ok().out
        assert data["block"] == shown
        data = bisect(vault, "bad" if "l-note5" in shown else "good")
    assert seen <= 3
    found = data["found"]
    assert found["commit"] == commit_of(vault, "note 5")
    assert found["author"] == "Test Person <person@example.invalid>"
    (entry,) = found["diff"]["entries"]
    assert (entry["change"], entry["id"], entry["title"]) == ("added", "l-note5", "标题 l-note5")
    assert any(line.startswith("+- [l-note5]") for line in found["diff"]["lines"])
    out = run("--vault", vault, "bisect").ok()
    assert f"{found['commit'][:10]} is the first bad commit" in out.out
    assert "note 5 记录" in out.out
    assert found["undo"] == f"mvault undo {found['commit'][:10]}"
    assert found["undo"] in out.err
    assert (head(vault), git(vault, "status", "--porcelain"), snapshot_bytes(vault)) == before
    verdicts = bisect(vault, "log")["verdicts"]
    assert [item["verdict"] for item in verdicts[:2]] == ["bad", "good"]
    assert "note 3 记录" in run("--vault", vault, "bisect", "log").ok().out
    run("--vault", vault, *found["undo"].split()[1:], "--yes").ok()
    assert "l-note5" not in run("--vault", vault, "render").ok().out
    assert bisect(vault, "reset")["reset"] is True
    assert bisect(vault, "reset")["reset"] is False
    assert run("--vault", vault, "bisect").code == 6


def test_what_cannot_be_judged_is_left_out_and_said(vault: Path) -> None:
    run("--vault", vault, "bisect", "start", "HEAD", start_of(vault)).ok()
    first = bisect(vault)["commit"]["commit"]
    run("--vault", vault, "bisect", "skip").ok()
    second = bisect(vault)["commit"]["commit"]
    assert second != first
    run("--vault", vault, "bisect", "bad").ok()
    given = {item["commit"]: item["verdict"] for item in bisect(vault, "log")["verdicts"]}
    assert (given[first], given[second]) == ("skip", "bad")


def test_a_program_judges_and_goes_on_after_a_stop(vault: Path, tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    stop.write_text("")
    body = (
        f"if os.path.exists({str(stop)!r}) and log.tell() > 60: sys.exit(130 + 10)\n"
        "sys.exit('l-note2' in block)\n"
    )
    judge = program(tmp_path, body)
    bisect(vault, "start", "HEAD", start_of(vault))
    result = run("--vault", vault, "bisect", "run", "--yes", "--", *judge)
    assert result.code == 7
    assert "ended with 140" in result.err
    first = (tmp_path / "seen").read_text().split()
    assert len(first) == 2
    asked = bisect(vault)
    assert (asked["state"], asked["commit"]["commit"]) == ("asking", first[-1])
    stop.unlink()
    found = bisect(vault, "run", "--yes", "--", *judge)["found"]
    assert found["commit"] == commit_of(vault, "note 2")
    seen = (tmp_path / "seen").read_text().split()
    assert seen[1] == seen[2]
    assert len(set(seen)) == len(seen) - 1


def test_a_killed_run_goes_on_where_it_was(vault: Path, tmp_path: Path) -> None:
    once = tmp_path / "once"
    body = (
        f"if log.tell() > 60 and not os.path.exists({str(once)!r}):\n"
        f"    open({str(once)!r}, 'w').close()\n    log.flush()\n    os.kill(os.getppid(), 9)\n"
        "sys.exit('l-note6' in block)\n"
    )
    judge = program(tmp_path, body)
    bisect(vault, "start", "HEAD", start_of(vault))
    killed = run_real("--vault", vault, "bisect", "run", "--yes", "--", *judge)
    assert killed.code == -9
    assert len(bisect(vault, "log")["verdicts"]) == 3
    assert bisect(vault, "run", "--yes", "--", *judge)["found"]["commit"] == commit_of(
        vault, "note 6"
    )
    seen = (tmp_path / "seen").read_text().split()
    assert seen[1] == seen[2]
    assert len(set(seen)) == len(seen) - 1


@pytest.mark.parametrize(
    ("judge", "found"),
    [
        (["grep", "-q", "l-note3"], None),
        (["sh", "-c", '! grep -q l-note3 "$1"', "judge", "{}"], "note 3"),
        (["sh", "-c", "grep -q l-note6 && exit 124; exit 0"], "note 6"),
        (["sh", "-c", "grep -q l-note6 && exit 127; exit 0"], "note 6"),
    ],
)
def test_exit_codes_of_the_program(vault: Path, judge: list[str], found: str | None) -> None:
    bisect(vault, "start", "HEAD", start_of(vault))
    data = bisect(vault, "run", "--yes", *judge)
    # `grep -q X` says good where X is there: the newest commit without it is the bad one
    wanted = found or "note 7"
    assert data["found"]["commit"] == commit_of(vault, wanted)


def test_a_program_that_cannot_run_judges_nothing(vault: Path, tmp_path: Path) -> None:
    bisect(vault, "start", "HEAD", start_of(vault))
    before = bisect(vault, "log")
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for command in (
        ["no-such-program"],
        [str(plain)],
        ["sh", "-c", "no-such-program"],
        ["sh", "-c", "kill -9 $$"],
    ):
        result = run("--vault", vault, "bisect", "run", "--yes", "--", *command)
        assert result.code in {2, 7}, command
        assert "Traceback" not in result.err
        assert bisect(vault, "log") == before
    assert run("--vault", vault, "bisect", "run").code == 2
    result = run("--vault", vault, "bisect", "run", "--yes", "--", "sh", "-c", "kill -INT $$")
    assert result.code == 130
    assert bisect(vault, "log") == before


def test_skipped_commits_are_gone_around_or_named_at_the_end(vault: Path, tmp_path: Path) -> None:
    judge = program(
        tmp_path, "sys.exit(125 if block.count('l-note') == 4 else 'l-note6' in block)\n"
    )
    bisect(vault, "start", "HEAD", start_of(vault))
    assert bisect(vault, "run", "--yes", "--", *judge)["found"]["commit"] == commit_of(
        vault, "note 6"
    )
    bisect(vault, "reset")
    bisect(vault, "start", "HEAD", start_of(vault))
    odd = program(
        tmp_path, "n = block.count('- [l-note')\nsys.exit(125 if 3 <= n <= 5 else n > 3)\n"
    )
    data = bisect(vault, "run", "--yes", "--", *odd, code=1)
    assert data["state"] == "undecided"
    wanted = {commit_of(vault, f"note {n}") for n in (2, 3, 4, 5)}
    assert {item["commit"] for item in data["open"]} == wanted
    out = run("--vault", vault, "bisect")
    assert out.code == 1
    assert "note 4 记录" in out.out


def test_commits_that_leave_the_block_as_it_is_are_never_asked_about(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"memories/1.md": note("l-note1")})
    good = head(root)
    for n in range(12):
        write_files(
            root, {f"drafts/{n}.md": note(f"l-draft{n}", status="candidate"), "x.txt": f"{n}"}
        )
        commit_all(root, f"draft {n}")
        if n == 5:
            write_files(root, {"memories/2.md": note("l-note2")})
            commit_all(root, "the bad one")
    data = bisect(root, "start", "HEAD", good)
    assert data["state"] == "found"
    assert data["found"]["subject"] == "the bad one"
    assert {item["same_block"] for item in bisect(root, "log")["verdicts"][2:]} == {True}


def test_what_cannot_be_is_refused(vault: Path) -> None:
    start, newest = start_of(vault), head(vault)
    assert run("--vault", vault, "bisect", "good").code == 6
    assert run("--vault", vault, "bisect", "start", "no-such", start).code == 6
    assert run("--vault", vault, "bisect", "start", start, newest).code == 2
    assert run("--vault", vault, "bisect", "start", newest, newest).code == 2
    same = run("--vault", vault, "bisect", "start", newest, start, "--kind", "rule")
    assert same.code == 2
    assert "the same block" in same.err
    assert run("--vault", vault, "bisect").code == 6
    assert run("--vault", vault, "bisect", "start", "--scope", "no").code == 2
    bisect(vault, "start", "HEAD~1", start)
    assert run("--vault", vault, "bisect", "start").code == 4
    for argv in (("bad", newest), ("good", newest), ("skip", newest), ("good", "HEAD~1")):
        assert run("--vault", vault, "bisect", *argv).code == 2, argv


def test_dry_runs_and_a_state_from_elsewhere_change_nothing(vault: Path) -> None:
    place = vault / ".state" / "bisect.json"
    run("--vault", vault, "--dry-run", "bisect", "start", "HEAD", start_of(vault)).ok()
    assert not place.exists()
    bisect(vault, "start", "HEAD", start_of(vault))
    whole = place.read_text()
    run("--vault", vault, "--dry-run", "bisect", "good").ok()
    run("--vault", vault, "--dry-run", "bisect", "run", "--", "false").ok()
    run("--vault", vault, "--dry-run", "bisect", "reset").ok()
    assert place.read_text() == whole
    for bad in (whole[:50], "{}", whole.replace('"bad"', '"good"'), ""):
        place.write_text(bad)
        assert run("--vault", vault, "bisect").code == 6
    bisect(vault, "start", "HEAD", start_of(vault))


def test_a_vault_inside_a_repository_looks_at_its_own_folder(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    top.mkdir()
    git(top, "init", "-q")
    write_files(top, {"code.py": "0"})
    first = commit_all(top, "code")
    root = top / "记忆 memory"
    run("init", root, "--in-repo", cwd=top).ok()
    write_files(root, {"memories/1.md": note("l-note1")})
    commit_all(top, "note 1")
    for n in range(6):
        write_files(top, {"code.py": f"code {n}"})
        commit_all(top, f"code {n}")
    write_files(root, {"memories/2.md": note("l-note2")})
    wanted = commit_all(top, "note 2")
    write_files(top, {"code.py": "end"})
    commit_all(top, "the end")
    data = bisect(root, "start", "HEAD", first)
    while data["state"] == "asking":
        data = bisect(root, "bad" if "l-note2" in data["block"] else "good")
    assert data["found"]["commit"] == wanted


def test_a_secret_in_the_query_is_not_kept(vault: Path) -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    assert run("--vault", vault, "bisect", "start", "--query", f"with {key}").code == 2
    assert not (vault / ".state" / "bisect.json").exists()


def change_at_random(root: Path, chance: random.Random, number: int) -> None:
    """Approve, revise, expire, take back, edit or merge something."""
    names = sorted(path.name for path in (root / "memories").glob("*.md"))
    name = chance.choice(names)
    key = f"l-note{name[:-3]}"
    what = chance.choice(["new", "revise", "expire", "undo", "deprecate", "edit", "merge", "draft"])
    branch = git(root, "branch", "--show-current")
    if what == "draft":
        run("--vault", root, "add", "fact", "--title", f"草稿 {number}", "--body", f"b {number}")
    elif what == "revise":
        new = run("--vault", root, "--json", "revise", key, "--set", f"title=新 {number}")
        for id_ in new.data["ids"] if new.code == 0 else ():
            run("--vault", root, "approve", id_, "--yes")
    elif what == "expire":
        run("--vault", root, "edit", key, "--set", "valid_to=2026-11-01", "--yes")
    elif what == "undo":
        run("--vault", root, "undo", "--yes")
    elif what == "deprecate":
        run("--vault", root, "deprecate", key, "--reason", "old", "--yes")
    elif what == "edit":
        (root / "memories" / name).write_text(note(key, f"改 {number}"))
        commit_all(root, f"edit {number}")
    else:
        write_files(root, {f"memories/9{number}.md": note(f"l-note9{number}", f"新 {number}")})
        commit_all(root, f"new {number}")
    if what == "merge":
        git(root, "checkout", "-q", "-b", f"side{number}", "HEAD~1")
        write_files(root, {f"memories/8{number}.md": note(f"l-note8{number}", "侧 side")})
        commit_all(root, f"side {number}")
        git(root, "checkout", "-q", branch)
        git(root, "merge", "-q", "--no-edit", f"side{number}")


@pytest.mark.parametrize("seed", range(4))
def test_on_random_histories_it_finds_what_a_walk_finds(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = make_vault(tmp_path, {f"memories/{n}.md": note(f"l-note{n}") for n in range(4)})
    good = head(root)
    for number in range(7):
        change_at_random(root, chance, number)
    order = git(root, "rev-list", "--topo-order", "--reverse", f"{good}..HEAD").split()
    blocks = {
        commit: run("--vault", root, "render", "--known-at", commit).ok().out
        for commit in (good, *order)
    }
    bad_from = next(n for n, commit in enumerate(order) if blocks[commit] != blocks[good])
    bad_from = chance.randrange(bad_from, len(order))
    # what came with that commit is bad, and so is all that holds it
    lines = set(blocks[order[bad_from]].splitlines()) ^ set(blocks[good].splitlines())
    line = chance.choice(sorted(lines))
    there = line in blocks[order[bad_from]].splitlines()

    def is_bad(commit: str) -> bool:
        return (line in blocks[commit].splitlines()) == there

    end = next(commit for commit in reversed(order) if is_bad(commit))
    data = bisect(root, "start", end, good)
    while data["state"] == "asking":
        assert data["block"] == blocks[data["commit"]["commit"]]
        data = bisect(root, "bad" if is_bad(data["commit"]["commit"]) else "good")
    found = data["found"]["commit"]
    parents = git(root, "rev-list", "--parents", "-n", "1", found).split()[1:]
    assert is_bad(found)
    assert not any(is_bad(parent) for parent in parents)
    reached = git(root, "rev-list", "--topo-order", "--reverse", f"{good}..{end}").split()
    firsts = [c for c in reached if is_bad(c) and not any(
        is_bad(p) for p in git(root, "rev-list", "--parents", "-n", "1", c).split()[1:])]  # fmt: skip
    if len(firsts) == 1:
        assert firsts == [found]


@pytest.mark.parametrize("what", ["link", "folder", "file"])
def test_a_reset_touches_nothing_outside_of_the_vault(
    vault: Path, tmp_path: Path, what: str
) -> None:
    state = vault / ".state"
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "bisect.json").write_text("mine")
    shutil.rmtree(state, ignore_errors=True)
    if what == "link":
        state.symlink_to(outside)
    elif what == "folder":
        (state / "bisect.json").mkdir(parents=True)
    else:
        state.write_text("a file")
    for words in (("bisect", "reset"), ("bisect",), ("bisect", "log")):
        done = run("--vault", vault, *words)
        assert done.code in {0, 6, 7}, done.text
        assert "defect" not in done.text
    assert (outside / "bisect.json").read_text() == "mine"


def test_a_program_is_started_for_a_person_only(vault: Path, tmp_path: Path) -> None:
    bisect(vault, "start", "HEAD", start_of(vault))
    sign = tmp_path / "started"
    argv = ("bisect", "run", "--", "touch", str(sign))
    for env in ({"MVAULT_ACTOR": "agent"}, {}):
        refused = run("--vault", vault, *argv, env=env)
        assert refused.code == 3, refused.text
        assert "takes a person" in refused.err
    assert run("--vault", vault, "bisect", "run", "--yes", "--", "touch", str(sign),
               env={"MVAULT_ACTOR": "agent"}).code == 3  # fmt: skip
    assert not sign.exists()
