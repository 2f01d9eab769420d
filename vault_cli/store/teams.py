"""Team vaults: vaults of others, read beside one's own at one commit, never written.

May import `store`, `model`, `errors`. What is read comes from objects of a clone of ours in the
state folder, so neither a push nor an edit of the place it was fetched from changes a byte of it
before a person pins, and trusts, another commit.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vault_cli.errors import NotFoundError, StoreError, UsageError
from vault_cli.model.record import WORK_KINDS, Kind, Record, Snapshot
from vault_cli.store.git_place import find_place
from vault_cli.store.own_settings import own_turn
from vault_cli.store.own_state import read_state, write_state
from vault_cli.store.places import OPENED, PROJECT_FOLDER, expand_home, state_folder
from vault_cli.store.team_names import Team, is_place

if TYPE_CHECKING:
    from vault_cli.store.config import Config
    from vault_cli.store.repo import Repository

GROUP: Final = "teams"
"""Group of the state folder that says which commits are trusted."""

CLONES: Final = "team-vaults"
_NEWEST: Final = "refs/team/newest"
_TRUSTED: Final = "trusted"
_NOT_SHARED: Final = WORK_KINDS | {Kind.TOPIC, Kind.PERSONA}
"""Kinds that are about who made them: a team's work, its names for things, its voice."""


# What is trusted


def is_trusted(team: Team) -> bool:
    """Tell whether a person let the pinned commit of a team vault count on this machine."""
    return team.commit in _commits()


def _commits() -> dict[str, str]:
    found = read_state(GROUP, _TRUSTED).get("commits")
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def trust_team(team: Team) -> None:
    """Remember that a person looked at a commit of a team vault and lets it count.

    Raises:
        StoreError: the state folder cannot be written.
    """
    with own_turn():
        write_state(GROUP, _TRUSTED, {"commits": {**_commits(), team.commit: team.location}})


def distrust_team(team: Team) -> None:
    """Let a commit of a team vault count no more, wherever it is named.

    Raises:
        StoreError: the state folder cannot be written.
    """
    with own_turn():
        left = {key: place for key, place in _commits().items() if key != team.commit}
        write_state(GROUP, _TRUSTED, {"commits": left})


# The clones


def clone_folder(location: str) -> Path:
    """Return where our clone of a team vault lies."""
    place = str(expand_home(location)) if is_place(location) else location
    return state_folder() / CLONES / hashlib.sha256(place.encode()).hexdigest()[:24]


def fetch_team(location: str, revision: str = "") -> str:
    """Bring a team vault's commits here; return the one that is meant.

    Args:
        location: a folder, or an address of git.
        revision: a commit or a branch there; else the newest of the main branch is meant, and of
            the only branch where HEAD names one that nobody pushed, as in `git init --bare`.

    Raises:
        NotFoundError: there is no such commit, or none at all. RemoteError: it cannot be reached.
        StoreError: the state folder cannot be written.
    """
    from vault_cli.store.remotes import RemoteError, fetch_into
    from vault_cli.store.repo import Repository

    folder = clone_folder(location)
    if is_place(location):
        OPENED.add(os.path.realpath(expand_home(location)))
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(f"cannot make {folder}: {error.strerror}") from error
    repo = Repository.create(folder)
    place = str(expand_home(location)) if is_place(location) else location
    branches, newest = "+refs/heads/*:refs/team/heads/*", _NEWEST
    try:
        fetch_into(repo, place, (branches, f"+HEAD:{_NEWEST}"))
    except RemoteError as error:
        if "remote ref HEAD" not in error.message:
            raise
        fetch_into(repo, place, (branches,))
        newest = "" if revision else _only_branch(repo, location)
    return resolve_team(repo, revision or newest)


def _only_branch(repo: Repository, location: str) -> str:
    found = repo.git.run("for-each-ref", "--format=%(refname)", "refs/team/heads/").out
    names = found.decode("utf-8", "surrogateescape").splitlines()
    if not names:
        raise NotFoundError(f"{location} has no commit yet", hint="Push a vault there first.")
    if len(names) > 1:
        raise NotFoundError(
            f"{location} has no main branch: its HEAD names one that is not there",
            hint="Name a branch of it: --commit BRANCH",
        )
    return names[0]


def resolve_team(repo: Repository, revision: str) -> str:
    """Return the full id of a commit of a team vault, by an id or the name of a branch.

    Raises:
        NotFoundError: there is none.
    """
    for name in (revision, f"refs/team/heads/{revision}"):
        args = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        done = repo.git.run(*args, check=False)
        if not done.code:
            return done.out.decode("ascii").strip()
    raise NotFoundError(
        f"the team vault has no commit {revision}", hint="Bring it here: mvault team fetch"
    )


def open_team(location: str, commit: str) -> Repository:
    """Return the repository of a team vault as far as it was fetched.

    The vault is its top folder, else `.mvault` in it.

    Raises:
        NotFoundError: it, or the commit, is not here yet. UsageError: there is no vault in it.
    """
    from vault_cli.store.repo import Repository

    folder = clone_folder(location)
    place = find_place(folder)
    if place is None or os.path.realpath(place.work_tree) != os.path.realpath(folder):
        raise NotFoundError("it was not fetched yet", hint="Bring it here: mvault team fetch")
    repo = Repository(folder, place)
    resolve_team(repo, commit)
    for inner in (folder, folder / PROJECT_FOLDER):
        found = Repository(inner, place)
        if found.read_blob(commit, "vault.toml") is not None:
            inner.mkdir(exist_ok=True)
            return found
    raise UsageError(
        f"commit {commit[:10]} of {location} holds no vault",
        hint=f"A vault has vault.toml at the top, or in {PROJECT_FOLDER}/.",
    )


def read_team(team: Team, config: Config) -> Snapshot:
    """Return what a team vault has in force at its pinned commit.

    Args:
        team: which, at which commit.
        config: the reader's settings: what is ignored and what is held is theirs to say.

    Raises:
        NotFoundError: it was not fetched. UsageError: it is no vault. StoreError: git failed.
    """
    from vault_cli.store.past import read_past

    repo = open_team(team.location, team.commit)
    found = read_past(repo, team.commit, ignore=config["files.ignore"], gates=config.gates)
    records = tuple(record for record in found.records if is_shared(record))
    return replace(found, records=records, commit="")


def is_shared(record: Record) -> bool:
    """Tell whether a record of a team vault is read here: in force, not about its makers."""
    return record.in_force and record.kind not in _NOT_SHARED
