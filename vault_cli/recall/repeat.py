"""What it takes to render the same again, as plain data. Standard library, `recall`, `errors`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from vault_cli.errors import UsageError
from vault_cli.recall.block import RenderOptions
from vault_cli.recall.select import Query

_LISTS = ("scopes", "topics", "kinds")
_TEXTS = ("text", "mode", "project", "session", "branch", "curve")


def settings_data(query: Query, options: RenderOptions) -> dict[str, Any]:
    """Return a query and how it is rendered as JSON data."""
    asked: dict[str, Any] = {name: getattr(query, name) for name in _TEXTS}
    asked |= {name: list(map(str, getattr(query, name))) for name in _LISTS}
    return asked | {
        "now": query.now.isoformat(),
        "budget": options.budget,
        "unit": options.unit,
        "order": list(options.order),
        "quotas": dict(options.quotas),
    }


def read_settings(data: Mapping[str, Any]) -> tuple[Query, RenderOptions]:
    """Return the query and the options that `settings_data` wrote.

    Raises:
        UsageError: the data is of another version, or somebody changed it.
    """
    try:
        asked: dict[str, Any] = {name: _text(data[name]) for name in _TEXTS}
        asked |= {name: tuple(map(_text, data[name])) for name in _LISTS}
        query = Query(now=datetime.fromisoformat(data["now"]), **asked)
        options = RenderOptions(
            budget=_number(data["budget"]),
            unit=_text(data["unit"]),
            order=tuple(map(_text, data["order"])),
            quotas={_text(key): _number(value) for key, value in data["quotas"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError("the kept settings of a render cannot be read") from error
    if query.now.tzinfo is None:
        raise UsageError("the kept settings of a render name no time zone")
    options.check()
    return query, options


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value
