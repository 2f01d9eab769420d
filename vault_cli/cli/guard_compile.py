"""Compile the guards that stand here for the hooks. May import everything below `cli`.

Done by `mvault guard compile`, after each change of a record with a guard, at the start of a
session, and once by a hook that finds its rules stale.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.errors import VaultError
from vault_cli.store.places import PROJECT_FOLDER

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.features.guards import Standing
    from vault_cli.model.change import Change
    from vault_cli.model.lineage import Ancestry
    from vault_cli.model.record import Record
    from vault_cli.store.guard_index import Section
    from vault_cli.store.vault import Vault

_MARK = b"guard:"
_RETRY = 60
_FAR = 2.0**40
_MOST_CALLS = 500
"""Recorded calls that a guard which denies is held against."""


@dataclass(slots=True)
class Compiled:
    """What became of the guards of the vaults that are read here.

    Args:
        keys: sections they were compiled for.
        standings: how each guard stands.
        section: what was compiled.
    """

    keys: tuple[str, ...]
    standings: list[Standing]
    section: Section


def judge_here(inv: Invocation, *, whole: bool = False) -> list[Standing]:
    """Return how the guards of the vaults that are read here stand, whatever was compiled.

    Args:
        inv: the running command.
        whole: every front matter is loaded at once: quicker where the vault was not read yet.

    Raises:
        VaultError: no vault can be read.
    """
    from vault_cli.cli.rendering import Wanted, make_query
    from vault_cli.features.guards import judge_guards, weaken

    snapshot = inv.reading.snapshot(whole=whole, guarded=True)
    found = judge_guards(snapshot, make_query(inv, Wanted()))
    denying = [one.record for one in found if one.action == "deny"]
    history = _ancestries(inv, denying) if denying else {}
    found = [weaken(one, history.get((one.record.vault, one.record.path))) for one in found]
    return _by_calls(found)


def _by_calls(found: list[Standing]) -> list[Standing]:
    """Let guards that deny and hit many of the calls recorded on this machine only warn."""
    from dataclasses import replace

    from vault_cli.features.guard_trials import judge_share
    from vault_cli.store.failures import open_sightings, sightings_path

    denying = [one for one in found if one.action == "deny" and one.guard is not None]
    if not denying or not sightings_path().exists():
        return found
    try:
        with open_sightings() as seen:
            calls = seen.calls(_MOST_CALLS)
    except VaultError:
        return found
    for one in denying:
        if one.guard is not None:
            action, why = judge_share(one.guard, one.action, calls)
            found[found.index(one)] = replace(one, action=action, why=why or one.why)
    return found


def _ancestries(
    inv: Invocation, records: Iterable[Record]
) -> dict[tuple[str, str], Ancestry | None]:
    """Return what history knows of some records, by vault and path; None for a vault without."""
    from vault_cli.store.lineage import read_lineage

    found: dict[tuple[str, str], Ancestry | None] = {}
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.vault, []).append(record)
    for name, own in groups.items():
        repo = vault_of(inv, own[0]).repo
        if repo is None:
            continue
        paths = [record.path for record in own]
        lineage = read_lineage(repo.git, repo.prefix, repo.head(), paths)
        found |= {(name, path): lineage.ancestries.get(path) for path in paths}
    return found


def vault_of(inv: Invocation, record: Record) -> Vault:
    """Return the vault that a record which was read here is of."""
    from vault_cli.recall.together import USER

    other = inv.reading.other
    return other if record.vault == USER and other is not None else inv.vault


def compile_here(inv: Invocation) -> Compiled:
    """Compile the guards for the place the run is at.

    Raises:
        VaultError: no vault can be read, or the state folder cannot be written.
    """
    from vault_cli.features.guards import NOT_HERE, next_change, rule_of
    from vault_cli.store.guard_index import Section, forget_cooldowns, put_sections

    standings = judge_here(inv)
    rules = tuple(
        rule_of(one, str(vault_of(inv, one.record).root)) for one in standings if one.acts
    )
    records = [one.record for one in standings]
    until = next_change(records, inv.now)
    if not until and any(one.state == NOT_HERE for one in standings):
        until = _FAR  # on another branch, or trusted, they may count: the index must not be empty
    section = Section(_stamps(inv, records), until, rules)
    keys = section_keys(inv)
    put_sections(dict.fromkeys(keys, section))
    forget_cooldowns()
    return Compiled(keys, standings, section)


def _stamps(inv: Invocation, records: Sequence[Record]) -> tuple[tuple[str, int, int], ...]:
    """Return the stamps of all that the guards which stand here were made from."""
    from vault_cli.cli.project import find_checkout
    from vault_cli.hook.guard import stamp
    from vault_cli.store.config import user_config_path
    from vault_cli.store.guard_index import stamps_of
    from vault_cli.store.places import state_folder

    found: list[tuple[str, int, int]] = []
    for vault in inv.reading.vaults:
        own = [r.path for r in records if vault_of(inv, r).root == vault.root]
        found += stamps_of(vault.root, own)
    found.append(stamp(str(user_config_path(inv.environ))))
    # what is trusted and was admitted here: files in there are replaced, which changes the folder
    found += [stamp(str(state_folder() / name)) for name in ("incoming", "made", "trust")]
    checkout = find_checkout(inv.cwd, inv.layers.home)
    if checkout is not None and any(record.branch for record in records):
        found.append(stamp(str(checkout.git_dir / "HEAD")))
    return tuple(dict.fromkeys(found))


def section_keys(inv: Invocation) -> tuple[str, ...]:
    """Return the folders, as hooks will name them, for which the vaults read here hold."""
    from vault_cli.cli.project import find_checkout
    from vault_cli.store.guard_index import ELSEWHERE, named_section
    from vault_cli.store.layers import find_user_vault, is_same_folder

    home = inv.layers.home
    keys: list[str] = []
    if inv.options.vault or inv.environ.get("MVAULT"):
        keys.append(named_section(home))
        if home.name == PROJECT_FOLDER:
            return tuple(keys)
    user = find_user_vault()
    if home.name == PROJECT_FOLDER:
        keys += _spellings(home.parent)
    elif user is not None and is_same_folder(user, home):
        checkout = None if keys else find_checkout(inv.cwd, home)
        keys += _spellings(checkout.top) if checkout is not None else [ELSEWHERE]
    else:
        keys += _spellings(home)
    return tuple(dict.fromkeys(keys))


def _spellings(folder: Path) -> list[str]:
    """Return a folder as it is named here and by its real path: hosts name either."""
    return [str(folder), os.path.realpath(folder)]


def compile_around(inv: Invocation) -> list[Compiled]:
    """Compile for the place of a run, and for the other places that its vault may hold for.

    A vault that was named alone (`--vault`) may also be a project's, which hooks read together with
    the user vault; and the user vault holds wherever there is no other.

    Args:
        inv: says where; it is not read from, since it may have been turned to another vault.

    Raises:
        VaultError: as `compile_here`, for the place of the run.
    """
    from vault_cli.store.guard_index import ELSEWHERE
    from vault_cli.store.layers import find_user_vault

    named = inv.options.vault
    done = [compile_here(_silent_run(inv, inv.cwd, named=named))]
    home, user = inv.layers.home, find_user_vault()
    places = []
    if home.name == PROJECT_FOLDER and (named or inv.environ.get("MVAULT")):
        places.append(home.parent)
    if user is not None and ELSEWHERE not in done[0].keys:
        places.append(user)
    for place in places:
        try:
            done.append(compile_here(_silent_run(inv, place)))
        except VaultError:  # said where that place is read
            continue
    return done


def _silent_run(
    inv: Invocation, place: Path, *, named: str = "", lenient: bool = True
) -> Invocation:
    """Return a run of its own somewhere, that says nothing: what it would say was said."""
    from vault_cli.cli.invocation import Invocation as Run
    from vault_cli.cli.option_values import Options

    environ = dict(inv.environ)
    if place != inv.cwd:
        environ.pop("MVAULT", None)
    run = Run(Options(vault=named), environ)
    run.__dict__["cwd"] = place
    run.lenient = lenient
    run.out.closed.update(("stdout", "stderr"))
    return run


def after_change(inv: Invocation, change: Change, paths: Sequence[str]) -> None:
    """Keep the compiled guards as the vault is, after a change that was made.

    Cheap where the change says nothing about guards: then only stamps are renewed. Failures are
    said and stop nothing: a hook that finds its rules stale compiles them, too.

    Args:
        inv: the run.
        change: what was done.
        paths: vault-relative paths that were touched.
    """
    from vault_cli.hook import guard as fast
    from vault_cli.store.guard_index import has_rules, load_index, restamp

    bears = any(_MARK in getattr(edit, "data", b"") for edit in change.edits)
    if not bears and not has_rules():
        return
    root = str(inv.root)
    index = load_index()
    rules = [rule for key in index.sections for rule in index.rules_of(key)]
    sources = {rule[fast.SOURCE] for rule in rules}
    own = {f"{root}/{path}" for path in (*paths, *(edit.path for edit in change.edits))}
    touched = {*change.ids, *change.touched}
    if not bears and not (own & sources) and not any(rule[0] in touched for rule in rules):
        restamp(inv.root, [*paths, *(edit.path for edit in change.edits)])
        return
    try:
        compile_around(inv)
    except VaultError as error:
        inv.out.warn(f"guards are not compiled: {error.message}")


def refresh(folder: str) -> None:
    """Compile for a folder, for a hook; where its vault is broken nothing is stopped from then on.

    Args:
        folder: where the agent works.

    Raises:
        VaultError: no vault can be read there, or the state folder cannot be written.
    """
    from vault_cli.cli.invocation import Invocation as Run
    from vault_cli.cli.option_values import Options
    from vault_cli.hook.guard import clock
    from vault_cli.store.guard_index import empty_section

    here = Run(Options(), os.environ)
    here.__dict__["cwd"] = Path(folder)
    try:
        compile_here(_silent_run(here, here.cwd, lenient=False))
    except VaultError:
        empty_section(folder, clock() + _RETRY)
        raise
