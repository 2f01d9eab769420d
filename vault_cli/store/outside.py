"""Which records git was told to leave out of the work tree. May import `store`, `errors`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vault_cli.errors import Diagnostic, StoreError
from vault_cli.store.git_place import find_place, has_sparse_rules

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository

_MOST_NAMED: Final = 3


def find_outside(
    root: Path, ignore: Collection[str], open_repo: Callable[[], Repository | None]
) -> tuple[Diagnostic, ...]:
    """Return a finding that names the records outside of the work tree, none when there are none.

    Args:
        root: the vault.
        ignore: setting `files.ignore`.
        open_repo: gives its repository; only called where git may leave files out.
    """
    try:
        place = find_place(root)
        if place is None or not has_sparse_rules(place):
            return ()
        repo = open_repo()
        paths = repo.outside_checkout() if repo is not None else []
    except StoreError:  # said when git is needed
        return ()
    from vault_cli.store.file_names import is_record_path
    from vault_cli.store.opening import show_name

    left = [path for path in paths if is_record_path(path, tuple(ignore))]
    if not left:
        return ()
    words = "1 record is" if len(left) == 1 else f"{len(left)} records are"
    named = ", ".join(map(show_name, left[:_MOST_NAMED])) + (" …" if left[_MOST_NAMED:] else "")
    text = f"{words} outside the sparse checkout and not read: {named}"
    hint = (
        "`git sparse-checkout list` shows what is checked out; `git ls-files -t` marks with S what"
        " is left out."
    )
    return (Diagnostic("", 0, "sparse-checkout", "warning", text, hint),)
