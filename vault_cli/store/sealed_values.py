"""Plain values in files of `.state/`, sealed with this machine's secret. May import `errors`.

For large ones that are read often: `marshal` is several times faster than JSON. What was not sealed
here, for this place and by this Python is not read.
"""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from vault_cli.errors import VaultError
from vault_cli.store.files import put_in_place, temporary_name
from vault_cli.store.opening import CREATE_FLAGS, Folders, read_at

_LAYOUT: Final = b"3"
_MOST_CACHE: Final = 1 << 29
_SEAL: Final = 32


def _key_of(root: Path, token: bytes) -> bytes:
    """Return the key of the seals: machine, place, layout and Python (`marshal` is its own)."""
    from hashlib import blake2b

    place = os.fsencode(os.path.realpath(root))
    python = sys.version.encode()
    return blake2b(b"\0".join((b"usage", _LAYOUT, python, place)), key=token).digest()[:_SEAL]


class SealedValues:
    """Sealed values in files of `.state/`; none of its methods raises for a bad one."""

    def __init__(self, folders: Folders, root: Path, token: bytes) -> None:
        self._folders = folders
        self._key = _key_of(root, token)

    def read(self, path: str) -> Any:
        """Return a value, None when there is none to believe."""
        try:
            data, _ = read_at(*self._folders.locate(path), _MOST_CACHE)
            if len(data) > _SEAL and self._seal(data[_SEAL:]) == data[:_SEAL]:
                return marshal.loads(data[_SEAL:])  # noqa: S302 - sealed by us
        except (OSError, VaultError, ValueError, EOFError, TypeError):
            return None
        return None

    def write(self, path: str, value: Any) -> None:
        """Keep a value; where that is not possible it is worked out again next time."""
        body = marshal.dumps(value)
        with suppress(OSError, VaultError):
            name, handle = self._folders.locate(path)
            temporary = temporary_name(name)
            file = os.open(temporary, CREATE_FLAGS, 0o600, dir_fd=handle)
            try:
                with os.fdopen(file, "wb") as stream:
                    stream.write(self._seal(body) + body)
                put_in_place(temporary, name, handle, fresh=False)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=handle)
                raise

    def _seal(self, body: bytes) -> bytes:
        from hashlib import blake2b

        return blake2b(body, key=self._key, digest_size=_SEAL).digest()
