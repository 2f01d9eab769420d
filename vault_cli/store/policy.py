"""Which trust settings hold for a vault. May import `errors`; light, since every render asks.

Git is not started, and what works with it is not even imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vault_cli.errors import StoreError
from vault_cli.store.clone import is_at_home, is_replaced, make_mark, read_mark
from vault_cli.store.git_place import Place, find_place, is_shallow, main_twin
from vault_cli.store.own_state import path_key, read_state, standing_place, write_state
from vault_cli.store.places import PROJECT_FOLDER
from vault_cli.text.late import late

if TYPE_CHECKING:
    from vault_cli.store.config import Config

_REMOTE: Final = late(
    rb"^[ \t]*\[[ \t]*(?:remote|include|includeif)\b|^[0-9a-f]+ refs/remotes/",
    re.IGNORECASE | re.MULTILINE,
)
"""A section of configuration with a remote, or one that may hold it; a packed remote branch."""

_CLONED: Final = late(rb"\t(?:clone: from|pull\b)")
"""What git notes about HEAD where commits came from elsewhere, also when nothing else says so."""


def policies_of(root: Path, config: Config) -> tuple[str, ...]:
    """Return the trust settings that keep something out of this vault's renders, in words."""
    found = []
    policy = incoming_policy(root, config)
    if policy != "accept":
        found.append(f"trust.incoming = {policy}")
    if config["trust.uncommitted"] == "committed":
        found.append("trust.uncommitted = committed")
    if config["trust.require_signed"]:
        found.append("trust.require_signed = true")
    return tuple(found)


def incoming_policy(root: Path, config: Config) -> str:
    """Return `accept`, `review` or `signed` for the vault at `root`; git is not started.

    `auto` is `accept` where the person made the vault or said `mvault trust`, and where the
    repository has no other side that anything could come from; else `review`. An `accept` for
    this one place is about the clone that the person made or trusted there, and no other.
    """
    policy = str(config["trust.incoming"])
    if policy == "accept" and config.origin("trust.incoming") == "user-here":
        with suppress(StoreError):  # a git folder that cannot be found brings nothing in
            return "review" if is_replaced(root, find_place(root)) else policy
    if policy != "auto":
        return policy
    return "accept" if is_own(root, named=config.named) else "review"


def is_own(root: Path, *, named: bool) -> bool:
    """Whether the person made or trusted the vault, named it, or nothing comes into it by git.

    Args:
        root: the vault.
        named: whether `--vault` or `$MVAULT` names it (`Config.named`).
    """
    place = find_place(root)
    if place is None or _was_trusted(place) or is_made_here(root):
        return True
    if not is_at_home(place):
        return False
    return (named and is_plain_folder(root, place)) or not has_other_side(place)


def is_plain_folder(root: Path, place: Place) -> bool:
    """Whether a vault is a plain folder of a bigger repository, like a sample beside the code.

    Who names one is given it. Who works in a folder of a clone did not choose what lies there, so
    a vault that is found on the way up waits like one at the top or in `.mvault/`, whatever that
    name leads to.
    """
    real = Path(os.path.realpath(root))
    is_top = real == Path(os.path.realpath(place.work_tree))
    return not is_top and PROJECT_FOLDER not in {real.name, root.name}


def has_other_side(place: Place) -> bool:
    """Whether a repository was cloned or fetched from somewhere, or has a remote.

    Only files are looked at. A repository that hides it is like a folder without one: then what
    is in force came with the folder, and nothing can follow without leaving these traces.
    """
    common = place.common_dir
    if _CLONED.search(_read(common / "logs" / "HEAD")):
        return True
    if (place.git_dir / "FETCH_HEAD").exists() or is_shallow(place):
        return True
    if any(_REMOTE.search(_read(common / name)) for name in ("config", "packed-refs")):
        return True
    return any(path.is_file() for path in (common / "refs" / "remotes").rglob("*"))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def is_made_here(root: Path) -> bool:
    """Whether `mvault init` made this vault, on this machine, in this clone."""
    return _made(root) is not None


def _made(root: Path) -> Mapping[str, Any] | None:
    """Return what was noted when this vault was made; in a linked work tree, in the main one."""
    place = find_place(root)
    real = standing_place(root)
    for path in filter(None, (real, main_twin(real, place))):
        made = read_state("made", path_key(path))
        if made.get("vault") == path and _is_same(made, place):
            return made
    return None


def note_made_here(root: Path, *, by_person: bool = True) -> None:
    """Remember that this vault was made here; StoreError as `write_state`, `make_mark`.

    Args:
        root: the vault.
        by_person: whether a person made it: only then it stands in the place of their user vault.
    """
    real = os.path.realpath(root)
    made = {"vault": real, "mark": make_mark(find_place(root)), "by_person": by_person}
    write_state("made", path_key(real), made)


def stands_alone(root: Path) -> bool:
    """Whether a vault that is found on the way up may be read without the user vault beside it.

    Only a person's word makes it so: `init`, or `trust`. Anybody who can write one file can make a
    folder a vault (a push, an agent, an archive), and that must not take the rules of the person
    out of sight.
    """
    try:
        made, place = _made(root), find_place(root)
    except StoreError:  # said by what needs the repository
        return True
    by_person = made is not None and made.get("by_person") is not False
    return by_person or (place is not None and _was_trusted(place))


def _was_trusted(place: Place) -> bool:
    """Whether the person ever said `mvault trust` here, or made the repository (`store.trust`)."""
    known = read_state("trust", path_key(place.common_dir))
    return known.get("repository") == str(place.common_dir) and _is_same(known, place)


def _is_same(kept: Mapping[str, Any], place: Place | None) -> bool:
    """Whether something was said about the clone that lies at a place now."""
    mark = read_mark(place)
    return bool(mark) and kept.get("mark") == mark
