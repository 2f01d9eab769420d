"""Content filters (git-crypt, LFS) that the person's configuration sets up.

May import `model`, `errors`.

A filter of a repository nobody trusted is not run. One that git is told it *requires* is not
passed over either: committing plain text into an encrypted vault could not be taken back.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from vault_cli.errors import StoreError
from vault_cli.model.paths import fold_path
from vault_cli.store.git_log import SAFE
from vault_cli.store.git_run import Git
from vault_cli.store.git_settings import Settings

_ENCODING: Final = "working-tree-encoding"
_UNSET: Final = "unspecified"
_ATTRIBUTE_FILES: Final = ":(top,glob,icase)**/.gitattributes"
_PATTERNS: Final = {"GIT_LITERAL_PATHSPECS": "0"}
_REWRITING: Final = {"ident": ("set",), "eol": ("crlf",)}
"""Attributes, and their values, with which git writes other bytes than it has."""


class Filters(NamedTuple):
    """The filters to run for some repository-relative paths, by path."""

    git: Git
    drivers: Mapping[str, str] = MappingProxyType({})

    def applies(self, path: str) -> bool:
        """Whether the bytes of this path go through a filter before they are stored."""
        return path in self.drivers

    def filtered_id(self, path: str, data: bytes) -> str:
        """Store `data` as the filter makes it and return the blob id; "" without a filter.

        Raises:
            GitFailedError: the filter failed.
        """
        if path not in self.drivers:
            return ""
        # line ends stay as they are: the filter, not git's conversion, decides about the bytes
        config = (("core.autocrlf", "false"),)
        flags = ("-w", "--stdin", f"--path={path}")
        return self.git.run("hash-object", *flags, data=data, config=config).out.decode().strip()


def choose_filters(git: Git, settings: Settings, paths: Iterable[str], *, plain: bool) -> Filters:
    """Find which paths go through a filter.

    Args:
        git: the repository.
        settings: its whole configuration.
        paths: repository-relative paths.
        plain: whether everything the repository brings along is harmless or trusted.

    Raises:
        StoreError: a required filter is not trusted.
    """
    known = {name for name in settings.filters() if _has_command(settings, name)}
    if not known:
        return Filters(git)
    found = _attributes(git, paths, "filter")["filter"]
    drivers = {path: name for path, name in found.items() if name in known}
    if plain:
        return Filters(git, drivers)
    for path, name in drivers.items():
        if settings.flag(f"filter.{name}.required"):
            raise StoreError(
                f"{path!r} must pass the content filter {name!r}, which is not trusted here;"
                " nothing was committed",
                hint="Look at the filter in .git/config; `mvault trust` lets it run.",
            )
    return Filters(git)


def _has_command(settings: Settings, name: str) -> bool:
    return any(settings.text(f"filter.{name}.{part}") for part in ("clean", "process"))


def altered_paths(git: Git, commit: str, prefix: str, paths: Iterable[str]) -> frozenset[str]:
    """Return the paths whose files may differ from a commit although nobody edited them.

    The repository says (`.gitattributes`) in which encoding and through which of the person's
    filters git writes a file; what it wrote stays when the rule is gone, so the history of every
    branch is asked too: a rule may have come with files that were taken from one of them.
    Where capitals do not count, a file of another name may have been written over this one.

    Args:
        git: the repository.
        commit: the commit that is checked out.
        prefix: folder of the vault in the repository.
        paths: repository-relative paths.

    Raises:
        GitFailedError: git failed.
    """
    wanted = tuple(paths)
    pickaxe = ("log", "-1", "--format=%H", "-m", "--full-history", *SAFE, f"-S{_ENCODING}")
    where = ("--ignore-missing", "--all", commit, "--", _ATTRIBUTE_FILES)
    if commit and git.run(*pickaxe, *where, env=_PATTERNS).out.strip():
        return frozenset(wanted)
    found = _attributes(git, wanted, "filter", _ENCODING, *_REWRITING)
    rewriting = {name: found.pop(name) for name in _REWRITING}
    scope = ("--", prefix) if prefix else ()
    tree = git.run("ls-tree", "-r", "-z", "--name-only", commit, *scope).out if commit else b""
    names = Counter(fold_path(os.fsdecode(name)) for name in tree.split(b"\0"))
    return frozenset(
        path
        for path in wanted
        if names[fold_path(path)] > 1
        or any(values.get(path, _UNSET) not in {_UNSET, "unset"} for values in found.values())
        or any(values.get(path) in _REWRITING[name] for name, values in rewriting.items())
    )


def _attributes(git: Git, paths: Iterable[str], *names: str) -> dict[str, dict[str, str]]:
    """Return what each attribute is for each path, by attribute."""
    data = b"".join(os.fsencode(path) + b"\0" for path in paths)
    out = git.run("check-attr", "-z", "--stdin", *names, data=data).out
    fields = os.fsdecode(out).split("\0")
    found: dict[str, dict[str, str]] = {name: {} for name in names}
    for path, name, value in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        found[name][path] = value
    return found
