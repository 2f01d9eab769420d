"""The skills of a vault that an agent program may load. May import everything below `cli`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.hosts.install.skills import Skill
    from vault_cli.model.record import Record
    from vault_cli.store.guard import Guarded


def skills_in_force(inv: Invocation) -> list[Skill]:
    """Return the skills that are in force in the vault that is written.

    Where a trust setting keeps something out, with the text that counts.
    """
    from vault_cli.hosts.install.skills import Skill
    from vault_cli.model.record import Kind, Status
    from vault_cli.store.guard import guard_snapshot
    from vault_cli.store.policy import policies_of

    snapshot = inv.reading.snapshot(whole=True, guarded=True)
    records = [
        r
        for r in snapshot.records
        if r.kind is Kind.SKILL
        and r.status in {Status.ACTIVE, Status.VERIFIED}
        and r.vault in ("", inv.vault_name)
        and not r.withheld
    ]
    if policies_of(inv.vault.root, inv.vault.config):
        guarded = guard_snapshot(inv.vault, inv.vault.snapshot())
        return sorted(filter(None, (_as_admitted(inv, record, guarded) for record in records)))
    home = os.path.realpath(inv.root)
    folders = (os.path.realpath((inv.root / record.path).parent) for record in records)
    return sorted(
        Skill(Path(folder))
        for folder in folders
        if folder.startswith(home + os.sep) and Path(folder).is_dir()
    )


def placing_words(inv: Invocation, host: str) -> str:
    """Return the command that places the skills of this vault where a program finds them."""
    of_project = inv.layers.is_project and not inv.options.vault
    return f"`mvault install {host}{' --project' if of_project else ''}`"


def missing_skills(inv: Invocation, folders: Iterable[Path]) -> list[str]:
    """Return the names of skills in force that stand in none of a program's folders; never raises.

    Args:
        inv: the run.
        folders: where the program looks for skills.
    """
    from vault_cli.errors import VaultError

    try:
        names = [skill.folder.name for skill in skills_in_force(inv)]
    except VaultError:  # said by whoever needs the vault
        return []
    places = list(folders)
    return [name for name in names if not any((place / name).exists() for place in places)]


def _as_admitted(inv: Invocation, record: Record, guarded: Guarded) -> Skill | None:
    """Return a skill with the text that counts; None when it is nowhere to be read."""
    from vault_cli.hosts.install.skills import Skill

    data = bytes_of(inv, record, guarded)
    if data is None:
        return None
    text = data.decode("utf-8", "replace")
    folder = inv.root / PurePosixPath(record.path).parent
    there = sorted(folder.rglob("*")) if folder.is_dir() and not folder.is_symlink() else []
    names = (path.relative_to(folder).as_posix() for path in there if not path.is_dir())
    others = tuple(name for name in names if name != PurePosixPath(record.path).name)
    return Skill(folder, text, others)


def bytes_of(inv: Invocation, record: Record, guarded: Guarded) -> bytes | None:
    """Return the text whose digest a record that counts has; None when it is nowhere to be read.

    It may stand in the file, in HEAD, or in the commit in which it was admitted.
    """
    from vault_cli.errors import VaultError
    from vault_cli.features.records import digest_of

    repo, path = inv.vault.repo, record.path
    commit = guarded.restored.get((path, record.digest), "")
    sources: tuple[Callable[[], bytes | None], ...] = (
        lambda: inv.read(path),
        lambda: repo.read_head([path]).get(path) if repo is not None else None,
        lambda: repo.read_blob(commit, path) if repo is not None and commit else None,
    )
    for read in sources:
        try:
            data = read()
        except VaultError:
            continue
        for form in () if data is None else (data, data.replace(b"\n", b"\r\n")):
            if digest_of(form) == record.digest:
                return form
    return None


def loose_skills(inv: Invocation, folder: Path, host: str) -> list[str]:
    """Return which links of an agent program load skills as a pull leaves them, in words.

    Only where a trust setting is to keep something out.

    Args:
        inv: the run.
        folder: where the program looks for skills.
        host: name of the program.
    """
    from vault_cli.errors import UsageError
    from vault_cli.hosts.install.skills import links_into
    from vault_cli.store.policy import policies_of

    try:
        root, config = inv.root, inv.vault.config
    except UsageError:  # there is no vault
        return []
    if not policies_of(root, config):
        return []
    links = links_into(folder, root / "skills")
    return [
        f"{link} is a link: it loads the skill as the next pull leaves it; `mvault install"
        f" {host}` puts the admitted text there"
        for link in links
    ]
