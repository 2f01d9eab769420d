"""Why a metadata block cannot be read, in plain words. May import `model`, `text.codes`.

The parser says where it stopped; what went wrong is told from the text of the line, because the
parser's own words name neither the cause nor the repair.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from vault_cli.model.schema import BY_KEY, FIELDS
from vault_cli.text.codes import Problem, show
from vault_cli.text.late import late

_KEY = late(r" *+(?:- ++)*+(?P<key>[^\s:#'\"\[{][^:#]*+):(?=\s|$)\s*(?P<value>.*)")
_ITEM = late(r" *+- ++(?P<value>.*)")
_GLUED = late(r"(?P<key>[A-Za-z_]{2,20}): ?(?:[\w\"'\[{]|$)")
_HALF_PAIR = late(r"(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_QUOTED = late(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'")
_KNOWN = frozenset({"name"}.union(BY_KEY, *(field.legacy for field in FIELDS)))
_SIGNS = "@`%&*!|>?,}]#"

_Finder = Callable[[str, int, "list[str]"], "Problem | None"]


def explain_error(source: str, error: Any) -> Problem:
    """Explain a parser error.

    Args:
        source: the block, LF line ends.
        error: a `yaml.MarkedYAMLError`.

    Returns:
        The problem with its 1-based line in the block.
    """
    lines = source.split("\n")
    marks = [mark for mark in (error.problem_mark, error.context_mark) if mark is not None]
    problem = str(error.problem)
    if "document start" in problem and not source.startswith("%"):
        message = "the text goes on after a line `...`, which ends the metadata"
        return Problem("yaml-syntax", _clip(marks[0].line, lines) + 1, message, "Remove that line.")
    if source.startswith("%"):
        return _find_sign(lines[0], 0, lines) or Problem("yaml-sign", 1, "a directive", _QUOTE_HINT)
    for mark in _search_order(problem, marks):
        number = _clip(mark.line, lines)
        found = _explain_line(lines[number], number, lines, mark.column)
        if found is not None:
            return found
    number = _clip(marks[0].line, lines)
    message = f"the metadata cannot be read from here on: {show(lines[number].strip())}"
    return Problem("yaml-syntax", number + 1, message, _QUOTE_HINT)


def explain_shape(source: str, number: int) -> Problem:
    """Explain a block that parses as something other than plain keys and values.

    Args:
        source: the block, LF line ends.
        number: 0-based line of the block where it happens.
    """
    lines = source.split("\n")
    number = _clip(number, lines)
    line = lines[number]
    for finder in (_find_template, _find_wide_colon, _find_sign, _find_missing_blank):
        found = finder(line, number, lines)
        if found is not None:
            return found
    if line.lstrip().startswith("- "):
        message = f"the block is a list, not keys with values: {show(line.strip())}"
    else:
        message = f"this is not `key: value`: {show(line.strip())}"
    hint = "Write one `key: value` per line between the two --- lines."
    return Problem("front-not-map", number + 1, message, hint)


_QUOTE_HINT = "Put values with special signs in double quotes."


def _clip(number: int, lines: list[str]) -> int:
    """Move a line at the very end (the parser stops behind the text) to the last written one."""
    last = len(lines) - 1
    while last > 0 and not lines[last].strip():
        last -= 1
    return min(number, last)


def _search_order(problem: str, marks: list[Any]) -> list[Any]:
    """A quote or a key that never ended is at the start of the construct, else at the stop."""
    if len(marks) > 1 and ("end of stream" in problem or "':'" in problem or "escape" in problem):
        return marks[::-1]
    return marks


def _explain_line(line: str, number: int, lines: list[str], column: int) -> Problem | None:
    finders: tuple[_Finder, ...] = (
        _find_tab,
        _find_template,
        _find_wide_colon,
        _find_sign,
        _find_quote,
        _find_flow,
        _find_dash,
        _find_colon,
        _find_missing_blank,
    )
    for finder in finders:
        found = finder(line, number, lines)
        if found is not None:
            return found
    return _find_open_quote_above(number, lines) or _find_stray(line, number, column)


def _value(line: str) -> tuple[str, str]:
    match = _KEY.fullmatch(line)
    if match is not None:
        return match["key"].strip(), match["value"]
    match = _ITEM.fullmatch(line)
    return "", match["value"] if match is not None else ""


def _in_quotes(key: str, value: str) -> str:
    text = value.rstrip()
    quoted = (
        f"'{text}'" if '"' in text and "'" not in text else '"' + text.replace('"', '\\"') + '"'
    )
    return f"Put the value in quotes: {key + ': ' if key else ''}{show(quoted)}"


def _find_tab(line: str, number: int, _: list[str]) -> Problem | None:
    if "\t" not in line[: len(line) - len(line.lstrip())]:
        return None
    message = f"the line is indented with a tab: {show(line.strip())}"
    return Problem("yaml-tab", number + 1, message, "Indent with spaces.")


def _find_template(line: str, number: int, _: list[str]) -> Problem | None:
    if "{{" not in line and "<%" not in line:
        return None
    message = f"a template placeholder stands in the metadata: {show(line.strip())}"
    hint = (
        "Fill it in, or put it in quotes if it is meant as text; "
        "templates belong in a folder named Templates, which is not read."
    )
    return Problem("yaml-template", number + 1, message, hint)


def _find_wide_colon(line: str, number: int, _: list[str]) -> Problem | None:
    before = line.split(":", 1)[0]
    if "：" not in before or '"' in before or "'" in before or len(before.split("：")[0]) > 30:  # noqa: PLR2004
        return None
    key = before.split("：")[0].strip()
    message = f"a full-width colon (：) stands after `{show(key)}` instead of a plain one (: )"
    hint = f"Write `{show(key)}: ` with the colon of the English keyboard and a space."
    return Problem("yaml-full-width-colon", number + 1, message, hint)


def _find_sign(line: str, number: int, _: list[str]) -> Problem | None:
    key, value = _value(line)
    if line.startswith("%"):
        key, value = "", line
    if not value or value[0] not in _SIGNS:
        return None
    sign = value[0]
    if sign in "|>" and re.fullmatch(r"[|>][-+0-9]*(?: +#.*)?", value):
        return None
    if sign == "?" and not value.startswith("? "):
        return None
    where = f"the value of `{show(key)}`" if key else "the value"
    if sign in "*&":
        message = f"{where} starts with {sign}, which YAML reads as a reference: {show(value)}"
        return Problem("yaml-star", number + 1, message, _in_quotes(key, value))
    message = f"{where} starts with {sign}, which YAML reserves: {show(value)}"
    return Problem("yaml-sign", number + 1, message, _in_quotes(key, value))


def _find_quote(line: str, number: int, _: list[str]) -> Problem | None:
    key, value = _value(line)
    if not value or value[0] not in "\"'":
        return None
    sign = value[0]
    where = f"the value of `{show(key)}`" if key else "the value"
    closed = _QUOTED.match(value)
    if closed is None:
        message = f"{where} opens a quote ({sign}) that is not closed: {show(value)}"
        return Problem("yaml-quote", number + 1, message, f"Add the closing {sign} at its end.")
    rest = value[closed.end() :].strip()
    if rest and not rest.startswith("#"):
        message = f"text follows the closing quote of {where}: {show(rest)}"
        inner, other = ("''", "double") if sign == "'" else ('\\"', "single")
        hint = f"Write {inner} for a quote inside, or put {other} quotes around the whole value."
        return Problem("yaml-quote", number + 1, message, hint)
    if sign == '"' and (half := _HALF_PAIR.search(value)):
        message = f"{where} writes a character as two halves ({half[0]}), which YAML cannot read"
        hint = "Write the character itself, or \\U and its eight hex digits."
        return Problem("yaml-quote", number + 1, message, hint)
    if sign == '"' and "\\" in value:
        message = f"a backslash in double quotes starts no escape that exists: {show(value)}"
        hint = "Write \\\\ for each backslash, or use single quotes."
        return Problem("yaml-quote", number + 1, message, hint)
    return None


def _find_flow(line: str, number: int, _: list[str]) -> Problem | None:
    key, value = _value(line)
    if not value or value[0] not in "[{":
        return None
    where = f"the value of `{show(key)}`" if key else "the value"
    end = value.rfind("]" if value[0] == "[" else "}")
    if end < 0:
        message = f"{where} opens a {value[0]} that is not closed on its line: {show(value)}"
        return Problem("yaml-sign", number + 1, message, "Close it, or put the value in quotes.")
    rest = value[end + 1 :].strip()
    if rest and not rest.startswith("#"):
        message = f"{where} starts with {value[0]} and goes on after it: {show(value)}"
        return Problem("yaml-sign", number + 1, message, _in_quotes(key, value))
    message = f"what stands in the brackets of {where} cannot be read: {show(value)}"
    return Problem("yaml-sign", number + 1, message, "Put each item in quotes.")


def _find_dash(line: str, number: int, _: list[str]) -> Problem | None:
    key, value = _value(line)
    if not key or not (value.startswith("- ") or value == "-"):
        return None
    message = f"the value of `{show(key)}` starts with a dash like a list item: {show(value)}"
    hint = _in_quotes(key, value) + " (or start the list on the next line)"
    return Problem("yaml-sign", number + 1, message, hint)


def _find_colon(line: str, number: int, lines: list[str]) -> Problem | None:
    key, value = _value(line)
    if ": " not in value and not value.rstrip().endswith(":"):
        return _find_deeper(line, number, lines)
    glued = next((m for m in _GLUED.finditer(value) if m["key"] in _KNOWN and m.start()), None)
    if glued is not None:
        rest = show(value[glued.start() :])
        message = f"`{glued['key']}:` stands inside the value of `{show(key)}`: {show(value)}"
        hint = f"It looks like the next key on the wrong line: put `{rest}` on a line of its own."
        return Problem("yaml-colon", number + 1, message, hint)
    name = f" of `{show(key)}`" if key else ""
    message = f"a colon stands inside the unquoted value{name}: {show(value)}"
    return Problem("yaml-colon", number + 1, message, _in_quotes(key, value))


def _find_deeper(line: str, number: int, lines: list[str]) -> Problem | None:
    """A key that is indented more than a plain value above it, or than its neighbours."""
    match = _KEY.fullmatch(line)
    if match is None or not line.startswith(" ") or line.lstrip().startswith("- "):
        return None
    above = next((lines[i] for i in range(number - 1, -1, -1) if lines[i].strip()), "")
    message = f"the line is indented differently from its neighbours: {show(line.strip())}"
    hint = "Start it in the same column as the other keys."
    if above:
        message += f" (above: {show(above.strip())})"
    return Problem("yaml-indent", number + 1, message, hint)


def _find_missing_blank(line: str, number: int, _: list[str]) -> Problem | None:
    match = re.fullmatch(r"(?P<key>[A-Za-z_][\w-]{0,30}):(?P<value>[^\s/].*)", line)
    if match is None:
        return None
    message = f"a space is missing after the colon: {show(line)}"
    hint = f"Write `{match['key']}: {show(match['value'])}`."
    return Problem("yaml-colon", number + 1, message, hint)


def _find_open_quote_above(number: int, lines: list[str]) -> Problem | None:
    for above in range(number - 1, -1, -1):
        found = _find_quote(lines[above], above, lines)
        if found is not None and "not closed" in found.message:
            return found
        missing = _find_missing_blank(lines[above], above, lines)
        if missing is not None:
            return missing
    return None


def _find_stray(line: str, number: int, column: int) -> Problem | None:
    text = line.strip()
    if not text or _KEY.fullmatch(line) or column > len(line):
        return None
    message = f"this line is neither `key: value` nor part of the value above: {show(text)}"
    hint = "Indent it by two spaces if it belongs to the value above, or move it below the block."
    return Problem("yaml-stray", number + 1, message, hint)
