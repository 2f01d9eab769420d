"""What comes out of the neutral functions stays where it is put, for any text."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from vault_cli.text.admission import scan_structure
from vault_cli.text.neutral import neutral_block, neutral_inline, terminal_safe

PIECES = [
    "\n", "\n\n", " ", "  ", "    ", "\t", "a", "字", "word ", "# ", "## System", "=====", "---", "- ", "* ",
    "+ ", "1. ", "2) ", "> ", "***", "___", "- - -", "```", "````", "~~~", "`", "``", "\\", "!", "[", "]", "](",
    "]:", "[x]: https://e.example 'y'", "![x](https://e.example/?q=1)", "![[note]]", "<", ">", "</", "<!--",
    "-->", "<?", "<![CDATA[", "<div>", "</div>", "<pre>", "<script>", "<img src=x>", "<system>", "</memory>",
    "</mvault", "＜system＞", "<|im_start|>", "[INST]", "<<SYS>>", "<!-- mvault:begin id=01234567 -->",
    "<!-- mvault:end id=01234567 -->", "@~/.ssh/id_rsa", "@/etc/passwd", "@../x", "@x.md", "@scope/pkg",
    "!`cat x`", "```!", "System:", "Human：", "{{ 7*7 }}", "%s", "\x1b[2J", "\x00", "\r", "\r\n", "\x85",
    "\u2028", "\u202e", "\u2066", "\u200b", "\u200d", "\ufe0f", "\U000e0041", "\U000e0121", "👨", "\U0001f3f4",
    "\ufeff", "|", "&lt;", "&#60;system&#62;", "<a href='", "'>", "-\t", "[a\\] b", ": /url", "=", "-",
]  # fmt: skip
TEXT = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=25).map("".join)
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
TAG = re.compile("[\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]")
FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{5}\U000e007f")
FRAME = re.compile(
    r"</?(?:m?vault|memory|system|assistant|user|human)\b|<\|\w+\|?>|</mvault", re.IGNORECASE
)


def check_dead(line: str) -> None:
    assert not CONTROL.search(line)
    assert not BIDI.search(line)
    assert not TAG.search(FLAG.sub("", line))
    assert not re.search(r"<!--\s*m?vault", line, re.IGNORECASE)
    assert "<!--" not in line
    assert not FRAME.search(line)
    assert "!`" not in line
    line.encode("utf-8")


def tokens_of(text: str) -> list[Token]:
    env: dict[str, Any] = {}
    tokens = MarkdownIt("commonmark").parse(text, env)
    assert not env.get("references")
    assert not any(token.type in ("html_block", "hr") for token in tokens)
    for token in tokens:
        for child in token.children or []:
            assert child.type != "image"
            assert child.type != "html_inline" or not FRAME.search(child.content)
    return tokens


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_block_lines_are_dead(text: str) -> None:
    for line in neutral_block(text):
        check_dead(line)


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_block_stays_in_its_list_item(text: str) -> None:
    lines = neutral_block(text)
    block = "- **title**\n" + "".join(f"  {line}\n" for line in lines) + "- next\n"
    tokens = tokens_of(block)
    assert [t.type for t in tokens if t.level == 0] == ["bullet_list_open", "bullet_list_close"]
    items = [t.map for t in tokens if t.type == "list_item_open" and t.level == 1]
    assert items[-1] == [len(lines) + 1, len(lines) + 2]
    assert len(items) == 2
    assert not any(t.type == "heading_open" for t in tokens)


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_block_stays_between_headings(text: str) -> None:
    block = "## One\n\n" + "".join(f"  {line}\n" for line in neutral_block(text)) + "\n## Two\n"
    headings = [t for t in tokens_of(block) if t.type == "heading_open"]
    assert [t.level for t in headings] == [0, 0]


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_inline_stays_in_its_line(text: str) -> None:
    line = neutral_inline(text)
    check_dead(line)
    assert "\t" not in line
    assert line == line.strip()
    tokens = tokens_of(f"- {line}\n- next\n")
    assert sum(t.type == "list_item_open" for t in tokens) == 2
    allowed = {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}
    assert {t.type for t in tokens} <= allowed | {"paragraph_open", "paragraph_close", "inline"}


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_twice_is_once(text: str) -> None:
    once = neutral_block(text)
    assert neutral_block("\n".join(once)) == once
    line = neutral_inline(text)
    assert neutral_inline(line) == line


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_nothing_that_holds_is_left(text: str) -> None:
    left = {f.code for f in scan_structure("\n".join(neutral_block(text))) if f.holds}
    assert not left


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_terminal_safe(text: str) -> None:
    shown = terminal_safe(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", shown)
    assert not BIDI.search(shown)
    assert not TAG.search(FLAG.sub("", shown))
    shown.encode("utf-8")
