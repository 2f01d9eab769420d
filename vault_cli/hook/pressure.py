"""How full the context is, and how long the log of a session is. Standard library, `hook`.

A host says neither in its events; both are read from the session's log, of which the event names
the path. A log of another shape says nothing, and nothing is said then.
"""

from __future__ import annotations

from vault_cli.hook import events
from vault_cli.hook.jsons import loads
from vault_cli.hook.system import calls, open_plain

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FULL = 70
"""Percent of the context from which a session is told."""

TAIL = 256 << 10
"""Bytes at the end of a log in which the last model step stands."""

_CHUNK = 1 << 20
_MOST = 256 << 20
"""Bytes of a log whose lines are counted; of a longer one nothing is said."""

_LONGEST = 300
_OF_STEP = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


def log_path(payload: object) -> str:
    """Return the path of a session's log as an event names it, "" for none that can be told."""
    path = events.text_of(payload, "transcript_path", "transcriptPath")
    plain = path.startswith("/") and path.isprintable() and "`" not in path
    return path if plain and len(path) <= _LONGEST else ""


def fullness(path: str, window: int) -> int:
    """Return how many percent of the context the last model step took, 0 where that is not known.

    Args:
        path: of the session's log.
        window: tokens of the context, where the log does not say.
    """
    data = b"".join(_parts(path, TAIL)) if path else b""
    for line in reversed(data.split(b"\n")):
        if b'"usage"' not in line and b'"token_count"' not in line:
            continue
        try:
            used, whole = _step(loads(line))
        except (ValueError, RecursionError, TypeError, AttributeError):
            continue
        if used:
            whole = whole or window
            return min(100, 100 * used // whole) if whole > 0 else 0
    return 0


def _step(data: Any) -> tuple[int, int]:
    """Return the tokens of one model step, and of the context where the line says it (Codex)."""
    info = data["payload"].get("info") if "payload" in data else None
    if info:
        whole = int(info.get("model_context_window") or 0)
        return int(info["last_token_usage"]["total_tokens"]), whole
    if data.get("isSidechain") or "message" not in data:
        return 0, 0
    usage = data["message"].get("usage") or {}
    return sum(int(usage.get(name) or 0) for name in _OF_STEP), 0


def count_lines(path: str) -> int:
    """Return how many whole lines a log has, 0 where it cannot be told."""
    return sum(part.count(b"\n") for part in _parts(path, 0)) if path else 0


def _parts(path: str, tail: int) -> Iterator[bytes]:
    """Yield a regular file in parts, or only its end; nothing for anything else."""
    try:
        file = open_plain(path, calls.O_RDONLY)
    except OSError:
        return
    try:
        facts = calls.fstat(file)
        if not tail and facts.st_size > _MOST:
            return
        if tail:
            calls.lseek(file, max(0, facts.st_size - tail), 0)
        while part := calls.read(file, _CHUNK):
            yield part
    except OSError:
        return
    finally:
        calls.close(file)
