"""JSON by the C half of `json`, whose other half loads `re` and takes 5 ms. Standard library only.

Where Python has no such half, `json` itself is used. What is read and written is the same.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from typing import Any

_BLANKS = " \t\n\r"


class _Context:
    """What `json.JSONDecoder` gives its scanner."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 - one run, one reader


def _refuse(value: object) -> Any:
    raise TypeError(f"{type(value).__name__} is not JSON")


def loads(raw: bytes) -> Any:
    """Return the value of a JSON text in UTF-8.

    Raises:
        ValueError: it is not JSON, or not UTF-8. RecursionError: it is nested too deeply.
    """
    text = raw.decode("utf-8").strip(_BLANKS)
    try:
        from _json import make_scanner

        context: Any = _Context()
        scan = make_scanner(context)
    except (ImportError, TypeError, AttributeError):
        from json import loads as slow

        return slow(text)
    try:
        value, end = scan(text, 0)
    except StopIteration:
        raise ValueError("not JSON") from None
    if end != len(text):
        raise ValueError("more than one value")
    return value


def dumps(value: Any) -> bytes:
    """Return a value as JSON in ASCII, without blanks."""
    try:
        from _json import encode_basestring_ascii as spell
        from _json import make_encoder

        encode = make_encoder(None, _refuse, spell, None, ":", ",", False, False, True)  # noqa: FBT003
    except (ImportError, TypeError):
        from json import dumps as slow

        return slow(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    return "".join(encode(value, 0)).encode("ascii")
