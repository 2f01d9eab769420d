"""The other side of a vault's repository: find it, fetch, push. May import `store`, `errors`.

What a remote, or the repository's own settings, could make git start is shut off: the program on
the other side is always git's own, hooks do not run, only known transports are used, and a
repository whose settings nobody trusted reaches no network at all (`credential.helper`,
`core.sshCommand` and the like are programs).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from vault_cli.errors import RefusedError, StoreError, UsageError
from vault_cli.store.git_run import Done, Pairs, failure, missing_object
from vault_cli.store.repo import Repository
from vault_cli.text.late import late

_CONFIG: Final[Pairs] = (
    ("transfer.fsckObjects", "true"),
    ("fetch.fsckObjects", "true"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    ("push.gpgSign", "false"),
    ("push.followTags", "false"),
    ("fetch.writeCommitGraph", "false"),
)
_PARTIAL: Final = {"GIT_NO_LAZY_FETCH": "0"}
_NAME: Final = late(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")
_BEHIND: Final = ("fetch first", "non-fast-forward", "stale info")
_RACE: Final = (
    "failed to update ref", "cannot lock ref", "incorrect old value", "failed to lock",
    "unable to lock", "reference already exists", "remote ref updated since checkout",
)  # fmt: skip


class Remote(NamedTuple):
    """Where a vault is shared.

    Args:
        name: the remote, as git's settings call it.
        branch: the branch there and here.
    """

    name: str
    branch: str

    @property
    def tracking(self) -> str:
        """The ref that remembers what the remote had."""
        return f"refs/remotes/{self.name}/{self.branch}"

    @property
    def synced(self) -> str:
        """The ref that remembers what was last taken in or sent, whatever git fetched since."""
        return f"refs/mvault/synced/{self.name}/{self.branch}"

    def __str__(self) -> str:
        return f"{self.name}/{self.branch}"


class Fetched(NamedTuple):
    """What a fetch found.

    Args:
        tip: the newest commit of the branch there, "" when it is empty.
        before: what it had when this vault was last in step with it, "" for nothing.
        is_empty: the remote has no branch at all.
    """

    tip: str
    before: str
    is_empty: bool = False


class PushRaceError(StoreError):
    """Somebody else pushed first; fetch again."""


class RemoteError(StoreError):
    """The remote cannot be reached, or does not take what is sent."""


def find_remote(repo: Repository, name: str = "", branch: str = "") -> Remote:
    """Return where to sync: what is named, else what the branch follows, else the only remote.

    Raises:
        UsageError: there is no remote, or several and none is named.
        RefusedError: HEAD is on no branch, or the repository's own settings are not trusted.
    """
    _require_trusted(repo)
    settings = repo.read_settings()
    here = current_branch(repo)
    remotes = sorted(
        {
            entry.key.split(".", 1)[1].rpartition(".")[0]
            for entry in settings.entries
            if entry.key.startswith("remote.") and entry.key.endswith(".url")
        }
    )
    if not remotes:
        raise UsageError(
            "this vault has no remote to sync with",
            hint="Name one: git remote add origin URL",
        )
    follows = settings.text(f"branch.{here}.remote")
    chosen = name or (follows if follows in remotes else "")
    chosen = chosen or ("origin" if "origin" in remotes else "")
    chosen = chosen or (remotes[0] if len(remotes) == 1 else "")
    if chosen not in remotes or not _NAME.fullmatch(chosen):
        listed = ", ".join(remotes)
        raise UsageError(f"no remote {name or '(none named)'}", hint=f"There are: {listed}.")
    merged = settings.text(f"branch.{here}.merge") if follows == chosen else ""
    target = branch or merged.removeprefix("refs/heads/") or here
    if not _NAME.fullmatch(target) or ".." in target:
        raise UsageError(f"{target!r} cannot be the name of a branch here")
    return Remote(chosen, target)


def current_branch(repo: Repository) -> str:
    """Return the branch HEAD is on.

    Raises:
        RefusedError: it is on none.
    """
    done = repo.git.run("symbolic-ref", "--quiet", "HEAD", check=False)
    name = done.out.decode("utf-8", "replace").strip()
    if done.code or not name.startswith("refs/heads/"):
        raise RefusedError(
            "HEAD is on no branch here, so nobody knows what to sync",
            hint="Switch to the branch of the vault: git switch main",
        )
    return name.removeprefix("refs/heads/")


def _require_trusted(repo: Repository) -> None:
    """Reach no network with settings that came with the folder and that nobody agreed to."""
    keys = [name for name in repo.untrusted() if not name.startswith("hook ")]
    if keys:
        raise RefusedError(
            f"this repository brings git settings that nobody trusted: {', '.join(keys)}",
            hint="A person looks at them: mvault trust",
        )


def fetch(repo: Repository, remote: Remote, *, whole: bool = False) -> Fetched:
    """Bring the branch's commits here; nothing of the work tree is touched.

    Args:
        repo: the repository.
        remote: where from.
        whole: bring the history of a shallow clone, too.

    Raises:
        RemoteError: it cannot be reached. UsageError: it has branches, but not this one.
    """
    before = _read_ref(repo, remote.synced)
    if not before:
        before = _read_ref(repo, remote.tracking)
        note_synced(repo, remote, before)
    spec = f"+refs/heads/{remote.branch}:{remote.tracking}"
    more = ("--unshallow",) if whole else ()
    args = (
        "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance",
        "--no-write-fetch-head", "--upload-pack=git-upload-pack", *more, remote.name, spec,
    )  # fmt: skip
    done = repo.git.run(*args, config=_CONFIG, network=True, check=False)
    if not done.code:
        return Fetched(_read_ref(repo, remote.tracking), before)
    if "couldn't find remote ref" in done.err.lower():
        heads = _heads_there(repo, remote)
        if not heads:
            return Fetched("", before, is_empty=True)
        if remote.branch not in heads:
            raise UsageError(
                f"{remote.name} has no branch {remote.branch}; it has: {', '.join(heads[:10])}",
                hint="Name the branch that holds the vault: mvault sync --branch NAME",
            )
    raise _unreachable(remote, args, done)


def fetch_into(repo: Repository, address: str, specs: Sequence[str]) -> None:
    """Bring branches of another repository here, whatever it is called in the settings.

    Args:
        repo: the repository that takes them.
        address: where from: a path, or an address of git.
        specs: which, and under which names.

    Raises:
        RemoteError: it cannot be reached.
    """
    args = (
        "fetch", "--quiet", "--no-tags", "--prune", "--no-recurse-submodules",
        "--no-auto-maintenance", "--no-write-fetch-head", "--upload-pack=git-upload-pack",
        "--end-of-options", address, *specs,
    )  # fmt: skip
    done = repo.git.run(*args, config=_CONFIG, network=True, check=False)
    if done.code:
        raise RemoteError(f"{address} cannot be reached: {failure(args, done).message}")


def _heads_there(repo: Repository, remote: Remote) -> list[str]:
    args = ("ls-remote", "--heads", "--upload-pack=git-upload-pack", remote.name)
    done = repo.git.run(*args, config=_CONFIG, network=True, check=False)
    if done.code:
        raise _unreachable(remote, args, done)
    lines = done.out.decode("utf-8", "replace").splitlines()
    return [line.split("\t")[1].removeprefix("refs/heads/") for line in lines if "\t" in line]


def _unreachable(remote: Remote, args: tuple[str, ...], done: Done) -> RemoteError:
    said = failure(args, done).message
    return RemoteError(
        f"{remote.name} cannot be reached: {said}",
        hint="What was committed here is kept. When the remote is there, run `mvault sync`.",
    )


def _read_ref(repo: Repository, name: str) -> str:
    done = repo.git.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", check=False)
    return done.out.decode("ascii", "replace").strip() if not done.code else ""


def note_synced(repo: Repository, remote: Remote, commit: str) -> None:
    """Remember what the remote had when this vault was in step with it."""
    if commit and _read_ref(repo, remote.synced) != commit:
        repo.git.run("update-ref", "-m", "mvault: sync", remote.synced, commit)


def push(repo: Repository, remote: Remote, commit: str) -> None:
    """Send a commit to the branch there; never over what others sent.

    Raises:
        PushRaceError: somebody was faster. RemoteError: it is not taken, or not reached.
    """
    args = (
        "push", "--porcelain", "--no-verify", "--receive-pack=git-receive-pack",
        "--recurse-submodules=no", remote.name, f"{commit}:refs/heads/{remote.branch}",
    )  # fmt: skip
    done = repo.git.run(*args, config=_CONFIG, env=_PARTIAL, network=True, check=False)
    if not done.code:
        return
    said = f"{done.out.decode('utf-8', 'replace')}\n{done.err}"
    verdict = next((line for line in said.splitlines() if line.startswith("!")), "")
    if any(word in verdict for word in _BEHIND) or any(word in said for word in _RACE):
        raise PushRaceError(f"{remote} moved while this vault was merged")
    kept = "What was committed here is kept and goes along with the next sync."
    if "remote rejected" in verdict:
        reason = re.sub(r"^!.*\[remote rejected\] *", "", verdict).strip("() ")
        told = "\n".join(line for line in done.err.splitlines() if line.startswith("remote:"))
        raise RemoteError(f"{remote} does not take it: {reason}\n{told}".strip(), hint=kept)
    words = failure(args, done).message
    raise RemoteError(
        f"{remote.name} cannot be written: {words}",
        hint=f"{kept} Without write access: mvault sync --no-push",
    )


def read_all(repo: Repository, blobs: list[str]) -> dict[str, bytes]:
    """Return whole blobs by their ids; a partial clone asks its remote for what it lacks.

    Raises:
        StoreError: one is missing or damaged.
    """
    wanted = list(dict.fromkeys(blobs))
    if not wanted:
        return {}
    data = "".join(f"{blob}\n" for blob in wanted).encode()
    out = repo.git.run("cat-file", "--batch", data=data, env=_PARTIAL, network=True).out
    found: dict[str, bytes] = {}
    place = 0
    for blob in wanted:
        end = out.index(b"\n", place)
        header = out[place:end].split()
        if header[1:2] != [b"blob"]:
            raise missing_object(repo.place, f"the object {blob}")
        size = int(header[2])
        found[blob] = out[end + 1 : end + 1 + size]
        place = end + 2 + size
    return found


__all__ = [
    "Fetched",
    "PushRaceError",
    "Remote",
    "RemoteError",
    "current_branch",
    "fetch",
    "fetch_into",
    "find_remote",
    "note_synced",
    "push",
    "read_all",
]
