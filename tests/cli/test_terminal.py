"""At a terminal: the question before a change, the review dialogue, colour, no escapes."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import PROJECT, commit_count, git, listed, make_vault, run

pty = pytest.importorskip("pty", reason="terminals are tested where Python has pty")

DRAFT = "---\nid: {id}\nkind: note\nstatus: candidate\ntitle: {title}\n---\nText of {id}.\n"


@pytest.fixture(autouse=True)
def _interrupts_arrive() -> Iterator[None]:
    """A shell starts what runs in its background with interrupts ignored, which children inherit."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Terminal:
    """One command at a terminal of its own."""

    def __init__(self, *argv: str | Path, env: dict[str, str] | None = None) -> None:
        self.master, slave = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "vault_cli", *map(str, argv)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(PROJECT), "TERM": "xterm", **(env or {})},
        )
        os.close(slave)

    def read(self, until: str = "", seconds: float = 30) -> str:
        """Read until a text stands in what has not been read yet, or to the end."""
        end = time.monotonic() + seconds
        fresh = ""
        while time.monotonic() < end:
            if not select.select([self.master], [], [], 0.2)[0]:
                if self.process.poll() is not None:
                    break
                continue
            try:
                part = os.read(self.master, 65536)
            except OSError:
                break
            if not part:
                break
            fresh += part.decode("utf-8", "replace")
            if until and until in fresh:
                break
        self.shown += fresh
        assert not until or until in fresh, f"{until!r} did not come:\n{self.shown}"
        return fresh

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self.master, text.encode() + b"\n")

    def end(self) -> int:
        """Read to the end and return the exit code."""
        self.read()
        code = self.process.wait(timeout=30)
        os.close(self.master)
        return code


def drafts_vault(tmp_path: Path, *ids: str) -> Path:
    files = {f"drafts/2026-11/{i}.md": DRAFT.format(id=i, title=f"Draft {i}") for i in ids}
    return make_vault(tmp_path, files)


