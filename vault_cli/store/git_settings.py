"""The configuration git would use, read with its scopes. May import `errors`.

The system and global scopes are the person's own. The local and worktree scopes travel with a
folder or an archive, so only harmless keys of theirs count without `mvault trust`.
"""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path
from typing import NamedTuple

from vault_cli.store.git_place import Place
from vault_cli.store.git_run import Git

_LOCAL = {"local", "worktree"}

_HARMLESS = frozenset({
    "core.repositoryformatversion", "core.filemode", "core.bare", "core.ignorecase",
    "core.precomposeunicode", "core.autocrlf", "core.safecrlf", "core.eol", "core.symlinks",
    "core.logallrefupdates", "core.quotepath", "core.abbrev", "core.longpaths",
    "core.untrackedcache", "core.sharedrepository", "core.commitgraph", "core.sparsecheckout",
    "core.sparsecheckoutcone", "index.version", "index.sparse", "index.threads",
    "extensions.objectformat", "extensions.worktreeconfig", "extensions.relativeworktrees",
    "extensions.refstorage", "extensions.compatobjectformat", "init.defaultbranch",
    "user.name", "user.email", "user.signingkey", "user.useconfigonly", "author.name",
    "author.email", "committer.name", "committer.email", "commit.gpgsign", "tag.gpgsign",
    "gpg.format", "pull.rebase", "pull.ff", "push.default", "push.autosetupremote",
    "push.followtags", "fetch.prune", "merge.conflictstyle", "merge.ff", "rebase.autostash",
    "rebase.autosquash", "rerere.enabled", "gc.auto", "gc.autodetach", "maintenance.auto",
    "maintenance.strategy", "lfs.repositoryformatversion",
})  # fmt: skip
_HARMLESS_PATTERNS = (
    "branch.*", "remote.*.fetch", "remote.*.tagopt", "remote.*.prune", "remote.*.gh-resolved",
    "remote.pushdefault", "advice.*", "color.*", "lfs.*.access",
)  # fmt: skip
_ADDRESSES = ("remote.*.url", "remote.*.pushurl")
_WHERE = (
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
)
_YES = {"", "true", "yes", "on", "1"}
_NO = {"false", "no", "off", "0"}


class Setting(NamedTuple):
    """One line of configuration; section and name in lower case, the value as written."""

    scope: str
    key: str
    value: str

    @property
    def is_local(self) -> bool:
        """Whether it came with the repository and not from the person's own files."""
        return self.scope in _LOCAL


class Settings(NamedTuple):
    """All configuration of one repository in reading order, later lines win; and its files."""

    entries: tuple[Setting, ...]
    files: tuple[Path, ...] = ()

    def find(self, key: str) -> Setting | None:
        """Return the line that is in effect for `key`."""
        return next((entry for entry in reversed(self.entries) if entry.key == key), None)

    def text(self, key: str) -> str:
        """Return the value in effect, "" when there is none."""
        found = self.find(key)
        return found.value if found else ""

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return a value in effect as true or false."""
        found = self.find(key)
        return default if found is None else found.value.lower() not in _NO

    def own(self, key: str) -> str:
        """Return the value that the person's own files (system, global) give, "" if none."""
        values = [entry.value for entry in self.entries if entry.key == key and not entry.is_local]
        return values[-1] if values else ""

    def unlisted(self, place: Place) -> tuple[Setting, ...]:
        """Return the lines of the repository itself that need trust before they may act."""
        return tuple(e for e in self.entries if e.is_local and not _is_harmless(e, place))

    def filters(self) -> frozenset[str]:
        """Return the names of all content filters that are configured."""
        keys = (entry.key for entry in self.entries if entry.key.startswith("filter."))
        return frozenset(key.removeprefix("filter.").rpartition(".")[0] for key in keys)


def read_settings(git: Git) -> Settings:
    """Read the whole configuration: one git process, nothing in it is executed.

    Raises:
        GitFailedError: a configuration file cannot be parsed; git names file and line.
    """
    out = git.run("config", "--list", "--show-scope", "--show-origin", "-z").out
    fields = os.fsdecode(out).split("\0")
    lines = [
        (scope, origin, text)
        for scope, origin, text in zip(fields[0::3], fields[1::3], fields[2::3], strict=False)
        if scope != "command"
    ]
    origins = dict.fromkeys(origin for _, origin, _ in lines)
    files = (git.place.work_tree / origin.removeprefix("file:") for origin in origins)
    return Settings(tuple(_setting(scope, text) for scope, _, text in lines), tuple(files))


class KnownSettings:
    """The configuration of one repository, read again when one of its files has changed.

    Where a file includes others nothing is kept: a condition may depend on anything.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._found = Settings(())
        self._stamps: object = None

    def read(self) -> Settings:
        """Return what git would use now.

        Raises:
            GitFailedError: a configuration file cannot be parsed; git names file and line.
        """
        if self._stamps is None or self._stamps != self._stamp(self._found.files):
            found = read_settings(self._git)
            keys = (entry.key for entry in found.entries)
            includes = any(key.startswith(("include.", "includeif.")) for key in keys)
            self._found = found
            self._stamps = None if includes else self._stamp(found.files)
        return self._found

    def _stamp(self, files: tuple[Path, ...]) -> object:
        """Look at the files that were read and at those that git would read if they were there."""
        where = tuple(os.environ.get(name, "") for name in _WHERE)
        home, xdg, chosen, system, _ = where
        place = self._git.place
        user = Path(xdg) if xdg else Path(home, ".config")
        likely = (
            place.common_dir / "config",
            place.git_dir / "config.worktree",
            Path(home, ".gitconfig"),
            user / "git" / "config",
            Path(chosen),
            Path(system or "/etc/gitconfig"),
        )
        return where, tuple(map(_stamp_of, (*files, *likely)))


def _stamp_of(path: Path) -> tuple[int, int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _setting(scope: str, text: str) -> Setting:
    key, _, value = text.partition("\n")
    return Setting(scope, key, value)


def _is_harmless(entry: Setting, place: Place) -> bool:
    key, value = entry.key, entry.value
    if key in _HARMLESS or any(fnmatch.fnmatchcase(key, p) for p in _HARMLESS_PATTERNS):
        return True
    if any(fnmatch.fnmatchcase(key, pattern) for pattern in _ADDRESSES):
        # `ext::sh -c …` runs a program; a leading dash would be read as an option
        return "::" not in value.split("/")[0] and not value.startswith("-")
    if key == "core.worktree":  # git writes it into the repository of a submodule
        return Path(os.path.realpath(place.git_dir / value)) == place.work_tree
    return key == "core.fsmonitor" and value.lower() in _YES | _NO


def hooks_folder(settings: Settings, place: Place) -> Path:
    """Return the folder that git takes hooks from."""
    configured = settings.text("core.hookspath")
    if not configured:
        return place.common_dir / "hooks"
    return place.work_tree / os.path.expanduser(configured)  # noqa: PTH111 - `~` only, as git does
