"""Lines of Markdown outside code, and merge-conflict markers. May import `text.code`."""

from __future__ import annotations

from collections.abc import Iterator

from vault_cli.text.code import fenced_lines
from vault_cli.text.late import late

_MARKER = late(r"(?:<{7}|>{7}|\|{7})(?: .*)?")
_UNDERLINE = late(r" {0,3}=+[ \t]*")


def lines_outside_fences(text: str) -> Iterator[tuple[int, str]]:
    """Yield (0-based line number, line) of the lines that stand in no fenced code block.

    Only a fence at the edge counts: what stands at the left margin is in no list's fence.
    """
    for number, (line, fenced) in enumerate(fenced_lines(text.split("\n"), edge_only=True)):
        if not fenced:
            yield number, line


def main_line_end(text: str) -> str:
    """Return the line end that most lines of a text have."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def find_conflict(text: str) -> tuple[int, str] | None:
    """Return (0-based line, marker line) of the first merge-conflict marker at the left margin.

    Indented, quoted and fenced markers are documentation. A `=======` alone underlines a heading.
    """
    if "<<<<<<<" not in text and ">>>>>>>" not in text and "|||||||" not in text:
        return None
    for number, line in lines_outside_fences(text):
        if _MARKER.fullmatch(line):
            return number, line
    return None


def first_heading(body: str) -> str:
    """Return the text of the first level-1 heading outside code, or ""."""
    if "#" not in body and "=" not in body:
        return ""
    before = ""
    for _, line in lines_outside_fences(body):
        text = _heading_text(line)
        if text:
            return text
        if before.strip() and _UNDERLINE.fullmatch(line):
            return before.strip()
        before = "" if line.lstrip().startswith(("#", ">", "-", "*", "+", "|")) else line
    return ""


def _heading_text(line: str) -> str:
    """Return what a `# …` line says, closing signs dropped, or "" for another line."""
    mark = line[:5].lstrip(" ")
    if not mark.startswith(("# ", "#\t")) or line.startswith("    "):
        return ""
    text = line.strip()[1:].strip()
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else text
