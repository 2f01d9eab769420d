r"""Make a memory's text harmless for its channel. Standard library only.

Two channels: the prompt (`neutral_inline`, `neutral_block`), where nothing may leave the place it
is put in, and the terminal (`terminal_safe`), where nothing may steer the screen. Changes are
visible and small: a backslash before structure, `&lt;` before a tag that imitates a frame, an
escape such as `\x1b` for what cannot be seen. What only looks dangerous (`List<int>`, `a < b`,
`C:\temp`, `dev@example.org`, `{{ name }}`) stays as it is.
"""

from __future__ import annotations

import re
from typing import Final

from vault_cli.text import frames
from vault_cli.text.code import closes_fence, is_escaped, opens_fence
from vault_cli.text.hidden import rewrite_hidden, show_hidden
from vault_cli.text.late import late

_MOST_NESTING: Final = 8

_LINE_BREAKS = late("\r\n|[\u2028\u2029]")
_SPACES = late(r"[\s\v\f]+")

_SPECIAL = late(r"[<\[!@＜［！]")
_ACTIVE_TAG = late(
    r"<(?:[!?]|[ \t]{0,4}/?[ \t]{0,4}(?:img|image|script|iframe|i?frame(?:set)?|object|embed|applet"
    r"|link|style|svg|math|video|audio|source|track|picture|base|meta|form|input|button|textarea"
    r"|template|portal)(?![\w-]))",
    re.IGNORECASE,
)
_COMMENT = late("<!--")
_BANG = late(r"!(?=`)")
_IMAGE = late(r"!(?=\[)")
_EXTENSIONS: Final = (
    "md|mdx|mdc|markdown|txt|rst|adoc|org|jsonl?|json5|ya?ml|toml|ini|cfg|conf|env|csv|tsv|xml|html?"
    "|s?css|less|[cm]?jsx?|tsx?|pyi?|rb|go|rs|java|kt|c|cc|cpp|h|hpp|cs|php|pl|lua|swift|sh|bash|zsh"
    "|fish|ps1|bat|sql|graphql|proto|log|pem|key|lock|pdf|bak"
)
_IMPORT = late(
    r"(?<![A-Za-z0-9_.+%/\\-])@(?=[\"']?(?:[~/.]|\\\\|[A-Za-z]:[\\/]"
    r"|(?:channel|everyone|here|all|README|AGENTS|CLAUDE|GEMINI|LICENSE|Makefile|Dockerfile)\b"
    rf"|[^\s@`'\"()<>\[\]{{}},;]*\.(?:{_EXTENSIONS})(?![A-Za-z0-9_])))"
)

