"""Fingerprints of what we said to an agent, so that capture never takes it for news. Standard lib.

`STATE/hook/injected` has one fingerprint a line. A line is known again whatever stands around its
words: a list sign, a quotation, another case, the spacing of a transcript.
"""

from __future__ import annotations

from vault_cli.hook.state import FOLDER, append_bytes, spare_folder
from vault_cli.hook.system import open_plain

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "injected"
LEAST = 12
"""Lines of fewer letters and digits have no fingerprint: a person may well say the same."""

MAX_FILE = 8 << 20
_WIDE = "\u2e80"
_DIGITS = 16
"""Hex digits of a fingerprint."""


def normalise(line: str) -> str:
    """Return what of a line counts: its letters and digits in lower case."""
    return "".join(char for char in line.casefold() if char.isalnum())


def fingerprint(line: str) -> str:
    """Return the fingerprint of a line, 16 hex digits; "" of one that is too short for any.

    A sign of Chinese or Japanese writing stands for two letters.
    """
    plain = normalise(line)
    if len(plain) < LEAST and len(plain) + sum(char >= _WIDE for char in plain) < LEAST:
        return ""
    return digest(plain.encode("utf-8", "surrogatepass"))


def digest(data: bytes, key: bytes = b"", size: int = _DIGITS // 2) -> str:
    """Return a digest in hex; with a key, one that only who has the key can make."""
    try:
        from _blake2 import blake2b  # without OpenSSL, which takes 2 ms to load
    except ImportError:
        from hashlib import blake2b
    return str(blake2b(data, key=key, digest_size=size).hexdigest())


def remember(state: str, texts: Iterable[str]) -> None:
    """Add the lines of texts that we said to what is known; what is there is not added again.

    Raises:
        OSError: it cannot be kept.
    """
    known = load(state)
    lines = (line for text in texts for line in text.splitlines())
    fresh = [mark for mark in dict.fromkeys(map(fingerprint, lines)) if mark and mark not in known]
    if fresh:
        append_bytes(state, (NAME,), "".join(f"{mark}\n" for mark in fresh).encode(), MAX_FILE)


def load(state: str) -> set[str]:
    """Return the fingerprints that are known; a torn line is left out."""
    found: set[str] = set()
    for base in (f"{state}/{FOLDER}", spare_folder(state)):
        try:
            with open(f"{base}/{NAME}", "rb", opener=open_plain) as file:
                data = file.read(2 * MAX_FILE)
        except OSError:
            continue
        lines = data.decode("ascii", "replace").split("\n")
        found.update(line for line in lines if len(line) == _DIGITS)
    return found
