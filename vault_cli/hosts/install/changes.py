"""A file of an agent program before and after. Values, and the one place that writes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vault_cli.errors import ChangedMeanwhileError, NotFoundError, RefusedError, StoreError
from vault_cli.hosts.links import require_no_way_out
from vault_cli.store.files import read_file, remove_file, write_file
from vault_cli.text.names import show_path

_LARGEST = 8 << 20
_MODE = 0o600


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file, or one link, as it is and as it is to be.

    Args:
        path: where it is; links in the way are followed.
        old: its text, None when it is not there.
        new: its text to be, None when it goes away.
        what: a few words for a person.
        link: where a link is to lead, for a link and not a text; `old` and `new` are then "" or
            None.
        below: folders that this leaves empty go too, but for those right below this one; None =
            they stay.
    """

    path: Path
    old: str | None
    new: str | None
    what: str
    link: Path | None = None
    below: Path | None = None

    @property
    def changes(self) -> bool:
        """Whether anything is to be done."""
        return self.old != self.new


@dataclass(slots=True)
class Installation:
    """All that an install or an uninstall of one host does.

    Args:
        changes: the files.
        notes: what a person does by hand, or should know.
    """

    changes: list[FileChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def edit(self, path: Path, change: Callable[[str], str], what: str) -> None:
        """Plan another edit of a text file; edits of one file add up.

        Args:
            path: the file; it need not exist.
            change: from its text ("" for no file) to the new one ("" for no file).
            what: a few words about it.

        Raises:
            RefusedError: the file cannot be read, `change` finds it unfit, or a link in a checkout
                leads out of it on the way to the file.
        """
        require_no_way_out(path)
        real = Path(os.path.realpath(path))
        before = next((each for each in self.changes if each.path == real), None)
        old = read_text(real) if before is None else before.old
        text = (old or "") if before is None else (before.new or "")
        new = change(text)
        if before is not None:
            self.changes.remove(before)
            what = f"{before.what}, {what}"
        self.changes.append(FileChange(real, old, new or None, what))


def read_text(path: Path) -> str | None:
    """Return the text of a file, None when there is none; links are followed.

    Raises:
        RefusedError: it is no UTF-8 text, or too large.
        StoreError: the disk says no.
    """
    path = Path(os.path.realpath(path))
    if not path.parent.is_dir():
        return None
    try:
        return read_file(path.parent, path.name, _LARGEST).decode("utf-8")
    except NotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise RefusedError(
            f"{show_path(str(path))} is not UTF-8 text; nothing was written",
            hint="Save it as UTF-8 and run the command again.",
        ) from error


def carry_out(changes: Iterable[FileChange]) -> None:
    """Write what is planned, each file atomically, in the order given.

    Raises:
        ChangedMeanwhileError: a file is no longer what the plan was made on.
        StoreError: the disk says no; files before it are written, itself is as it was.
    """
    for change in changes:
        if change.link is not None:
            _place_link(change)
            continue
        if read_text(change.path) != change.old:
            raise ChangedMeanwhileError(
                f"{show_path(str(change.path))} was changed meanwhile",
                hint="Run the command again.",
            )
        if change.new is None:
            root = change.below or change.path.parent
            remove_file(root, change.path.relative_to(root).as_posix())
        else:
            root = next(parent for parent in change.path.parents if parent.is_dir())
            relative = change.path.relative_to(root).as_posix()
            write_file(root, relative, change.new.encode("utf-8"), mode=_MODE)


def _place_link(change: FileChange) -> None:
    try:
        if change.new is None:
            change.path.unlink()
            return
        change.path.parent.mkdir(parents=True, exist_ok=True)
        change.path.symlink_to(change.link or "", target_is_directory=True)
    except OSError as error:
        raise StoreError(
            f"{show_path(str(change.path))}: {error.strerror}",
            hint="Links may not be allowed here: --skills copy writes copies.",
        ) from error


def only_changes(changes: Sequence[FileChange]) -> list[FileChange]:
    """Return those that do something."""
    return [change for change in changes if change.changes]