def test_a_person_is_asked_and_no_keeps_everything(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    before = commit_count(root)
    terminal = Terminal("--vault", root, "approve", "n-1")
    preview = terminal.read("[y/N]")
    assert "status: active" in preview
    terminal.type("n")
    assert terminal.end() == 3
    assert commit_count(root) == before
    assert listed(root)["n-1"]["status"] == "candidate"


def test_a_person_agrees_and_the_trailer_says_so(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    terminal = Terminal("--vault", root, "approve", "n-1")
    preview = terminal.read("[y/N]")
    terminal.type("y")
    assert terminal.end() == 0
    assert listed(root)["n-1"]["status"] == "active"
    body = git(root, "log", "-1", "--format=%B")
    assert "Vault-Approval: terminal" in body
    assert "Vault-Actor: person" in body
    # What the preview showed is what the run did.
    shown = {plain(line) for line in preview.splitlines() if plain(line)[:1] in {"+", "-"}}
    done = git(root, "show", "-M50%", "--format=", "--", ".").splitlines()
    assert {line for line in done if line[:1] in {"+", "-"}} <= shown


def plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip()


def test_yes_skips_the_question_at_a_terminal(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    assert Terminal("--vault", root, "approve", "n-1", "--yes").end() == 0
    assert "Vault-Approval: terminal" in git(root, "log", "-1", "--format=%B")


def test_an_agent_at_a_terminal_is_still_an_agent(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    terminal = Terminal("--vault", root, "approve", "n-1", "--yes", env={"MVAULT_ACTOR": "agent"})
    assert terminal.end() == 3
    assert listed(root)["n-1"]["status"] == "candidate"


def test_review_goes_through_the_drafts_one_by_one(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1", "n-2", "n-3", "n-4")
    terminal = Terminal("--vault", root, "review")
    assert "Text of n-1." in terminal.read("(1/4) Draft n-1 [a,e,r,s,d,q,?] ")
    terminal.type("?")
    assert "a - approve" in terminal.read("(1/4) Draft n-1 [a,e,r,s,d,q,?] ")
    terminal.type("d")
    assert "rename to memories/2026-11/n-1.md" in terminal.read("(1/4) Draft n-1 [a,e,r,s,d,q,?] ")
    terminal.type("a")
    terminal.read("(2/4) Draft n-2 [a,e,r,s,d,q,?] ")
    terminal.type("r")
    terminal.read("Why? ")
    terminal.type("")
    assert "a reason is needed" in terminal.read("(2/4) Draft n-2 [a,e,r,s,d,q,?] ")
    terminal.type("r")
    terminal.read("Why? ")
    terminal.type("重复了")
    terminal.read("(3/4) Draft n-3 [a,e,r,s,d,q,?] ")
    terminal.type("s")
    terminal.read("(4/4) Draft n-4 [a,e,r,s,d,q,?] ")
    terminal.type("q")
    assert terminal.end() == 0
    assert "1 approved, 1 rejected, 1 skipped" in terminal.shown
    states = {key: item["status"] for key, item in listed(root).items() if key.startswith("n-")}
    assert states == {"n-1": "active", "n-2": "rejected", "n-3": "candidate", "n-4": "candidate"}
    assert "重复了" in git(root, "log", "-1", "--format=%B")
    assert "Vault-Approval: terminal" in git(root, "log", "-1", "--format=%B")


def test_review_of_what_has_expired(tmp_path: Path) -> None:
    head = "---\nid: {0}\nkind: rule\nstatus: active\ntitle: 规则 {0}\nvalid_to: {1}\n---\nText.\n"
    days = {"r-1": "2026-11-01", "r-2": "2026-11-29", "r-3": "2026-10-10", "r-4": "2026-12-24"}
    root = make_vault(
        tmp_path, {f"playbook/{i}.md": head.format(i, day) for i, day in days.items()}
    )
    told = run("--vault", root, "review", "--expired")
    assert told.code == 3
    assert [line.split()[0] for line in told.out.splitlines()] == ["r-1", "r-2", "r-3"]
    terminal = Terminal("--vault", root, "review", "--expired")
    terminal.read("(1/3) 规则 r-1 [l,d,s,q,?] ")
    terminal.type("l")
    terminal.read("Last day (ISO; `-` for no end)? ")
    terminal.type("2026-11-15")
    assert "is over, too" in terminal.read("(1/3) 规则 r-1 [l,d,s,q,?] ")
    terminal.type("l")
    terminal.read("no end)? ")
    terminal.type("2027-01-31")
    terminal.read("(2/3) 规则 r-2 [l,d,s,q,?] ")
    terminal.type("d")
    terminal.read("Why? ")
    terminal.type("两周已过")
    terminal.read("(3/3) 规则 r-3 [l,d,s,q,?] ")
    terminal.type("s")
    assert terminal.end() == 0
    assert "1 prolonged, 1 deprecated, 1 skipped; 1 expired" in terminal.shown
    assert listed(root)["r-2"]["status"] == "deprecated"
    assert "valid_to: 2027-01-31\n" in (root / "playbook/r-1.md").read_text("utf-8")
    assert "两周已过" in git(root, "log", "-1", "--format=%B")


def test_review_edits_and_asks_again(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    editor = tmp_path / "ed"
    editor.write_text('#!/bin/sh\nsed -i "s/Text of/Better text of/" "$1"\n')
    editor.chmod(0o755)
    terminal = Terminal("--vault", root, "review", env={"EDITOR": str(editor)})
    terminal.read("(1/1) Draft n-1 [a,e,r,s,d,q,?] ")
    terminal.type("e")
    assert "Better text of n-1." in terminal.read("(1/1) Draft n-1 [a,e,r,s,d,q,?] ")
    terminal.type("a")
    assert terminal.end() == 0
    assert "Better text of n-1." in (root / "memories/2026-11/n-1.md").read_text()


def test_review_survives_the_end_of_input(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    terminal = Terminal("--vault", root, "review")
    terminal.read("(1/1) Draft n-1 [a,e,r,s,d,q,?] ")
    os.write(terminal.master, b"\x04")
    assert terminal.end() == 0
    assert "nothing decided" in terminal.shown


def test_interrupt_in_a_question_ends_with_130(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    terminal = Terminal("--vault", root, "approve", "n-1")
    terminal.read("[y/N]")
    time.sleep(0.3)
    terminal.process.send_signal(2)
    assert terminal.end() == 130
    assert "Traceback" not in terminal.shown


def test_a_refused_edit_is_offered_again_at_a_terminal(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    count = tmp_path / "count"
    editor = tmp_path / "ed"
    editor.write_text(
        f'#!/bin/sh\nif [ -e "{count}" ]; then sed -i "s/^title: .*/title: Mended/" "$1"\n'
        f'else : > "{count}"; sed -i "s/^title: .*/title: a: b/" "$1"; fi\n'
    )
    editor.chmod(0o755)
    terminal = Terminal("--vault", root, "edit", "n-1", env={"EDITOR": str(editor)})
    terminal.read("Edit it again?")
    assert "yaml-colon" in terminal.shown
    terminal.type("")
    assert terminal.end() == 0
    assert listed(root)["n-1"]["title"] == "Mended"


def test_init_asks_which_set_up_is_wanted_inside_a_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "project")
    terminal = Terminal("init", tmp_path / "project" / "notes")
    terminal.read("[own/in]")
    terminal.type("in")
    assert terminal.end() == 0
    assert not (tmp_path / "project" / "notes" / ".git").exists()
    assert (tmp_path / "project" / "notes" / "vault.toml").exists()


HOSTILE = (
    '---\nid: n-9\nkind: note\nstatus: active\ntitle: "ok"\n---\n'
    "clear \x1b[2J title \x1b]0;owned\x07 back\x08space c1 \x9b31m bidi \u202e end\n"
)


@pytest.mark.parametrize("argv", [["list"], ["show", "n-9"], ["check"], ["status"], ["render"]])
def test_reading_a_hostile_vault_sends_no_control_character(
    tmp_path: Path, argv: list[str]
) -> None:
    root = make_vault(tmp_path, {"n-9.md": HOSTILE})
    terminal = Terminal("--vault", root, "--no-color", *argv)
    assert terminal.end() in (0, 1, 6)
    bad = [
        c for c in terminal.shown if (ord(c) < 32 and c not in "\n\t\r") or 0x7F <= ord(c) < 0xA0
    ]
    assert bad == []
    assert "\u202e" not in terminal.shown


def test_colour_at_a_terminal_only(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    coloured = Terminal("--vault", root, "list")
    assert coloured.end() == 0
    assert "\x1b[33m" in coloured.shown
    quiet = Terminal("--vault", root, "list", env={"NO_COLOR": "1"})
    quiet.end()
    assert "\x1b" not in quiet.shown
    assert "\x1b" not in run("--vault", root, "list").ok().out
    assert "\x1b[33m" in run("--vault", root, "list", "--color").ok().out


def test_no_leaves_everything_as_it_was_and_is_no_error(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    terminal = Terminal("--vault", root, "approve", "n-1")
    terminal.read("[y/N]")
    terminal.type("n")
    assert terminal.end() == 3
    assert "left as it was" in terminal.shown
    assert "error" not in terminal.shown
    as_data = Terminal("--vault", root, "--json", "approve", "n-1")
    as_data.read("[y/N]")
    as_data.type("不")
    assert as_data.end() == 3
    assert '"applied": false' in as_data.shown
    answer = json.loads(as_data.shown[as_data.shown.index("{") :])
    assert (answer["ok"], answer["error"]["kind"], answer["error"]["exit"]) == (
        False, "needs-person", 3,
    )  # fmt: skip
    assert answer["error"]["message"] == "left as it was"
    assert not answer["data"]["changed"]


@pytest.mark.parametrize("key", ["ctrl-c", "ctrl-d"])
def test_control_keys_in_a_question_end_the_line_and_say_what_stays(
    tmp_path: Path, key: str
) -> None:
    root = drafts_vault(tmp_path, "n-1")
    for argv, words in (
        (["approve", "n-1"], "left as it was"),
        (["review"], "nothing decided; 1 draft left as it was"),
    ):
        terminal = Terminal("--vault", root, *argv)
        terminal.read("] ")
        time.sleep(0.3)
        if key == "ctrl-c":
            terminal.process.send_signal(2)
        else:
            os.write(terminal.master, b"\x04")
        assert terminal.end() == (130 if key == "ctrl-c" else 3 if argv[0] == "approve" else 0)
        assert f"\n{words}" in plain_text(terminal.shown)
    assert listed(root)["n-1"]["status"] == "candidate"


def plain_text(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).replace("\r", "")


def test_approve_shows_each_text_and_finding_once_before_it_asks(tmp_path: Path) -> None:
    rule = "---\nid: {id}\nkind: rule\nstatus: candidate\ntitle: 规则 {id}\ntopics: [发布]\n---\n{id} 的正文。\n"
    files = {f"drafts/{i}.md": rule.format(id=i) for i in ("r-1", "r-2")}
    root = make_vault(tmp_path, files)
    terminal = Terminal("--vault", root, "approve", "r-1", "r-2")
    before = plain_text(terminal.read("[y/N]"))
    for own in ("r-1", "r-2"):
        assert f"规则 {own}" in before
        assert before.count(f"{own} 的正文。") == 1
    assert "发布" in before
    assert before.count("warning missing-part") == 2
    terminal.type("y")
    assert terminal.end() == 0
    assert plain_text(terminal.shown).count("warning missing-part") == 2


def test_review_shows_what_is_missing_and_says_it_once(tmp_path: Path) -> None:
    rule = "---\nid: r-1\nkind: rule\nstatus: candidate\ntitle: 规则\n---\n正文。\n"
    root = make_vault(tmp_path, {"drafts/r-1.md": rule})
    terminal = Terminal("--vault", root, "review")
    assert "warning missing-part" in plain_text(terminal.read("[a,e,r,s,d,q,?] "))
    terminal.type("a")
    assert terminal.end() == 0
    assert plain_text(terminal.shown).count("warning missing-part") == 1
    assert listed(root)["r-1"]["status"] == "active"


@pytest.mark.parametrize("answer", ["\x0c", "", "什么", "approve it"])
def test_an_unknown_answer_in_review_shows_the_help_again(tmp_path: Path, answer: str) -> None:
    root = drafts_vault(tmp_path, "n-1")
    terminal = Terminal("--vault", root, "review", env={"TERM": "dumb"})
    terminal.read("(1/1) Draft n-1 [a,e,r,s,d,q,?] ")
    terminal.type(answer)
    again = "? - this help\r\n(1/1) Draft n-1 [a,e,r,s,d,q,?] "
    assert "a - approve" in terminal.read(again)
    terminal.type("s")
    assert terminal.end() == 0
    assert "1 skipped" in terminal.shown


@pytest.mark.parametrize(
    ("argv", "state"),
    [(["reject", "n-1"], "rejected"), (["deprecate", "n-2"], "deprecated")],
)
def test_a_reason_is_asked_for(tmp_path: Path, argv: list[str], state: str) -> None:
    active = DRAFT.replace("candidate", "active").format(id="n-2", title="Two")
    root = make_vault(
        tmp_path, {"drafts/n-1.md": DRAFT.format(id="n-1", title="One"), "n-2.md": active}
    )
    silent = Terminal("--vault", root, *argv)
    silent.read("Why? ")
    silent.type("")
    assert silent.end() == 2
    assert f"mvault {argv[0]} {argv[1]} --reason" in silent.shown
    terminal = Terminal("--vault", root, *argv)
    terminal.read("Why? ")
    terminal.type("已经过时")
    terminal.read("[y/N]")
    terminal.type("y")
    assert terminal.end() == 0
    assert listed(root)[argv[1]]["status"] == state
    assert "已经过时" in git(root, "log", "-1", "--format=%B")


def test_undo_asks_about_the_commit_by_name(tmp_path: Path) -> None:
    root = drafts_vault(tmp_path, "n-1")
    run("--vault", root, "approve", "n-1", "--yes").ok()
    short = git(root, "rev-parse", "HEAD")[:10]
    terminal = Terminal("--vault", root, "undo")
    terminal.read(f"undo {short} approve(note): Draft n-1? [y/N]")
    terminal.type("y")
    assert terminal.end() == 0
    undone = git(root, "rev-parse", "HEAD")[:10]
    again = Terminal("--vault", root, "undo")
    again.read(f"redo {undone} approve(note): Draft n-1? [y/N]")
    again.type("y")
    assert again.end() == 0
    assert listed(root)["n-1"]["status"] == "active"


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_a_title_alone_opens_the_editor_with_the_title_filled_in(
    tmp_path: Path, language: str
) -> None:
    root = make_vault(tmp_path)
    editor = tmp_path / "ed"
    editor.write_text(
        '#!/bin/sh\ngrep -q "^# 冻结 & 发布$" "$1" || exit 9\n'
        'sed -i "s/^# .*/# 先冻结再发布/" "$1"; printf "\\n正文。\\n" >> "$1"\n'
    )
    editor.chmod(0o755)
    env = {"EDITOR": str(editor), "LC_ALL": language}
    terminal = Terminal("--vault", root, "add", "lesson", "--title", "冻结 & 发布", env=env)
    assert terminal.end() == 0, terminal.shown
    (made,) = listed(root).values()
    assert made["title"] == "先冻结再发布"
    assert "正文。" in (root / made["path"]).read_text()


def test_a_setting_is_shown_and_asked_about(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    terminal = Terminal("--vault", root, "config", "set", "render.budget", "6000")
    assert "+budget = 6000" in terminal.read("Set render.budget = 6000? [y/N]")
    terminal.type("y")
    assert terminal.end() == 0
    assert "Vault-Approval: terminal" in git(root, "log", "-1", "--format=%B")


def test_a_line_can_be_edited_while_it_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("readline")
    root = drafts_vault(tmp_path, "n-1")
    terminal = Terminal("--vault", root, "reject", "n-1")
    terminal.read("Why? ")
    time.sleep(0.2)
    terminal.type("bcd\x01a")  # Ctrl-A goes to the start of the line
    terminal.read("[y/N]")
    terminal.type("y")
    assert terminal.end() == 0
    assert "abcd" in git(root, "log", "-1", "--format=%B")


def test_a_draft_is_reviewed_beside_what_it_contradicts(tmp_path: Path) -> None:
    rule = "---\nid: r-old\nkind: rule\nstatus: active\ntitle: 发版\n---\n发版步骤不可跳步。\n"
    draft = "---\nid: r-new\nkind: rule\nstatus: candidate\ntitle: 新\n---\n发版步骤可以跳步。\n"
    root = make_vault(tmp_path, {"playbook/old.md": rule, "drafts/2026-11/new.md": draft})
    terminal = Terminal("--vault", root, "review", env={"NO_COLOR": "1"})
    shown = terminal.read("?] ").replace("\r\n", "\n")
    assert "contradiction  r-old  active  发版\n" in shown
    assert "  here   发版步骤可以跳步\n  r-old  发版步骤不可跳步\n" in shown
    terminal.type("a")
    assert terminal.end() == 0
    assert listed(root)["r-old"]["status"] == "active"  # nothing was decided about the other
    assert listed(root)["r-new"]["status"] == "active"


def test_long_work_says_how_far_it_has_come(tmp_path: Path) -> None:
    """Only at a terminal, on a line that is taken away again."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(400):  # a line shows only what takes half a second and more
        text = (
            f"# Note {number} 笔记\n\n" + f"Worker {number} answers on port {number}. 超时。\n" * 12
        )
        (folder / f"n{number}.md").write_text(text, "utf-8")
    root = make_vault(tmp_path)
    terminal = Terminal("--vault", root, "import", "markdown", folder, "--dry-run", "--quiet")
    terminal.read()
    assert terminal.end() == 0
    assert "importing [" not in terminal.shown
    terminal = Terminal("--vault", root, "--json", "import", "markdown", folder, "--dry-run")
    terminal.read()
    assert terminal.end() == 0
    assert re.search(r"\r\x1b\[Kimporting \[#*\.*\] \d+ of 400", terminal.shown)
    assert "\r\x1b[K" in terminal.shown.rpartition(" of 400")[2]
    piped = run("--vault", root, "import", "markdown", folder, "--dry-run").ok()
    assert "importing [" not in piped.text
    dumb = Terminal(
        "--vault", root, "import", "markdown", folder, "--dry-run", env={"TERM": "dumb"}
    )
    dumb.read()
    assert dumb.end() == 0
    assert "importing [" not in dumb.shown


def test_many_deletions_of_others_are_a_question_of_their_own(tmp_path: Path) -> None:
    """Whoever agrees to the own ones was not asked about those that come in."""
    from sync_helpers import note, share

    files = {
        f"drafts/r{n:02d}.md": note(f"f-00000{n:02d}", f"笔记 {n}", status="candidate")
        for n in range(40)
    }
    both = share(tmp_path, files)
    for number in range(20):
        machine = both["a" if number < 10 else "b"]
        (machine.root / f"drafts/r{number:02d}.md").unlink()
    assert both["a"].sync("--deletions").code == 0
    state = {"MVAULT_STATE_DIR": str(both["b"].state)}
    terminal = Terminal("--vault", both["b"].root, "sync", "--deletions", env=state)
    assert "are missing here" in terminal.read("Delete them?")
    terminal.type("y")
    assert "are deleted by" in terminal.read("Delete them?")
    terminal.type("n")
    assert terminal.end() == 3
    assert (both["b"].root / "drafts/r05.md").exists()
