"""Names made of what they name. Standard library only."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

ID_DIGITS: Final = 16


def receipt_id(text: str, ids: Iterable[str]) -> str:
    """Return the name of a render: a digest of its block and of the ids shown, 16 hex digits.

    The same block gives the same name on every machine and day.
    """
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]  # without OpenSSL, which takes 2 ms to load
    except ImportError:
        from hashlib import sha256
    whole = "\0".join((text, *ids)).encode("utf-8", "surrogatepass")
    return str(sha256(whole).hexdigest()[:ID_DIGITS])
