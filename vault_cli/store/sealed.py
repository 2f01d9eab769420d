"""Small files of `.state/`, sealed with this machine's secret. May import `errors`.

What came with a folder from elsewhere, was damaged, or was changed by another program is not
believed: it reads as if it were not there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from vault_cli.errors import VaultError
from vault_cli.store.files import put_in_place, read_file, temporary_name
from vault_cli.store.opening import CREATE_FLAGS, Folders
from vault_cli.store.places import machine_token

_MOST_BYTES = 32 << 20


def write_sealed(folders: Folders, path: str, data: Mapping[str, Any]) -> bool:
    """Write a JSON object; return whether this machine has a secret to seal it with.

    Whoever reads meanwhile sees the old or the new one. Nothing is forced to the disk.

    Args:
        folders: the vault, opened.
        path: vault-relative; folders are made, for this user alone.
        data: what `read_sealed` will give back.

    Raises:
        OSError, VaultError: the disk does not take it.
    """
    token = machine_token()
    if token is None:
        return False
    body = json.dumps(data, ensure_ascii=True)
    name, handle = folders.locate(path, create=True, mode=0o700)
    temporary = temporary_name(name)
    file = os.open(temporary, CREATE_FLAGS, 0o600, dir_fd=handle)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(f"{_seal(body, token)}\n{body}\n".encode("ascii"))
        put_in_place(temporary, name, handle, fresh=False)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=handle)
        raise
    return True


def read_sealed(root: Path, path: str) -> dict[str, Any] | None:
    """Return the object that `write_sealed` wrote on this machine, None when there is none."""
    token = machine_token()
    try:
        text = read_file(root, path, _MOST_BYTES).decode("ascii")
    except (VaultError, UnicodeDecodeError):
        return None
    seal, _, body = text.partition("\n")
    body = body.removesuffix("\n")
    if token is None or seal != _seal(body, token):
        return None
    data: dict[str, Any] = json.loads(body)
    return data


def _seal(body: str, token: bytes) -> str:
    return hashlib.blake2b(body.encode("ascii"), key=token, digest_size=16).hexdigest()
