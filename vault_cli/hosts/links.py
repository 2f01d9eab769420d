"""Links of a checkout that lead out of it: no file to write through. May import `errors`, `text`.

Whoever made a checkout chose where its links lead, and a person who names `AGENTS.md` means the
file of the project. A link that lies outside of every checkout is the person's own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from vault_cli.errors import RefusedError
from vault_cli.store.places import PROJECT_FOLDER
from vault_cli.text.names import show_path

_MOST_LINKS = 40
"""As many as systems follow on a path; links in a circle have no end."""


def require_no_way_out(target: Path) -> None:
    """Refuse a path on which a link in a checkout leads to a place outside of that checkout.

    Args:
        target: need not exist.

    Raises:
        RefusedError: there is one; it is named with where it leads. Or the links lead nowhere.
    """
    for link in _links_on(target):
        top = _checkout_of(link.parent)
        real = Path(os.path.realpath(link))
        if top is not None and not real.is_relative_to(top):
            raise RefusedError(
                f"{show_path(str(link))} is a link that leads out of {show_path(str(top))}, to"
                f" {show_path(str(real))}; nothing was written",
                hint="If that file is meant, name it itself; else put a file in the link's place.",
            )


def _links_on(target: Path) -> Iterator[Path]:
    """Yield every link that is followed on the way to a file, each below its real folder."""
    path = Path(os.path.abspath(target.parent)) / target.name  # noqa: PTH100 - links stay
    here, todo = Path(path.anchor), list(reversed(path.parts[1:]))
    found = 0
    while todo:
        part = todo.pop()
        if part == "..":
            here = here.parent
            continue
        step = here / part
        if not step.is_symlink():
            here = step
            continue
        found += 1
        if found > _MOST_LINKS:
            raise RefusedError(
                f"{show_path(str(target))}: its links lead nowhere; nothing was written",
                hint="Name another file.",
            )
        yield step
        leads = step.readlink()
        here = Path(leads.anchor) if leads.is_absolute() else here
        todo += reversed(leads.parts[1:] if leads.is_absolute() else leads.parts)


def _checkout_of(folder: Path) -> Path | None:
    """Return the top of the repository that a folder lies in, or of the project with a vault."""
    around = (folder, *folder.parents)
    for names in ((".git",), (f"{PROJECT_FOLDER}/vault.toml", "vault.toml")):
        for each in around:
            if any(os.path.lexists(each / name) for name in names):
                return each
    return None
