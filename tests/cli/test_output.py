"""What is printed: safe text, JSON for machines and terminals, columns, colour."""

from __future__ import annotations

import io
import json

import pytest

from vault_cli.cli.complete import plain_title
from vault_cli.cli.option_values import Options
from vault_cli.cli.output import (
    Output,
    View,
    finding_lines,
    safe,
    to_json,
    wants_color,
    write_text,
)
from vault_cli.cli.views import cut, list_lines, summary_line, width_of
from vault_cli.errors import Diagnostic, NotFoundError
from vault_cli.model.record import Kind, Record, Status
from vault_cli.text.neutral import terminal_safe


def record(record_id: str, title: str, **keys: object) -> Record:
    values = {
        "kind": Kind.LESSON,
        "path": f"memories/{record_id}.md",
        "digest": "0" * 64,
        "written_status": Status.ACTIVE,
        "body": "",
        **keys,
    }
    return Record(id=record_id, title=title, **values)  # type: ignore[arg-type]


def text_of(line: object) -> str:
    spans = [line] if isinstance(line, str) else line
    return "".join(s if isinstance(s, str) else s[1] for s in spans)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text", ["中文 and é", "\x9b31m", "\u202eevil", "\ud800", "\U000e0041", "\x1b[2J", "a\u200bb"]
)
def test_json_is_lossless_and_has_no_raw_control_character(text: str) -> None:
    answer = to_json({"title": text})
    assert json.loads(answer) == {"title": text}
    assert not any(ord(c) < 32 and c != "\n" for c in answer)
    assert not any(0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in answer)
    assert "\u202e" not in answer
    answer.encode("utf-8")
    if text.startswith("中"):
        assert text in answer


def test_the_short_way_of_safe_text_agrees_with_the_long_one() -> None:
    every = [chr(code) for code in range(0x20, 0x110000) if not 0xD800 <= code < 0xE000]
    blocks = ["中a".join(every[start : start + 64]) for start in range(0, len(every), 64)]
    wrong = [block for block in blocks if safe(block) != terminal_safe(block)]
    assert wrong == []
    lone = [char for char in every[:0x3400] if safe(char) == char and terminal_safe(char) != char]
    assert lone == []


def test_rich_markup_of_user_text_stays_literal(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output(Options(), {})
    out.show(View(None, lambda: ["[bold]x[/bold] [/red]"]))
    assert capsys.readouterr().out == "[bold]x[/bold] [/red]\n"


def test_terminal_escapes_never_reach_the_stream(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output(Options(color=True), {})
    out.show(View(None, lambda: [[("red", "a\x1b]0;owned\x07b")]]))
    shown = capsys.readouterr().out
    assert "\x07" not in shown
    assert shown.count("\x1b") == 2  # our own colour, on and off


def test_error_is_one_json_object_with_the_preview(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output(Options(json=True), {})
    out.partial = {"diff": "x"}
    found = Diagnostic("a.md", 3, "yaml-colon", "error", "a colon", "quote it")
    code = out.error(NotFoundError("no record x", hint="Did you mean y?", diagnostics=(found,)))
    shown = capsys.readouterr()
    answer = json.loads(shown.out)
    assert code == 6
    assert answer["error"] == {
        "kind": "not-found", "message": "no record x", "hint": "Did you mean y?", "exit": 6,
    }  # fmt: skip
    assert answer["ok"] is False
    assert answer["schema"] == 1
    assert answer["data"] == {"diff": "x"}
    assert answer["diagnostics"][0]["line"] == 3
    assert "error: no record x" in shown.err


def test_finding_names_path_line_and_advice() -> None:
    found = Diagnostic("memories/a.md", 4, "yaml-colon", "error", "a colon", "quote it")
    head, hint = map(text_of, finding_lines(found))
    assert head == "memories/a.md:4: error yaml-colon: a colon"
    assert hint == "    hint: quote it"


def test_list_cuts_titles_only_and_only_on_a_terminal() -> None:
    rows = [record("l-0000001", "很长的标题" * 40), record("l-1", "short")]
    wide = [text_of(line) for line in list_lines(rows, width=0)]
    assert wide[0].endswith("很长的标题" * 40)
    narrow = [text_of(line) for line in list_lines(rows, width=60)]
    assert narrow[0].startswith("l-0000001  active  lesson  ")
    assert width_of(narrow[0].rstrip()) <= 60
    assert narrow[0].rstrip().endswith("…")
    assert narrow[1].rstrip() == "l-1        active  lesson  short"


@pytest.mark.parametrize(
    ("text", "width", "wanted"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("中文字", 4, "中…")]
)
def test_cut_counts_cells(text: str, width: int, wanted: str) -> None:
    assert cut(text, width) == wanted


def test_summary_counts_severities() -> None:
    found = [Diagnostic("a", 0, "c", severity, "m") for severity in ("error", "error", "note")]  # type: ignore[arg-type]
    assert text_of(summary_line(found)) == "2 errors, 1 note"
    assert text_of(summary_line([])) == "no findings"
    held = [Diagnostic("a", 0, "c", "warning", "m", holds=True), *found]
    assert text_of(summary_line(held, holding=1)) == (
        "2 errors, 1 warning (1 holds a record back), 1 note"
    )


@pytest.mark.parametrize(
    ("choice", "environ", "wanted"),
    [(None, {}, False), (True, {"NO_COLOR": "1"}, True), (False, {}, False)],
)
def test_colour_is_for_terminals_unless_it_is_chosen(
    choice: bool | None, environ: dict[str, str], wanted: bool
) -> None:
    assert wants_color(io.StringIO(), choice, environ) is wanted


def test_no_color_counts_on_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert wants_color(Terminal(), None, {})
    assert not wants_color(Terminal(), None, {"NO_COLOR": "1"})
    assert not wants_color(Terminal(), None, {"TERM": "dumb"})


def test_undecodable_names_are_shown_escaped_in_a_narrow_encoding() -> None:
    class Console(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    data = io.BytesIO()
    console = Console(data, encoding="cp1252")
    write_text(console, "caf\xe9 中 \udcff\n")
    assert data.getvalue() == b"caf\xe9 \\u4e2d \\udcff\n"


def test_status_lines_are_silenced_by_quiet_and_errors_are_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = Output(Options(quiet=True), {})
    out.say("status")
    out.hint("advice")
    out.warn("careful")
    assert capsys.readouterr().err == "warning: careful\n"


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ('x\\";touch /tmp/pwn;"', "x touch /tmp/pwn"),
        ("a `id` $(id) [red] 'q'", "a id id red q"),
        ("安装 依赖：先 npm ci", "安装 依赖 先 npm ci"),
    ],
)
def test_completion_titles_hold_nothing_a_shell_evaluates(title: str, wanted: str) -> None:
    assert plain_title(title) == wanted
