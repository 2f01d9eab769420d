"""Replace several files as one step that can be taken back. May import `errors`, `store.files`.

All new texts are written to temporaries first, so that a full disk changes nothing. Then each old
file is set aside beside its place (a hard link or a rename: neither needs space) and the new one
put there. `.state/journal` says what belongs together: the next change finds it after a crash
and puts the old files back, unless the commit was already made.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from vault_cli.errors import (
    ChangedMeanwhileError,
    NotFoundError,
    VaultError,
)
from vault_cli.store.files import (
    clean_temporaries,
    digest_bytes,
    prune_folders,
    put_in_place,
    read_file,
    remove_file,
    stat_plain,
    temporary_name,
    write_file,
    write_temporary,
)
from vault_cli.store.lock import JOURNAL_PATH
from vault_cli.store.opening import (
    Folders,
    explain_os_error,
    read_at,
    show_name,
    sync_folder,
)
from vault_cli.store.places import machine_token

MAX_CHANGED: Final = 64 << 20
"""Files of a change that are no records (an observation log) may be this large."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one path.

    Args:
        path: vault-relative path.
        before: digest of the bytes that must be there, "" for none.
        data: new bytes, None to remove the file.
        after: digest of the new bytes, "" for none.
        temporary: name in the same folder that holds the new bytes until they get their place.
        aside: name in the same folder under which the old file is kept until the commit.
    """

    path: str
    before: str
    data: bytes | None
    after: str = ""
    temporary: str = ""
    aside: str = ""


def plan_step(path: str, before: str, data: bytes | None) -> Step:
    """Return the step for one path, its digests filled in."""
    return Step(path, before, data, "" if data is None else digest_bytes(data))


def current_digest(root: Path, path: str) -> str:
    """Return the digest of a file, "" when nothing is there.

    Raises:
        StoreError: something else than a readable plain file stands there.
    """
    try:
        return digest_bytes(read_file(root, path, MAX_CHANGED))
    except NotFoundError:
        return ""


class Replacement:
    """The files of one change, written together or not at all.

    Args:
        root: vault root; its lock must be held.
        steps: what to do; paths are distinct.
        head: commit the repository is at, to tell after a crash whether the change was committed.
    """

    def __init__(self, root: Path, steps: Iterable[Step], head: str = "") -> None:
        self._root = root
        self._steps = list(steps)
        self.head = head
        self._reached = 0

    @property
    def needs_journal(self) -> bool:
        """Whether a crash could leave a mix; one new file is there or it is not."""
        return len(self._steps) > 1 or bool(self._steps[0].before)

    def write(self) -> None:
        """Put all new bytes in place.

        Raises:
            ChangedMeanwhileError: a file is not what it was planned on.
            StoreError: the disk failed; everything is as before.
        """
        try:
            self._stage()
            if self.needs_journal:
                self._write_journal()
            for step in self._steps:
                self._swap(step)
        except BaseException:
            self.undo()
            raise

    def undo(self) -> None:
        """Put everything back as it was (what cannot be is left to the journal)."""
        clean = True
        for number, step in reversed(list(enumerate(self._steps, 1))):
            try:
                undo_step(self._root, step, restore=number <= self._reached)
            except (OSError, VaultError):
                clean = False
        if clean:
            _drop_journal(self._root)

    def finish(self, *, committed: bool) -> None:
        """Forget the old files: the change stands.

        A left-over that cannot be removed is left to the journal, if the next run can tell by
        the commit that the change is complete.
        """
        clean = True
        for step in self._steps:
            for name in filter(None, (step.temporary, step.aside)):
                clean &= _unlink_beside(self._root, step.path, name)
            if step.data is None and not step.after:
                with suppress(OSError, VaultError), Folders(self._root) as folders:
                    prune_folders(folders, step.path)
        if clean or not committed:
            _drop_journal(self._root)

    def _stage(self) -> None:
        with Folders(self._root) as folders:
            for number, step in enumerate(self._steps):
                try:
                    self._steps[number] = self._stage_one(folders, step)
                except OSError as error:
                    raise explain_os_error(error, step.path, "write") from error

    def _stage_one(self, folders: Folders, step: Step) -> Step:
        name, handle = folders.locate(step.path, create=step.data is not None)
        aside = os.path.basename(temporary_name(name)) if step.before else ""  # noqa: PTH119
        if step.data is None:
            return replace(step, aside=aside)
        temporary = write_temporary(name, handle, step.data)
        return replace(step, aside=aside, temporary=os.path.basename(temporary))  # noqa: PTH119

    def _write_journal(self) -> None:
        steps = [{**asdict(step), "data": None} for step in self._steps]
        text = json.dumps({"head": self.head, "steps": steps}).encode("ascii")
        write_file(self._root, JOURNAL_PATH, _seal(self._root, text) + b"\n" + text)

    def _swap(self, step: Step) -> None:
        try:
            with Folders(self._root) as folders:
                name, handle = folders.locate(step.path)
                if current_digest(self._root, step.path) != step.before:
                    raise changed_meanwhile(step.path)
                self._reached += 1
                aside = _beside(name, step.aside)
                if step.data is None:
                    os.replace(name, aside, src_dir_fd=handle, dst_dir_fd=handle)
                else:
                    if step.before:
                        _keep_aside(name, aside, handle)
                    temporary = _beside(name, step.temporary)
                    put_in_place(temporary, name, handle, fresh=not step.before)
                sync_folder(handle)
        except FileExistsError as error:
            raise changed_meanwhile(step.path) from error
        except OSError as error:
            raise explain_os_error(error, step.path, "write") from error


def changed_meanwhile(path: str) -> ChangedMeanwhileError:
    """Return the error for a file that is not what a change was planned on."""
    return ChangedMeanwhileError(
        f"{show_name(path)} was changed by somebody else meanwhile; nothing was written",
        hint="Look at the file and run the command again.",
    )


def _beside(name: str, other: str) -> str:
    # `name` is bare when folders are descriptors, and a whole path on Windows.
    return os.path.join(os.path.dirname(name), other)  # noqa: PTH118, PTH120


def _keep_aside(name: str, aside: str, handle: int | None) -> None:
    """Give the old file a second name; a copy where there are no hard links."""
    try:
        os.link(name, aside, src_dir_fd=handle, dst_dir_fd=handle, follow_symlinks=False)
    except FileExistsError:
        raise
    except (NotImplementedError, OSError):
        data, _ = read_at(name, handle, MAX_CHANGED)
        os.replace(write_temporary(name, handle, data), aside, src_dir_fd=handle, dst_dir_fd=handle)


def undo_step(root: Path, step: Step, *, restore: bool = True) -> None:
    """Take one step back where it was taken; a text somebody wrote since stays.

    Without `restore` only the step's temporaries are removed.

    Raises:
        OSError, StoreError: the disk does not let us.
    """
    now = current_digest(root, step.path)
    with Folders(root) as folders:
        try:
            name, handle = folders.locate(step.path)
        except FileNotFoundError:
            return
        aside = _beside(name, step.aside) if step.aside else ""
        kept = bool(aside) and stat_plain(aside, handle) is not None
        if restore and now == step.after and now != step.before:
            if kept:
                os.replace(aside, name, src_dir_fd=handle, dst_dir_fd=handle)
            elif not step.before:
                os.unlink(name, dir_fd=handle)
        for other in filter(None, (step.temporary, step.aside)):
            with suppress(FileNotFoundError):
                os.unlink(_beside(name, other), dir_fd=handle)
        sync_folder(handle)
        prune_folders(folders, step.path)


def _unlink_beside(root: Path, path: str, name: str) -> bool:
    try:
        with Folders(root) as folders:
            place, handle = folders.locate(path)
            os.unlink(_beside(place, name), dir_fd=handle)
    except FileNotFoundError:
        return True
    except (OSError, VaultError):
        return False
    return True


def _drop_journal(root: Path) -> None:
    try:
        remove_file(root, JOURNAL_PATH)
    except NotFoundError:
        return
    except VaultError:  # an empty one says as well that nothing is left to do
        with suppress(VaultError):
            write_file(root, JOURNAL_PATH, b"")


def recover(root: Path, is_committed: Callable[[str, list[Step]], bool]) -> tuple[str, ...]:
    """Finish what a killed run left: take its steps back, or drop its old files when committed.

    Args:
        root: vault root; its lock must be held.
        is_committed: whether the repository has these steps as a commit since the given head,
            asked when no process of the killed run is at work any more.

    Returns:
        The paths of the interrupted change, empty when there was none.

    Raises:
        StoreError: the disk does not let us put a file back.
    """
    try:
        text = read_file(root, JOURNAL_PATH, MAX_CHANGED)
    except NotFoundError:
        return ()
    left = _parse_journal(root, text)
    if left is None:  # cut off while it was written, or not from this machine: nothing of ours
        _drop_journal(root)
        return ()
    head, steps = left
    replacement = Replacement(root, steps, head)
    if is_committed(head, steps):
        replacement.finish(committed=True)
    else:
        for step in reversed(steps):
            try:
                undo_step(root, step)
            except OSError as error:
                raise explain_os_error(error, step.path, "write") from error
        _drop_journal(root)
    clean_temporaries(root, {".state"} | {step.path.rpartition("/")[0] for step in steps})
    return tuple(step.path for step in steps)


def _seal(root: Path, text: bytes) -> bytes:
    """Return what only this machine can put above a journal of this vault."""
    import hashlib

    key = machine_token() or b""
    place = os.fsencode(os.path.realpath(root))
    return hashlib.blake2b(place + b"\0" + text, key=key, digest_size=16).hexdigest().encode()


def _parse_journal(root: Path, text: bytes) -> tuple[str, list[Step]] | None:
    """Read a journal; None when it is not one of ours (a received folder may hold anything)."""
    seal, _, body = text.partition(b"\n")
    if seal != _seal(root, body):
        return None
    try:
        data = json.loads(body)
        steps = [Step(**item) for item in data["steps"]]
        head = str(data["head"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return (head, steps) if all(map(_is_sound, steps)) else None


def _is_sound(step: Step) -> bool:
    words = (step.path, step.before, step.after, step.temporary, step.aside)
    if not all(isinstance(word, str) for word in words):
        return False
    names = (step.temporary, step.aside)
    parts = step.path.split("/")
    return not any(part.lower().startswith(".git") or part in {"", ".."} for part in parts) and all(
        not name
        or (name.startswith(".") and ".tmp-" in name and "/" not in name and "\\" not in name)
        for name in names
    )