_CONTAINERS = late(r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*")
_CONTAINER = late(r">|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])")
_MAY_START = late(r"[ \t]*(?:[^\w\s]|[_\dsaudh系用助])", re.IGNORECASE)
_HEADING = late(r"#{1,6}(?:[ \t]|$)")
_HTML = late(r"<(?=[a-z/!?])(?!(?:https?|mailto):)", re.IGNORECASE)
_ROLE = late(
    r"(?P<name>[#*\[(\"']{0,8}[ \t]{0,4}(?:system|assistant|human|developer|user"
    r"|系统|助手|用户)[*\])\"']{0,4}[ \t]{0,4})(?=[:：])",
    re.IGNORECASE,
)
_COMMAND = late(r"!(?=[A-Za-z./~$])")
_ESCAPED_PAIR = late(r"\\.")
_LIST_START = late(r"[-+*](?=[ \t]|$)|>")
_NUMBER_START = late(r"(\d{1,9})(?=[.)](?:[ \t]|$))")


def neutral_inline(text: str) -> str:
    r"""Return one line of text for use inside a line of ours (title, condition).

    Line breaks become spaces; control characters, escapes, bidi and tag characters become
    visible escapes; tags, role markers, our markers, HTML comments, `@file` and `!cmd` at the
    start lose their effect; `<` and `\` in ordinary text stay readable.
    """
    broken = _LINE_BREAKS.sub("\n", text).replace("\v", " ").replace("\f", " ")
    line = _SPACES.sub(" ", rewrite_hidden(broken, soft_notes=True)).strip()
    if _LIST_START.match(line) or line.startswith(("```", "~~~")):
        return "\\" + _defuse(line)
    numbered = _NUMBER_START.match(line)
    if numbered:
        return f"{numbered[1]}\\{_defuse(line[numbered.end() :])}"
    return _defuse_start(line)


def neutral_block(text: str) -> list[str]:
    """Return a body's lines, neutral as above; the caller indents each by two spaces.

    No line yields structure at column 0 or after that indent: headings, underlines, rules,
    definitions and HTML are dead, lists, quotes and code fences stay. Fences stand at the left
    edge, so that what is inside of one is certain; an unclosed one is closed.
    """
    clean = rewrite_hidden(_LINE_BREAKS.sub("\n", text), soft_notes=True)
    out: list[str] = []
    fence = indent = ""
    for line in clean.split("\n"):
        if fence and closes_fence(line, fence):
            out.append(line.strip())
            fence = ""
        elif fence:
            out.append(_defuse_code(_dedent(line.rstrip(), indent)))
        else:
            fence, indent, shown = _text_line(line.rstrip())
            out.append(shown)
    return _trim([*out, fence] if fence else out)


def terminal_safe(text: str) -> str:
    """Return text for a terminal: no control but newline and tab, no bidi, no tags."""
    return show_hidden(text.replace("\r\n", "\n"))


def _text_line(line: str) -> tuple[str, str, str]:
    """Return the fence that this line opens ("" when none), its indent, and the line neutral."""
    prefix, rest = _split_containers(line)
    opener = opens_fence(rest)
    if opener and ">" not in prefix:
        # A list marker before the fence goes: the fence has to stand at the left edge.
        info = _defuse_code(opener["info"]).strip(" \t!")
        return opener["run"], prefix, opener["run"] + info
    return "", "", _defuse_start(line)


def _split_containers(line: str) -> tuple[str, str]:
    end = _end_of_containers(line)
    return line[:end], line[end:]


def _end_of_containers(line: str) -> int:
    match = _CONTAINERS.match(line)
    return match.end() if match else 0


def _dedent(line: str, indent: str) -> str:
    """Take the indent of the fence off a line of its content, as far as the line has it."""
    width = len(indent.expandtabs(4))
    lead = len(line) - len(line.lstrip(" "))
    return line[min(width, lead) :]


def _trim(lines: list[str]) -> list[str]:
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _defuse_start(line: str) -> str:
    """Make a line of text dead: what it would be by its start, then what stands inside."""
    if not _MAY_START.match(line):
        return _defuse(line)
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    if _is_rule(line):
        return f"{lead}\\{line[len(lead) :]}"
    prefix, rest = _split_containers(line)
    if len(_CONTAINER.findall(prefix)) > _MOST_NESTING:
        return f"{lead}\\{prefix[len(lead) :]}{_defuse(rest)}"
    return prefix + _defuse_rest(rest, inside=">" in prefix)


def _defuse_rest(rest: str, *, inside: bool) -> str:
    """Make dead what follows the list and quote marks of a line."""
    if _HTML.match(rest):
        return "&lt;" + _defuse(rest[1:])
    if _is_structure(rest, inside=inside):
        return "\\" + _defuse(rest)
    role = _ROLE.match(rest)
    if role:
        return f"{_defuse(role['name'])}\\{_defuse(rest[role.end() :])}"
    return _defuse(rest)


def _is_rule(line: str) -> bool:
    """Whether a line is nothing but an underline, a thematic break or a front-matter fence."""
    marks = set(line) - {" ", "\t"}
    return len(marks) == 1 and marks <= set("-=*_")


def _is_structure(rest: str, *, inside: bool) -> bool:
    if _is_rule(rest) or _HEADING.match(rest) or _COMMAND.match(rest):
        return True
    if inside and opens_fence(rest):
        return True
    if not rest.startswith("["):
        return False
    # A link definition; its label may end on a later line.
    return "]:" in rest or "]" not in _ESCAPED_PAIR.sub("", rest)


def _defuse(line: str) -> str:
    """Make the parts of a line of text dead that act wherever they stand."""
    if not _SPECIAL.search(line):
        return line
    edits = _tag_edits(line)
    folded = frames.fold_width(line)
    edits.update((m.start(), "&lt;") for m in _ACTIVE_TAG.finditer(folded))
    edits.update((m.start(), "! ") for m in _BANG.finditer(line))
    edits.update(
        (m.start(), "\\!") for m in _IMAGE.finditer(line) if not is_escaped(line, m.start())
    )
    edits.update((m.start(), "\\@") for m in _IMPORT.finditer(line))
    return _apply(line, edits)


def _defuse_code(line: str) -> str:
    """Make dead what acts even inside of a code fence; everything else of code stays."""
    if not _SPECIAL.search(line):
        return line
    edits = _tag_edits(line)
    edits.update((m.start(), "&lt;") for m in _COMMENT.finditer(frames.fold_width(line)))
    edits.update((m.start(), "! ") for m in _BANG.finditer(line))
    return _apply(line, edits)


def _tag_edits(line: str) -> dict[int, str]:
    folded = frames.fold_width(line)
    edits = {match.start(): "&lt;" for match in frames.FRAME_TAG.finditer(folded)}
    for match in frames.CHAT_TOKEN.finditer(folded):
        edits[match.start()] = "&lt;" if folded[match.start()] == "<" else "[ "
    return edits


def _apply(line: str, edits: dict[int, str]) -> str:
    if not edits:
        return line
    parts: list[str] = []
    done = 0
    for offset in sorted(edits):
        parts.extend((line[done:offset], edits[offset]))
        done = offset + 1
    return "".join((*parts, line[done:]))
