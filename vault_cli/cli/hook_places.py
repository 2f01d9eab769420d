"""What an answer of a hook depends on: places to look at (`hook.ready`). + all below `cli`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_cli.hook import ready

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.recall.select import Pick


def all_places(inv: Invocation) -> Iterator[tuple[str, str]]:
    """Yield all that a block of this place is made of, and all that could come into it."""
    from vault_cli.cli.project import find_checkout
    from vault_cli.store.config import user_config_path
    from vault_cli.store.lock import JOURNAL_PATH
    from vault_cli.store.places import state_folder

    layers, roots = inv.layers, all_roots(inv)
    for root in roots:
        yield ready.TREE, os.fspath(root)
        yield ready.FILE, os.fspath(root / JOURNAL_PATH)
    yield ready.FILE, os.fspath(user_config_path(inv.environ))
    yield ready.FILE, os.fspath(Path(__file__).parents[1] / "__init__.py")
    yield from vault_places(inv)
    checkouts = [find_checkout(inv.cwd, layers.home), *_checkouts_of(roots)]
    found = {os.fspath(d) for c in checkouts if c is not None for d in (c.git_dir, c.common_dir)}
    for folder in sorted(found):
        yield ready.GIT, folder
    for group in ("incoming", "trust", "made", "signed", "signatures", "teams"):
        yield ready.TREE, os.fspath(state_folder() / group)


def vault_places(inv: Invocation) -> Iterator[tuple[str, str]]:
    """Yield where a vault or a repository may be found that is read in this folder."""
    from vault_cli.store.places import PROJECT_FOLDER, user_folder

    yield ready.FILE, os.fspath(user_folder("data") / "vault.toml")
    for folder in (inv.cwd, *inv.cwd.parents):
        for name in (".git", "vault.toml", f"{PROJECT_FOLDER}/vault.toml"):
            yield ready.THERE, os.fspath(folder / name)


def _checkouts_of(roots: list[Path]) -> Iterator[Any]:
    from vault_cli.store.git_place import find_place

    return (find_place(root) for root in roots)


def stamped(place: tuple[str, str]) -> tuple[str, str, str, int]:
    """Return a place with its stamp, and when it was changed last."""
    return (*place, *ready.look(*place))


def vault_folders(inv: Invocation) -> Iterator[tuple[str, str]]:
    """Yield every folder of the vaults."""
    for root in all_roots(inv):
        yield from ((ready.FILE, path) for path in ready.folders_below(os.fspath(root)))


def other_files(inv: Invocation) -> Iterator[tuple[str, str]]:
    """Yield the files of the vaults that are no records: few, and each may count for many."""
    for root in all_roots(inv):
        for folder in ready.folders_below(os.fspath(root)):
            with suppress(OSError), os.scandir(folder) as entries:
                names = sorted(e.name for e in entries if not e.is_dir(follow_symlinks=False))
                yield from ((ready.FILE, f"{folder}/{n}") for n in names if not n.endswith(".md"))


def tops(inv: Invocation) -> dict[str, str]:
    """Return the folder of each vault, by what its records are marked with."""
    return {"": os.fspath(inv.layers.home)} | {
        inv.layers.name_of(root): os.fspath(root) for root in read_roots(inv)
    }


def anchored(inv: Invocation, picks: Sequence[Pick]) -> Iterator[tuple[str, str]]:
    """Yield what decides whether the code that records name has changed."""
    from vault_cli.cli.checkout import AnchorReader
    from vault_cli.cli.rendering import find_project
    from vault_cli.model.anchors import read_anchors

    records = [pick.record for pick in picks if "anchors" in pick.record.fields]
    top = AnchorReader(inv, find_project).top if records else None
    if top is None:
        return
    paths = {anchor.path for r in records for anchor in read_anchors(r) if not anchor.problem}
    for path in sorted(paths):
        file = Path(os.path.realpath(top)) / path
        yield ready.FILE, os.fspath(file)
        for folder in file.parents:
            yield ready.THERE, os.fspath(folder)
            yield ready.FILE, os.fspath(folder / ".gitattributes")
            if folder == top:
                break
        if not os.path.lexists(file):  # it may have been there while the block was made
            near = next(folder for folder in file.parents if folder.is_dir())
            yield ready.FILE, os.fspath(near)


def all_roots(inv: Invocation) -> list[Path]:
    """Return the folders of all vaults at hand, also of one that is not read."""
    layers = inv.layers
    return [root for root in (layers.home, layers.beside, layers.hidden) if root is not None]


def read_roots(inv: Invocation) -> list[Path]:
    """Return the folders of the vaults that are read."""
    return [root for root in (inv.layers.home, inv.layers.beside) if root is not None]
