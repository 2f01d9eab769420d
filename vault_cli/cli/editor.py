"""The person's editor: start it, read the text back, lose nothing. May import `cli.desk`, `errors`.

The text is edited in a private copy under `.state/edit/` of the vault (ignored by git), so that a
half-written text never stands where records are read. What cannot be taken over is kept under
`.state/rescued/` and named.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.cli.desk import keep_text, make_place, put_text, remove_place, take_text
from vault_cli.errors import RefusedError, StoreError, UsageError

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation

_QUICK = 1.5
"""Seconds below which an editor that changed nothing probably has not waited for the person."""
_VARIABLES = ("VISUAL", "EDITOR")
_FALLBACKS = ("sensible-editor", "editor", "nano", "vim", "vi", "notepad")
_WAIT_HINT = (
    "If your editor returns at once, give it its waiting option: EDITOR='code --wait',"
    " 'subl --wait', 'gvim --nofork'."
)


@dataclass(frozen=True, slots=True)
class Edited:
    """What came back from the editor.

    Args:
        data: the new text, None when it is the same as before.
        hint: advice when nothing changed.
    """

    data: bytes | None
    hint: str = ""


def find_editor(environ: Mapping[str, str], *, has_terminal: bool, setting: str = "") -> list[str]:
    """Return the editor's command line: setting `editor`, `$VISUAL`, `$EDITOR`; quotes count.

    Args:
        environ: the environment.
        has_terminal: whether an editor that runs in one may be fallen back on.
        setting: what the person has configured; a vault cannot name a program.

    Raises:
        UsageError: none is set and there is no terminal to fall back on, or it is not installed.
    """
    named = (("the setting editor", setting), *((f"${n}", environ.get(n, "")) for n in _VARIABLES))
    for name, value in named:
        if value.strip():
            return _check_command(_split_command(value.strip(), name), name)
    for program in _FALLBACKS if has_terminal else ():
        found = shutil.which(program)
        if found:
            return [found]
    raise UsageError(
        "no editor: neither $VISUAL nor $EDITOR is set",
        hint="Set EDITOR (for example EDITOR='code --wait'), or give the values as options"
        " (`mvault edit ID --set key=value`, `mvault add KIND --title … --body …`).",
    )


def _split_command(value: str, name: str) -> list[str]:
    if Path(value).is_file():
        return [value]
    try:
        parts = shlex.split(value, posix=os.name != "nt")
    except ValueError as error:
        raise UsageError(f"{name} cannot be read ({error}): {value}") from error
    return [part.strip('"') for part in parts] if os.name == "nt" else parts


def _check_command(parts: list[str], name: str) -> list[str]:
    if parts and shutil.which(parts[0]):
        return parts
    raise UsageError(
        f"{name} names a program that cannot be started: {parts[0] if parts else ''}",
        hint="Quote a path that has a space in it: EDITOR=\"'/opt/my editor/ed' --wait\".",
    )


def open_desk(inv: Invocation, name: str) -> Desk:
    """Return a place to edit one text with the person's editor.

    Raises:
        UsageError: there is no editor. StoreError: the vault cannot be written.
    """
    setting = str(inv.vault.config["editor"] or "")
    command = find_editor(inv.environ, has_terminal=inv.has_terminal, setting=setting)
    return Desk(inv.root, name, command)


class Desk:
    """The place where one text is edited.

    Args:
        root: the vault.
        name: file name to show the editor.
        command: the editor's command line.

    Raises:
        StoreError: the place cannot be made, or a link stands in the way.
    """

    def __init__(self, root: Path, name: str, command: list[str]) -> None:
        self.root = root
        self.name = name
        self.command = command
        self.keep = False
        self.place = make_place(root)
        self.path = root / self.place / name

    def edit(self, before: bytes) -> Edited:
        """Let the person edit a text.

        Raises:
            RefusedError: the editor failed, or the text came back empty; nothing is changed.
        """
        put_text(self.root, f"{self.place}/{self.name}", before)
        started = time.monotonic()
        code = self._run()
        after = self.text()
        if code:
            kept = (
                f"; its text is kept in {self.rescue(after)}" if after not in (before, b"") else ""
            )
            raise RefusedError(f"the editor ended with {code}; nothing was changed{kept}")
        if not after.strip():
            raise RefusedError("the text came back empty; nothing was changed")
        if after != before:
            return Edited(after)
        return Edited(None, _WAIT_HINT if time.monotonic() - started < _QUICK else "")

    def _run(self) -> int:
        import subprocess

        try:
            return subprocess.call([*self.command, str(self.path)], stdout=_editor_stdout())
        except OSError as error:
            raise UsageError(
                f"the editor cannot be started: {self.command[0]}: {error.strerror}"
            ) from error

    def rescue(self, data: bytes) -> str:
        """Keep a text that could not be taken over; return where it is.

        The kind stands in the place of a secret, which its owner has elsewhere: no copy of it is
        left in the vault. When the text cannot be put among the rescued ones the private copy
        stays, unless it holds a secret.

        Raises:
            StoreError: it cannot be kept anywhere.
        """
        veiled = _veiled(data)
        try:
            kept = self.root / keep_text(self.root, self.name, veiled)
        except StoreError:
            if veiled != data or self.text() != data:
                raise
            self.keep = True
            return str(self.path)
        return str(kept) if veiled == data else f"{kept} (the value itself is not in it)"

    def text(self) -> bytes:
        """Return what stands in the private copy now."""
        return take_text(self.root, f"{self.place}/{self.name}")

    def leave(self, edited: Edited) -> None:
        """Leave the copy in place when an editor that did not wait may still open it."""
        self.keep = bool(edited.hint)

    def clear(self) -> None:
        """Remove the private copy (one that was left in place goes after a week)."""
        if self.keep:
            return
        remove_place(self.root, self.place)


def _veiled(data: bytes) -> bytes:
    from vault_cli.text.scan import mask_secrets

    return mask_secrets(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _editor_stdout() -> int | None:
    """Return where the editor's own output goes: never into the answer on a piped stdout."""
    if sys.stdout is not None and sys.stdout.isatty():
        return None
    try:
        return sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):
        return None
