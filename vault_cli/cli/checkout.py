"""The files that anchors speak about: the blob hash of a path in the project's checkout.

Nothing of the file is kept or shown, git is not started, and no path leads out of the checkout.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.cli.project import project_id

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Record

_MOST = 8 * 1024 * 1024


def blob_reader(inv: Invocation) -> Callable[[Record, str], str | None]:
    """Return the port that features ask for a file's blob hash.

    The checkout is `$MVAULT_PROJECT_ROOT`, else the one that holds a project vault (`.mvault/`),
    else the one around the working directory for records whose scope is that project. Without
    one the answer is None: nobody can say.
    """
    named = inv.environ.get("MVAULT_PROJECT_ROOT", "").strip()
    given = Path(named).expanduser() if named else None
    if given is None and inv.root.name == ".mvault":
        given = inv.root.parent
    top = None if given else _top(inv.cwd)
    here = project_id(inv.cwd, inv.root) if top else ""

    def read(record: Record, path: str) -> str | None:
        if given is not None:
            return blob_of(given, path)
        if top is not None and here and str(record.scope) == f"project:{here}":
            return blob_of(top, path)
        return None

    return read


def _top(cwd: Path) -> Path | None:
    return next((folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), None)


def blob_of(root: Path, path: str) -> str | None:
    """Return git's hash of a file's present content: "" when it is not there, None unless a file.

    Args:
        root: the checkout.
        path: from its root, with slashes; one that leads out of it is not looked at.
    """
    base = os.path.realpath(root)
    full = os.path.realpath(os.path.join(base, path))  # noqa: PTH118 - as the system resolves it
    if path.startswith(("/", "\\", "~")) or not full.startswith(base + os.sep):
        return None
    try:
        facts = os.stat(full)  # noqa: PTH116
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _MOST:
            return None
        data = Path(full).read_bytes()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None
    import hashlib  # few records have anchors

    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
