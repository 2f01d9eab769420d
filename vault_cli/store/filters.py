"""Content filters (git-crypt, LFS) that the person's configuration sets up. May import `errors`.

A filter of a repository nobody trusted is not run. One that git is told it *requires* is not
passed over either: committing plain text into an encrypted vault could not be taken back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from vault_cli.errors import StoreError
from vault_cli.store.git_run import Git
from vault_cli.store.git_settings import Settings


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
    drivers = {path: name for path, name in _attributes(git, paths).items() if name in known}
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


def _attributes(git: Git, paths: Iterable[str]) -> dict[str, str]:
    data = b"".join(os.fsencode(path) + b"\0" for path in paths)
    out = git.run("check-attr", "-z", "--stdin", "filter", data=data).out
    fields = os.fsdecode(out).split("\0")
    return dict(zip(fields[0::3], fields[2::3], strict=False))
