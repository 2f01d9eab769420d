"""What is wrong with the arguments of a call, in words for a model. Standard library only.

The SDK tells it in the words of a library, with addresses of its pages; a model needs the name of
the argument, what it may be, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

_KINDS: Final = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list of texts",
    "dict_type": "an object of texts by name",
    "model_type": "an object",
}


def explain_faults(
    tool: str, found: Iterable[Mapping[str, Any]], parameters: Mapping[str, Any]
) -> str:
    """Return one line for each fault of the arguments of a call.

    Args:
        tool: its name.
        found: the faults as pydantic lists them: `loc`, `type`, `ctx`, `msg`.
        parameters: the JSON Schema of the tool's arguments.
    """
    known = parameters.get("properties", {})
    lines = []
    for fault in found:
        path = [str(part) for part in fault["loc"]]
        name = ".".join(path) or "the call"
        if fault["type"] == "extra_forbidden":
            lines.append(f"{tool} has no argument {name[:80]}; it takes: {', '.join(known)}")
        else:
            bounds = known.get(path[0], {}) if path else {}
            lines.append(f"{name[:80]} {_wanted(fault, bounds)}")
    return "\n".join(dict.fromkeys(lines))


def _wanted(fault: Mapping[str, Any], bounds: Mapping[str, Any]) -> str:
    kind = str(fault["type"])
    if kind in _KINDS:
        return f"has to be {_KINDS[kind]}"
    told = _SAID.get(kind)
    return told(fault.get("ctx") or {}, bounds) if told else f"is not right: {fault['msg']}"


def _range(_: Mapping[str, Any], bounds: Mapping[str, Any]) -> str:
    """Say between which numbers; an argument that may be left out has them one level deeper."""
    among = [bounds, *bounds.get("anyOf", ())]
    low = next((one["minimum"] for one in among if "minimum" in one), None)
    high = next((one["maximum"] for one in among if "maximum" in one), None)
    return f"has to be at least {low}" if high is None else f"has to be {low} to {high}"


_SAID: Final[Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], str]]] = {
    "missing": lambda _, __: "is needed",
    "literal_error": lambda context, _: f"has to be one of {context.get('expected', '')}",
    "greater_than_equal": _range,
    "less_than_equal": _range,
    "string_too_short": lambda _, __: "must not be empty",
    "too_short": lambda _, __: "must not be empty",
}
