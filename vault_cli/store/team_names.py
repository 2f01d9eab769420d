"""Team vaults as the settings name them: `NAME LOCATION COMMIT`. May import `store.places`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from vault_cli.store.places import expand_home
from vault_cli.text.late import late

_NAME: Final = late(r"[^\W_][\w.-]{0,39}")
_COMMIT: Final = late(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PASSWORD: Final = late(r"[a-z]+://[^/@]*:[^/@]*@|https?://[^/@]*@")
_REMOTE: Final = late(r"(?:https?|ssh|git|file)://\S+|[^/\s:-][^/\s:]+:[^\s:]\S*")


class Team(NamedTuple):
    """A team vault as the settings name it.

    Args:
        name: what it is called here.
        location: where it is fetched from: an address of git, or an absolute path.
        commit: full id of the commit that is read.
    """

    name: str
    location: str
    commit: str

    def __str__(self) -> str:
        return f"{self.name} {self.location} {self.commit}"


def parse_team(text: str) -> Team:
    """Read an item of the setting `teams`: `NAME LOCATION COMMIT`.

    Raises:
        ValueError: it is none; the text says why.
    """
    name, _, rest = text.strip().partition(" ")
    location, _, commit = rest.strip().rpartition(" ")
    location = location.strip()
    if not _NAME.fullmatch(name) or not location:
        raise ValueError(f"{text!r} is not NAME LOCATION COMMIT")
    if not _COMMIT.fullmatch(commit):
        raise ValueError(f"{name}: {commit!r} is no full commit id")
    if not location.isprintable() or not (is_address(location) or is_place(location)):
        raise ValueError(f"{name}: {location!r} is neither an address nor an absolute path")
    if _PASSWORD.match(location):
        raise ValueError(f"{name}: the address holds a password; leave it to git's credentials")
    return Team(name, location, commit)


def is_address(location: str) -> bool:
    """Tell whether a team vault is fetched over the network, or from an address of git."""
    return not is_place(location) and _REMOTE.fullmatch(location) is not None


def is_place(location: str) -> bool:
    """Tell whether a location is a folder of this machine, wherever one stands."""
    return expand_home(location).is_absolute()


def merge_names(*listed: Sequence[str]) -> list[Team]:
    """Return the team vaults of several settings; of one name the first counts.

    What is not written as it must be is left out: `load_config` has said so.
    """
    found: dict[str, Team] = {}
    for text in (text for texts in listed for text in texts):
        team = parse_team(text)
        found.setdefault(team.name, team)
    return list(found.values())
