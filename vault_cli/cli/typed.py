"""What a person typed, as the vault calls it. May import `errors`."""

from __future__ import annotations

import os
from pathlib import Path

from vault_cli.errors import NotFoundError, UsageError


def path_in_vault(root: Path, cwd: Path, text: str) -> str:
    """Return the vault-relative path that a person typed, absolute or from here.

    Raises:
        UsageError: it is not inside the vault. NotFoundError: there is no such file.
    """
    real = os.path.realpath(root)
    places = [os.path.join(cwd, text), os.path.join(real, text)]  # noqa: PTH118 - names may be undecodable
    found = next((place for place in places if os.path.lexists(place)), None)
    if found is None:
        raise NotFoundError(f"no such file: {text}", hint="Paths start here or at the vault.")
    folder, name = os.path.split(os.path.abspath(found))  # noqa: PTH100
    full = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
    if not full.startswith(real + os.sep):
        raise UsageError(
            f"{text} is not inside the vault {real}", hint="Move or copy it into the vault first."
        )
    return full[len(real) + 1 :].replace(os.sep, "/")
