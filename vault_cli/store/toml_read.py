"""Reading TOML files of settings. May import `errors`, `store.settings`.

Values come from `tomllib`; which line a key stands in is looked up in the text beside it, where
only `key = value` lines and `[table]` headers are understood.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vault_cli.errors import UsageError
from vault_cli.store.settings import BY_NAME
from vault_cli.text.late import late

CONFIG_FILE: Final = "vault.toml"
VAULTS: Final = "vaults"
"""Table of the person's file with settings for single vaults, by their folder."""


_PART: Final = r"""(?:[A-Za-z0-9_-]+|"[^"\\\n]*"|'[^'\n]*')"""
_NAME: Final = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
TABLE_LINE: Final = late(rf"[ \t]*\[[ \t]*({_NAME})[ \t]*\][ \t]*(?:#.*)?$")
KEY_START: Final = late(rf"[ \t]*({_NAME})[ \t]*=[ \t]*")
_LARGEST: Final = 1 << 20
_ERROR_LINE: Final = late(r"\(at line (\d+)")


class TomlError(UsageError):
    """A file that is no TOML.

    Args:
        where: the file, as messages name it.
        line: 1-based line of the error, 0 when it has none.
        words: what is wrong, without the file's name.
        hint: what to do.
    """

    def __init__(self, where: str, line: int, words: str, *, hint: str) -> None:
        super().__init__(f"{where} {words}", hint=hint)
        self.line = line
        self.words = words


def read_toml_file(path: Path) -> bytes | None:
    """Return the bytes of a configuration file, None when there is none.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        facts = path.stat()  # the person's own file may well be a link
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST:
            raise UsageError(
                f"{path} is no file of settings",
                hint="It has to be a regular file of at most 1 MiB.",
            )
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def parse_toml(data: bytes, where: str) -> dict[str, Any]:
    """Parse TOML bytes (a BOM is passed over).

    Raises:
        TomlError: not UTF-8 or not TOML; the message has the line.
    """
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TomlError(where, line, "is not UTF-8 text", hint="Save it as UTF-8.") from error
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        found = _ERROR_LINE.search(str(error))
        raise TomlError(
            where,
            int(found[1]) if found else 0,
            f"cannot be read as TOML: {str(error) or 'nested too deep'}",
            hint="Correct the line named.",
        ) from error


def flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of nested tables by their dotted names; settings that are tables whole."""
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and name not in BY_NAME:
            if not value and not _is_table(name):
                yield name, value
            yield from flatten(value, f"{name}.")
        else:
            yield name, value


def _is_table(name: str) -> bool:
    return any(known.startswith(f"{name}.") for known in BY_NAME)


def line_of(data: bytes, name: str) -> int:
    """Return the 1-based line of a file where a dotted setting is given, or 0."""
    return find_line(data.decode("utf-8-sig", "replace"), name)


def find_line(text: str, name: str) -> int:
    """Return the 1-based line where a dotted setting is given, or 0."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = TABLE_LINE.match(line)
        if header:
            table = bare_name(header[1])
            if table == name:
                return number
            continue
        key = KEY_START.match(line)
        if key and (f"{table}.{bare_name(key[1])}" if table else bare_name(key[1])) == name:
            return number
    return 0


def bare_name(name: str) -> str:
    """Return a key as written without its quotes and blanks."""
    return ".".join(part.strip(" \t\"'") for part in re.findall(_PART, name))
