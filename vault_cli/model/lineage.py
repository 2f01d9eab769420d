"""What history says about a record: commits and the versions they made. Imports: `model`."""

from __future__ import annotations

from typing import NamedTuple


class Deed(NamedTuple):
    """A commit, as far as it tells who did what.

    Args:
        id: full id.
        parents: how many parents it has.
        author: name and address as the commit says (anybody can write anything there).
        date: ISO date of the commit.
        subject: first line of its message.
        trailers: `Vault-…` and other trailers, in order.
    """

    id: str
    parents: int
    author: str
    date: str
    subject: str
    trailers: tuple[tuple[str, str], ...]

    def say(self, name: str) -> str:
        """Return the value of a trailer, "" when it is not there."""
        return next((value for key, value in self.trailers if key == name), "")

    @property
    def ids(self) -> tuple[str, ...]:
        """The records that the commit says it is about."""
        return tuple(value for key, value in self.trailers if key == "Vault-Id")

    @property
    def is_ours(self) -> bool:
        """Whether the message says that mvault made it (which nobody else is kept from saying)."""
        return bool(self.say("Vault-Op"))


class Version(NamedTuple):
    """One text of a record in history.

    Args:
        deed: the commit that made it.
        path: where it stood, vault-relative.
        blob: git's id of the text.
        status: what its head says, as its folder allows; "" when it has no readable head.
    """

    deed: Deed
    path: str
    blob: str
    status: str = ""


class Ancestry(NamedTuple):
    """All that history knows of one record, newest version first.

    Args:
        versions: from the present text back to the first one; none for what was never committed.
        whole: whether the first one is really the first (else: history is shallow there).
        brought_back: somebody replaced or removed the present text after it was written, and a
            merge brought it back.
        chosen_by: the merges that took the present text over another change of it.
        others: further commits that made the very text on another line of history, each followed by
            the merges that chose it there.
    """

    versions: tuple[Version, ...] = ()
    whole: bool = True
    brought_back: bool = False
    chosen_by: tuple[str, ...] = ()
    others: tuple[tuple[str, ...], ...] = ()
