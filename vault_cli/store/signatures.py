"""Which commits are signed with an allowed key, checked by git. May import `errors`.

The keys that are allowed, and the programs that check, are the person's own: what the repository's
configuration says about `gpg.*` is overridden, because it may have come with the vault. Verdicts
of SSH signatures are kept in the person's state folder by commit id, together with a digest of
what decided them; those of GPG depend on a key ring that changes, and are asked for each time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from vault_cli.errors import StoreError, UsageError
from vault_cli.store.git_run import Git, Pairs
from vault_cli.store.git_settings import Settings
from vault_cli.store.lineage import HISTORY_CONFIG, HISTORY_ENVIRONMENT
from vault_cli.store.own_state import path_key, read_state, write_state
from vault_cli.store.places import expand_home, read_plain

UNSIGNED: Final = "unsigned"
UNKNOWN_KEY: Final = "signed by an unknown key"
BAD: Final = "its signature does not fit it"
ENDED: Final = "signed by a key that is no longer valid"
UNCHECKED: Final = "its signature cannot be checked here"

_FORMAT: Final = "--format=tformat:%H%x00%G?%x00%GF%x00%GS"
_REASONS: Final = {
    "N": UNSIGNED,
    "U": UNKNOWN_KEY,
    "B": BAD,
    "X": ENDED,
    "Y": ENDED,
    "R": ENDED,
    "E": UNCHECKED,
}
_PROGRAMS: Final = {
    "gpg.program": "gpg",
    "gpg.openpgp.program": "gpg",
    "gpg.x509.program": "gpgsm",
    "gpg.ssh.program": "ssh-keygen",
}
_NOWHERE: Final = "/nonexistent/no-such-program"


class Signature(NamedTuple):
    """What git says of the signature of a commit.

    Args:
        reason: why it does not count, "" when it does.
        key: fingerprint of the key, "" when there is none.
        signer: the name the allowed-signers file or the key ring gives to it.
    """

    reason: str
    key: str = ""
    signer: str = ""


class Checker(NamedTuple):
    """Who may sign, and how that is checked.

    Args:
        config: settings for git; they override all that a repository says of signatures.
        signers: the file of allowed SSH keys, None when there is none (then only GPG can do).
        basis: digest of everything that decides.
    """

    config: Pairs
    signers: Path | None
    basis: str


def make_checker(git: Git, settings: Settings, named: str) -> Checker:
    """Return how signatures are checked here.

    Args:
        git: the repository's runner.
        settings: git's configuration with its scopes; only the person's own lines count.
        named: setting `trust.allowed_signers`.

    Raises:
        UsageError: the file lies in the repository, or the one that was named cannot be read.
    """
    signers, content = _read_signers(git, named or settings.own("gpg.ssh.allowedsignersfile"))
    revoked = settings.own("gpg.ssh.revocationfile")
    pairs = [
        *HISTORY_CONFIG,
        *((key, _program(git, settings, key, name)) for key, name in _PROGRAMS.items()),
        ("gpg.ssh.allowedSignersFile", str(signers or os.devnull)),
        ("gpg.ssh.revocationFile", str(expand_home(revoked)) if revoked else os.devnull),
        ("gpg.minTrustLevel", settings.own("gpg.mintrustlevel") or "undefined"),
    ]
    known = json.dumps([pairs, hashlib.sha256(content).hexdigest(), _digest_of(revoked)])
    return Checker(tuple(pairs), signers, hashlib.sha256(known.encode()).hexdigest())


def _read_signers(git: Git, text: str) -> tuple[Path | None, bytes]:
    if not text:
        return None, b""
    path = Path(os.path.realpath(expand_home(text)))
    inside = (git.place.work_tree, git.place.git_dir, git.place.common_dir)
    if any(path.is_relative_to(folder) for folder in inside):
        raise UsageError(
            f"trust.allowed_signers: {path} lies in the repository of the vault",
            hint="Whoever can change the vault could name keys there. Keep the file elsewhere.",
        )
    try:
        return path, read_plain(path)
    except OSError as error:
        raise UsageError(
            f"trust.allowed_signers: {path} cannot be read: {error.strerror}",
            hint="`mvault trust --help` says how to set it up.",
        ) from error


def _digest_of(text: str) -> str:
    try:
        return hashlib.sha256(read_plain(expand_home(text))).hexdigest() if text else ""
    except OSError:
        return "unreadable"


def _program(git: Git, settings: Settings, key: str, name: str) -> str:
    """Return the program of the person's own configuration, else the usual one on PATH.

    By absolute path, and never one that lies in the vault.
    """
    own = settings.own(key)
    if own:
        return str(expand_home(own))
    work_tree = git.place.work_tree
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = Path(folder) / (f"{name}.exe" if os.name == "nt" else name)
        if not path.is_absolute() or not os.access(path, os.X_OK):
            continue
        if not Path(os.path.realpath(path)).is_relative_to(work_tree):
            return str(path)
    return _NOWHERE


def check_commits(git: Git, checker: Checker, commits: Iterable[str]) -> dict[str, Signature]:
    """Return what git says of the signature of each of these commits.

    Raises:
        GitFailedError: git cannot read them.
    """
    wanted = list(dict.fromkeys(commits))
    kept = _load(git, checker)
    missing = [commit for commit in wanted if commit not in kept]
    if missing:
        fresh = _ask(git, checker, missing)
        kept |= fresh
        _store(git, checker, kept)
    return {commit: kept.get(commit, Signature(UNCHECKED)) for commit in wanted}


def _ask(git: Git, checker: Checker, commits: list[str]) -> dict[str, Signature]:
    args = ("log", "--no-walk=unsorted", "--stdin", "--no-color", "--no-decorate", "-s", "-z")
    data = "".join(f"{commit}\n" for commit in commits).encode("ascii")
    out = git.run(*args, _FORMAT, data=data, config=checker.config, env=HISTORY_ENVIRONMENT).out
    found = {}
    parts = iter(out.decode("utf-8", "replace").split("\0"))
    for commit, verdict, key, signer in zip(parts, parts, parts, parts, strict=False):
        reason = "" if verdict == "G" else _REASONS.get(verdict, UNCHECKED)
        found[commit] = Signature(reason, key, signer)
    return found


def _state_name(git: Git) -> str:
    return path_key(git.place.common_dir)


def _load(git: Git, checker: Checker) -> dict[str, Signature]:
    data = read_state("signatures", _state_name(git))
    if data.get("basis") != checker.basis or not isinstance(data.get("commits"), Mapping):
        return {}
    commits: Mapping[str, Any] = data["commits"]
    return {
        commit: Signature(*map(str, row))
        for commit, row in commits.items()
        if isinstance(row, list) and len(row) == len(Signature._fields)
    }


def _store(git: Git, checker: Checker, found: Mapping[str, Signature]) -> None:
    """Keep the verdicts that stay the same as long as the allowed keys do."""
    stable = {c: list(s) for c, s in found.items() if s.reason != UNCHECKED and is_stable(s)}
    data = {"repository": str(git.place.common_dir), "basis": checker.basis, "commits": stable}
    try:
        write_state("signatures", _state_name(git), data)
    except StoreError:  # then it is asked again next time
        return


def is_stable(signature: Signature) -> bool:
    """Whether a verdict holds as long as the allowed SSH keys do."""
    return signature.reason == UNSIGNED or signature.key.startswith("SHA256:")
