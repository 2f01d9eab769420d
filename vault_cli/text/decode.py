"""From bytes to text, or the reason why not. May import `text.codes`, `model`."""

from __future__ import annotations

import codecs

from vault_cli.model.tables import MAX_FILE
from vault_cli.text.codes import Problem

LARGE_FILE = 256 * 1024
"""Bytes from which a file is held from the render."""

LONG_LINE = 128 * 1024
"""Characters from which one line holds its file from the render."""

_UTF16 = ((codecs.BOM_UTF16_LE, "UTF-16LE"), (codecs.BOM_UTF16_BE, "UTF-16BE"))


def decode_text(data: bytes) -> tuple[str, Problem | None]:
    """Decode a file.

    Args:
        data: the file's bytes.

    Returns:
        The text without BOM and with CRLF as LF, and the problem that makes it unreadable
        (the text is then empty).
    """
    problem = _refuse_bytes(data)
    if problem is not None:
        return "", problem
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return "", _explain_bytes(data, error)
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        return "", Problem("empty-file", 0, "the file is empty", "Write a text, or remove it.")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text and "\n" not in text.rstrip("\r\n"):
            return "", Problem(
                "cr-line-ends",
                1,
                "every line ends in CR alone (the line end of old Macs)",
                "Save the file with LF or CRLF line ends.",
            )
    return text, None


def check_size(data: bytes, text: str) -> Problem | None:
    """Return the finding about a file that is readable but too large to be rendered unseen."""
    if len(data) > LARGE_FILE:
        size = f"the file has {len(data) // 1024} KiB; more than {LARGE_FILE // 1024} KiB"
        return Problem("oversize", 0, f"{size} is held from the render", _SPLIT)
    if len(text) <= LONG_LINE:
        return None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONG_LINE:
            message = f"the line has {len(line)} characters; more than {LONG_LINE} is held"
            return Problem("oversize", number, message, _SPLIT)
    return None


_SPLIT = "Split it into smaller records, or put `oversize` into its `allow` list."


def _refuse_bytes(data: bytes) -> Problem | None:
    if len(data) > MAX_FILE:
        message = f"the file has {len(data)} bytes; at most {MAX_FILE} are read"
        return Problem("file-too-large", 0, message, "Split it, or keep it outside the vault.")
    for bom, name in _UTF16:
        if data.startswith(bom):
            return _other_encoding(name, 1)
    at = data.find(b"\0")
    if at < 0:
        return None
    if data[1:40:2].count(0) > 10:  # noqa: PLR2004 - every second byte of ASCII text in UTF-16
        return _other_encoding("UTF-16LE", 1)
    if data[:40:2].count(0) > 10:  # noqa: PLR2004
        return _other_encoding("UTF-16BE", 1)
    line = data.count(b"\n", 0, at) + 1
    return Problem("nul-byte", line, "the line holds a NUL byte", "Remove it in an editor.")


def _other_encoding(name: str, line: int) -> Problem:
    return Problem(
        "not-utf8",
        line,
        f"the file is {name}, not UTF-8",
        f"Save it as UTF-8 in the editor, or write a copy: iconv -f {name} -t UTF-8 FILE > NEW",
    )


def _explain_bytes(data: bytes, error: UnicodeDecodeError) -> Problem:
    line = data.count(b"\n", 0, error.start) + 1
    bad = data[error.start : error.start + 3]
    if len(bad) == 3 and bad[0] == 0xED and 0xA0 <= bad[1] <= 0xBF:  # noqa: PLR2004
        message = "the line holds half of a character pair (a lone surrogate), which is not UTF-8"
        return Problem("not-utf8", line, message, "Type the character again and save as UTF-8.")
    try:
        guess = data.decode("gb18030")
    except UnicodeDecodeError:
        guess = ""
    if any("\u4e00" <= char <= "\u9fff" for char in guess):
        return _other_encoding("GB18030", line)
    message = f"byte 0x{bad[0]:02x} is not UTF-8 (perhaps Latin-1 or another old encoding)"
    return Problem("not-utf8", line, message, "Open it with its real encoding, save as UTF-8.")
