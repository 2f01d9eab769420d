"""Set one value in a TOML file, in place. May import `errors`, `store.settings`, `store.toml_read`.

Only `key = value` lines and `[table]` headers are understood; comments, order and line ends of
all other lines stay. What comes out is parsed again and compared before it is returned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from vault_cli.errors import RefusedError, UsageError
from vault_cli.store.setting_values import check_value, coerce_value, hides_others, why_own
from vault_cli.store.settings import Setting, find_setting
from vault_cli.store.toml_read import (
    CONFIG_FILE,
    KEY_START,
    TABLE_LINE,
    VAULTS,
    bare_name,
    find_line,
    parse_toml,
    read_toml_file,
)
from vault_cli.text.late import late

_COMMENT: Final = late(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|[^#"'])*?([ \t]*#.*)?$""")


def set_setting(path: Path, name: str, value: object) -> bytes:
    """Return the new bytes of a configuration file with one setting changed.

    Args:
        path: `vault.toml` of a vault, or the person's own file (then every setting may be set).
        name: dotted name.
        value: text as typed in a shell, or a value of the setting's type.

    Raises:
        UsageError: no such setting, the value is not allowed, the setting belongs into the
            person's own file, or the file is not TOML.
        RefusedError: the setting is written in a form that cannot be changed in place.
    """
    setting = _require_setting(name, path, value)
    result = check_value(setting, value, typed=isinstance(value, str))
    data = read_toml_file(path) or b""
    before = parse_toml(data, str(path))
    if _holds(setting, _look_up(before, name), result):
        return data
    patched = _patch(data, name, result)
    wanted = _with(before, name.split("."), _plain(result))
    if wanted is None or parse_toml_or_refuse(patched, path, name) != wanted:
        raise _refuse(path, name)
    return patched


def set_here(path: Path, root: str, name: str, value: str) -> bytes:
    """Return the new bytes of the person's own file with one setting of one vault changed.

    Args:
        path: the person's own file.
        root: real path of the vault's folder.
        name: dotted name.
        value: text as typed in a shell.

    Raises:
        UsageError: as `set_setting`.
        RefusedError: the table of this vault is written in a form that cannot be changed in place.
    """
    setting = find_setting(name)
    result = check_value(setting, value, typed=True)
    data = read_toml_file(path) or b""
    before = parse_toml(data, str(path))
    old = _look_up(before.get(VAULTS, {}).get(root, {}), name)
    if _holds(setting, old, result):
        return data
    text = data.decode("utf-8-sig")
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    new_line = f"{name} = {format_value(result)}{end}"
    heads = [i for i, line in enumerate(lines) if _is_header(line, before, root)]
    if heads:
        same = _line_below(lines, heads[0], name)
        if same:
            _replace_value(lines, same, format_value(result))
        else:
            lines.insert(heads[0] + 1, new_line)
    else:
        gap = [end] if lines and lines[-1].strip() else []
        if lines and not lines[-1].endswith(("\n", "\r")):
            lines[-1] += end
        lines += [*gap, f"[{VAULTS}.{format_value(root)}]{end}", new_line]
    bom = data[:3] if data.startswith(b"\xef\xbb\xbf") else b""
    patched = bom + "".join(lines).encode()
    inner = _with(before.get(VAULTS, {}).get(root, {}), name.split("."), _plain(result))
    wanted = {**before, VAULTS: {**before.get(VAULTS, {}), root: inner}}
    if inner is None or parse_toml_or_refuse(patched, path, name) != wanted:
        raise _refuse(path, name)
    return patched


def _is_header(line: str, before: Mapping[str, Any], root: str) -> bool:
    """Whether a line opens the table of one vault (decided by the TOML reader itself)."""
    if root not in before.get(VAULTS, {}) or not TABLE_LINE.match(line.rstrip("\r\n")):
        return False
    try:
        return parse_toml(line.encode(), "") == {VAULTS: {root: {}}}
    except UsageError:
        return False


def _line_below(lines: list[str], head: int, name: str) -> int:
    """Return the index of a key's line in the table opened at `head`, 0 when it is not there."""
    for index in range(head + 1, len(lines)):
        line = lines[index].rstrip("\r\n")
        if TABLE_LINE.match(line):
            return 0
        key = KEY_START.match(line)
        if key and bare_name(key[1]) == name:
            return index
    return 0


