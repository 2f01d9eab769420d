"""Who commits, and with which program it is signed. May import `errors`.

Both are git's own settings; here they are only read.
"""

from __future__ import annotations

import os

from vault_cli.errors import StoreError
from vault_cli.store.build import People
from vault_cli.store.git_run import Pairs
from vault_cli.store.git_settings import Settings

_SIGNING_PROGRAMS = {
    "gpg.program": "gpg",
    "gpg.openpgp.program": "gpg",
    "gpg.x509.program": "gpgsm",
    "gpg.ssh.program": "ssh-keygen",
    "gpg.ssh.defaultkeycommand": "false",
}

_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"

_VARIABLES = tuple(
    f"GIT_{who}_{part}" for who in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
)

_IDENTITY_HINT = (
    'Tell git who you are: git config --global user.name "Your Name" and'
    " git config --global user.email you@example.com"
)


def require_identity(settings: Settings) -> None:
    """Raise StoreError with the two `git config` commands when user.name/email are missing."""
    missing = [
        f"user.{part}"
        for part in ("name", "email")
        if not settings.text(f"user.{part}").strip()
        and not all(settings.text(f"{who}.{part}").strip() for who in ("author", "committer"))
    ]
    if missing:
        names = " and ".join(missing)
        given = [name for name in _VARIABLES if os.environ.get(name)]
        aside = f" ({given[0]} does not count: a caller could name anybody)" if given else ""
        raise StoreError(
            f"git does not know who commits: {names} not set{aside}", hint=_IDENTITY_HINT
        )


def people_of(settings: Settings) -> People | None:
    """Return author and committer as git writes them, None when one would be empty."""
    found = []
    for who in ("author", "committer"):
        name, mail = (
            _clean(settings.text(f"{who}.{part}") or settings.text(f"user.{part}"))
            for part in ("name", "email")
        )
        found.append(f"{name} <{mail}>" if name and mail else "")
    return People(*found) if all(found) else None


def _clean(text: str) -> str:
    """Drop what would break the line of a commit, as git does."""
    return "".join(char for char in text.strip(_CRUD) if char not in "<>\n")


def signing_of(settings: Settings, *, plain: bool) -> Pairs | None:
    """Return the settings to sign with, None when commits are not signed.

    In a repository nobody trusted, the program that signs is the person's own or git's default,
    whatever the repository's configuration names.
    """
    if not settings.flag("commit.gpgsign"):
        return None
    if plain:
        return ()
    return tuple(
        (key, settings.own(key) or default)
        for key, default in _SIGNING_PROGRAMS.items()
        if any(entry.key == key and entry.is_local for entry in settings.entries)
    )
