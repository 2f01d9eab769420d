"""Values of settings: read, checked, whose they may be. May import `errors`, `store.settings`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from vault_cli.errors import UsageError
from vault_cli.store.clock import find_zone
from vault_cli.store.settings import PROJECT_NAME, SCHEMA, Setting


def check_value(setting: Setting, value: object, *, typed: bool = False) -> Any:
    """Return a value as it counts: of the setting's type, allowed, and known to this system.

    Args:
        setting: what it is for.
        value: from a TOML file, or (with `typed`) a text as typed in a shell.
        typed: read the text with `parse_value`.

    Raises:
        UsageError: it is not allowed; the message names the setting and what is.
    """
    try:
        if typed:
            value = parse_value(setting, str(value))
        result = coerce_value(setting, value)
    except ValueError as error:
        raise UsageError(f"{setting.name}: {error}") from error
    if setting.name == "schema" and result > SCHEMA:
        raise UsageError(
            f"schema {result} is newer than this mvault, which knows {SCHEMA}",
            hint="Update mvault: pipx upgrade mvault",
        )
    if setting.name == "vault.timezone" and result:
        find_zone(result)
    if setting.name == "vault.project" and result and not PROJECT_NAME.fullmatch(result.strip()):
        raise UsageError(
            f"vault.project: {result!r} is no plain name",
            hint="Use letters, digits, dots and hyphens; a name with a slash stands for a remote.",
        )
    if setting.name == "teams":
        _require_teams(result)
    return _both(result) if setting.name == "read_scopes" else result


def _require_teams(items: tuple[str, ...]) -> None:
    """Raise UsageError unless every item names a team vault, each by a name of its own."""
    if not items:
        return
    from vault_cli.store.team_names import parse_team

    try:
        names = [parse_team(item).name for item in items]
    except ValueError as error:
        raise UsageError(
            f"teams: {error}", hint="Write NAME LOCATION COMMIT, each with a name of its own."
        ) from error
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise UsageError(f"teams: {twice} is named twice", hint="Give each a name of its own.")


def _both(scopes: tuple[str, ...]) -> tuple[str, ...]:
    """Return which vaults are read, each once; `both` stands for all of them.

    Raises:
        UsageError: none is left.
    """
    if not scopes:
        raise UsageError(
            "read_scopes: no vault is left to read", hint="Name project, global, both."
        )
    return ("project", "global") if "both" in scopes else scopes


def hides_others(setting: Setting, value: object) -> bool:
    """Tell whether a project's `vault.toml` would take another vault out of sight by a setting."""
    return setting.name == "read_scopes" and not {"global", "both"} & set(_items(value))


def why_own(setting: Setting) -> str:
    """Say why only the person's own configuration may set something."""
    if setting.name == "read_scopes":
        return "a project's vault cannot hide your own"
    return "a vault cannot grant itself trust"


def _items(value: object) -> list[str]:
    if isinstance(value, str):
        return [item.strip() for item in value.split(",")]
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def coerce_value(setting: Setting, value: object) -> Any:
    """Return a value of the setting's type, frozen.

    Raises:
        ValueError: the value is not allowed; the text says what is.
    """
    result = _COERCE[setting.type](setting, value)
    items = [*result] if setting.type in {tuple, dict} else [result]
    wrong = [item for item in items if setting.choices and item not in setting.choices]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is not allowed; it takes {setting.allowed}")
    return result


def _refuse(setting: Setting, value: object) -> ValueError:
    return ValueError(f"{value!r} is not allowed; it takes {setting.allowed}")


def _as_int(setting: Setting, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < setting.least:
        raise _refuse(setting, value)
    return value


def _as_flag(setting: Setting, value: object) -> bool:
    if not isinstance(value, bool):
        raise _refuse(setting, value)
    return value


def _as_text(setting: Setting, value: object) -> str:
    if not isinstance(value, str):
        raise _refuse(setting, value)
    return value


def _as_list(setting: Setting, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise _refuse(setting, value)
    return tuple(dict.fromkeys(value))


def _as_table(setting: Setting, value: object) -> Mapping[str, int]:
    if not isinstance(value, Mapping):
        raise _refuse(setting, value)
    return MappingProxyType({str(key): _as_int(setting, item) for key, item in value.items()})


_COERCE: Final[dict[type, Callable[[Setting, object], Any]]] = {
    int: _as_int,
    bool: _as_flag,
    str: _as_text,
    tuple: _as_list,
    dict: _as_table,
}


def parse_value(setting: Setting, text: str) -> Any:
    """Read a value typed in a shell: `9500`, `a,b`, `lessons=3000,rules=2000`.

    Raises:
        ValueError: the text is not allowed; the message says what is.
    """
    text = text.strip()
    if setting.type is int:
        digits = text.removeprefix("-").isascii() and text.removeprefix("-").isdigit()
        return coerce_value(setting, int(text) if digits and len(text) < 19 else text)  # noqa: PLR2004
    if setting.type is str:
        return coerce_value(setting, text)
    if setting.type is bool:
        return coerce_value(setting, {"true": True, "false": False}.get(text.lower(), text))
    items = [item.strip() for item in text.split(",") if item.strip()]
    if setting.type is tuple:
        return coerce_value(setting, items)
    pairs = dict(item.partition("=")[::2] for item in items)
    bad = next((key for key, number in pairs.items() if not number.strip().isdigit()), None)
    if bad is not None:
        raise ValueError(f"{bad!r} needs a number: write group=number,group=number")
    return coerce_value(setting, {key.strip(): int(number) for key, number in pairs.items()})