def _require_setting(name: str, path: Path, value: object) -> Setting:
    setting = find_setting(name)
    if path.name == CONFIG_FILE and (setting.user_only or hides_others(setting, value)):
        raise UsageError(
            f"{name} cannot stand in {CONFIG_FILE}: {why_own(setting)}",
            hint=f"Set it for yourself: mvault config set --user {name} …",
        )
    return setting


def _holds(setting: Setting, old: object, result: object) -> bool:
    """Whether a file has this value already (`true` is not 1, and a wrong value is no value)."""
    try:
        return old is not None and coerce_value(setting, old) == result
    except ValueError:
        return False


def parse_toml_or_refuse(data: bytes, path: Path, name: str) -> dict[str, Any]:
    """Parse what the patch gave; a failure means the file's form was not understood."""
    try:
        return parse_toml(data, str(path))
    except UsageError as error:
        raise _refuse(path, name) from error


def _refuse(path: Path, name: str) -> RefusedError:
    return RefusedError(
        f"{name} is written in {path.name} in a form that cannot be changed in place",
        hint="Change it in an editor.",
    )


def _with(table: object, parts: list[str], value: object) -> dict[str, Any] | None:
    """Return the table with one value changed; None when something else than a table is there."""
    if not isinstance(table, Mapping):
        return None
    head, *rest = parts
    inner = _with(table.get(head, {}), rest, value) if rest else value
    return None if rest and inner is None else {**table, head: inner}


def _look_up(table: Mapping[str, Any], name: str) -> Any:
    place: Any = table
    for part in name.split("."):
        if not isinstance(place, Mapping) or part not in place:
            return None
        place = place[part]
    return place


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def _patch(data: bytes, name: str, value: object) -> bytes:
    text = data.decode("utf-8-sig")
    bom = data[:3] if data.startswith(b"\xef\xbb\xbf") else b""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    number = find_line(text, name)
    if number:
        _replace_value(lines, number - 1, format_value(value))
    else:
        _insert_value(lines, name, format_value(value), end)
    return bom + "".join(lines).encode()


def _replace_value(lines: list[str], index: int, value: str) -> None:
    line = lines[index]
    body = line.rstrip("\r\n")
    key = KEY_START.match(body)
    if key is None:  # a whole table: the proof below refuses it
        return
    end = index
    while _depth("".join(lines[index : end + 1])[key.end() :]) > 0 and end + 1 < len(lines):
        end += 1
    last = lines[end].rstrip("\r\n")
    tail = _COMMENT.match(last if end > index else last[key.end() :])
    comment = (tail[1] or "") if tail else ""
    lines[index : end + 1] = [body[: key.end()] + value + comment + lines[end][len(last) :]]


def _depth(text: str) -> int:
    """How many brackets are still open after a value's text (strings and comments left out)."""
    bare = re.sub(r"""("(?:\\.|[^"\\\n])*"|'[^'\n]*')|#[^\n]*""", "", text)
    return bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")


def _insert_value(lines: list[str], name: str, value: str, end: str) -> None:
    table, _, key = name.rpartition(".")
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += end
    headers = [
        (i, bare_name(m[1]))
        for i, line in enumerate(lines)
        if (m := TABLE_LINE.match(line.rstrip("\r\n")))
    ]
    here = next((i for i, header in headers if header == table), None)
    if not table:
        lines.insert(headers[0][0] if headers else len(lines), f"{key} = {value}{end}")
    elif here is None:
        lines.extend([*([end] if lines else []), f"[{table}]{end}", f"{key} = {value}{end}"])
    else:
        stop = next((i for i, _ in headers if i > here), len(lines))
        while stop > here + 1 and not lines[stop - 1].strip():
            stop -= 1
        lines.insert(stop, f"{key} = {value}{end}")


def format_value(value: object) -> str:
    """Return a value as TOML."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(format_value(item) for item in value)}]"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {item}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else _quote(str(value))


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    plain = "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped)
    return f'"{plain}"'
