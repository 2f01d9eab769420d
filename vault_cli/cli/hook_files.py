"""What an agent program reads of memory in its instruction files, so that no hook says it again.

May import everything below `cli`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vault_cli.cli.installing import Wanted, instruction_files
from vault_cli.cli.project import project_top
from vault_cli.errors import VaultError
from vault_cli.hook import ready
from vault_cli.hosts.install.changes import read_text
from vault_cli.hosts.install.instructions import read_instructions
from vault_cli.hosts.sinks import find_block
from vault_cli.hosts.table import Host, find_host

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.hook.call import Call
    from vault_cli.recall.select import Pick, Selection


class Files(NamedTuple):
    """Instruction files of a host.

    Args:
        names: as a person calls those that hold a block of ours which is read whole.
        shared: what these blocks say in files of the project, which others write, too.
        own: what it says in the person's own file.
        places: every file that can have a say, as `hook.ready` stamps them.
        project: what records of the project's vault call it; None where none is read.
    """

    names: tuple[str, ...]
    shared: str
    own: str
    places: tuple[tuple[str, str], ...]
    project: str | None = None


def read_files(call: Call, inv: Invocation) -> Files:
    """Return what the instruction files of a host say; where one cannot be read, nothing."""
    host = find_host(call.host)
    if host is None:
        return Files((), "", "", ())
    places = tuple((ready.FILE, os.fspath(path)) for path in _candidates(host, inv))
    try:
        reading = read_instructions(host, project_top(inv.cwd), inv.cwd)
        found = [file.path for file in reading.files if file.path not in reading.cut]
        imported = ((ready.FILE, os.fspath(path)) for path in found)
        shared = {path: _block_of(path) for path in found}
        own = {path: _block_of(path) for path in instruction_files(inv, Wanted(host))[:1]}
    except VaultError:
        return Files((), "", "", places)
    names = tuple(path.name for path, text in (shared | own).items() if text)
    said, said_to_me = ("\n".join(filter(None, texts.values())) for texts in (shared, own))
    return Files(names, said, said_to_me, (*places, *imported), _name_of_project(inv))


def _name_of_project(inv: Invocation) -> str | None:
    if inv.layers.both:
        return "project"
    return "" if inv.layers.is_project else None


def _candidates(host: Host, inv: Invocation) -> Iterator[Path]:
    top = project_top(inv.cwd)
    for folder in (inv.cwd, *inv.cwd.parents):
        if folder == top or top in folder.parents:
            yield from (folder / name for name in host.instruction_files)
    yield from instruction_files(inv, Wanted(host))[:1]


def _block_of(path: Path) -> str:
    return find_block(read_text(path) or "")


def leave_out(selection: Selection, files: Files) -> tuple[Selection, list[Pick]]:
    """Return what is left to say of a selection, and what the files say word for word.

    What the person's own vault requires is said whatever a file of the project holds, and records
    in conflict stay beside each other.
    """
    if not files.names:
        return selection, []
    said = [pick for pick in selection.picks if _is_said(pick, files)]
    left = tuple(pick for pick in selection.picks if pick not in said)
    return selection._replace(picks=left), said


def _is_said(pick: Pick, files: Files) -> bool:
    from vault_cli.recall.wording import full_text

    if pick.partners:
        return False
    text = full_text(pick.record, pick.support.state, pick.aside)
    if _stands_in(text, files.own):
        return True
    is_own_rule = pick.record.required and pick.record.vault != files.project
    return not is_own_rule and _stands_in(text, files.shared)


def _stands_in(entry: str, block: str) -> bool:
    """Tell whether an entry stands in a block, and nothing behind it that would belong to it."""
    at = block.find(entry)
    behind = block[at + len(entry) :]
    return at >= 0 and (not behind or behind[0] in "-#\n<")
