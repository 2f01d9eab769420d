"""The spool: events as they came in, one frame each, until a full run folds them. Standard library.

A frame is two lines: `mv1 <unix time> <host> <event> <length> <crc32 hex>[ cut]` and the payload;
the sum is that of time, host, event, length and ` cut` as they stand there, then of the payload.
A payload is JSON, in which a line end is only a space between words, so line ends are written as
spaces: no payload can hold a line that reads as a header. A frame is one write at the end of the
file: a kill leaves it whole, torn, or not there, and never touches another one.
"""

from __future__ import annotations

from vault_cli.hook.state import FOLDER, append_bytes, spare_folder

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from vault_cli.hook.call import Call
    from vault_cli.hook.frames import Reader
    from vault_cli.hook.guard import Verdict

NAMES = ("spool", "events.bin")
MAX_PAYLOAD = 256 << 10
"""Bytes of a payload that are kept."""

MAX_SPOOL = 64 << 20
"""Bytes of a spool that nobody folds; what comes later is not kept."""

GIVEN = "given"
"""Event of a frame of our own: which records a session was given (JSON, see `cli.hooking`)."""

HIT = "hit"
"""Event of a frame of our own: a guard that was hit."""

_LONG = 16 << 10
_TAIL = 4 << 10


def append(state: str, header: tuple[int, str, str], raw: bytes) -> str:
    """Append an event to the spool; return the path of the file it went to.

    Args:
        state: the state folder; where it cannot be written, the spare folder is taken.
        header: Unix time, canonical host and event.
        raw: the payload as it came.

    Raises:
        OSError: no place takes it.
    """
    from binascii import crc32

    when, host, event = header
    cut = ""
    if len(raw) > MAX_PAYLOAD:
        raw, cut = _shorten(raw), " cut"
    raw = raw.replace(b"\r", b" ").replace(b"\n", b" ")
    facts = f"{when} {host or '-'} {event} {len(raw)}"
    digest = crc32(raw, crc32(f"{facts}{cut}".encode("ascii")))
    head = f"mv1 {facts} {digest:08x}{cut}\n".encode("ascii")
    return append_bytes(state, NAMES, head + raw + b"\n", MAX_SPOOL)


def read(path: str) -> Reader:
    """Return the frames of a spool file; torn and damaged ones are skipped and counted."""
    from vault_cli.hook.frames import Reader

    return Reader(path)


def spools(state: str) -> list[str]:
    """Return the spool files there are: of the state folder, then of the spare folder."""
    import os

    places = ("/".join((base, *NAMES)) for base in (f"{state}/{FOLDER}", spare_folder(state)))
    return [path for path in places if os.path.isfile(path) and not os.path.islink(path)]


def note_hit(call: Call, verdict: Verdict) -> None:
    """Take a hit of a guard down for the observations, and our words so that they are known again.

    Args:
        call: the event, with its payload.
        verdict: what the guard says of it.
    """
    import time

    from vault_cli.hook import events, injected
    from vault_cli.hook.jsons import dumps

    data = {
        "guard": verdict.id,
        "vault": verdict.vault,
        "action": verdict.action,
        "session": events.session_of(call.payload),
        "call": events.text_of(call.payload, "tool_use_id", "toolUseId"),
    }
    try:
        append(call.state, (int(time.time()), call.host, HIT), dumps(data))
        if verdict.reason:
            injected.remember(call.state, [verdict.reason])
    except OSError as error:
        call.complain(f"a hit is not kept: {error.strerror or error}")


def is_spare(state: str, path: str) -> bool:
    """Tell whether a spool file is that of the spare folder of a state folder."""
    return path == "/".join((spare_folder(state), *NAMES))


def _shorten(raw: bytes) -> bytes:
    """Shorten the long texts of a payload, so that it stays JSON; what is none is cut off."""
    from vault_cli.hook.jsons import dumps, loads

    try:
        data = dumps(_short(loads(raw)))
    except (ValueError, RecursionError):
        data = raw
    return data[:MAX_PAYLOAD]


def _short(value: object) -> object:
    if isinstance(value, str) and len(value) > _LONG:
        return f"{value[: _LONG - _TAIL]} [...] {value[-_TAIL:]}"
    if isinstance(value, dict):
        return {str(key)[:_LONG]: _short(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_short(item) for item in value]
    return value
