r"""The first look before a tool call: are the compiled guards fresh, could one match. Standard lib.

An index file has two parts. Its head, plain text, says what the rules were made from and which
literals they need; it is read before every call and decides only that nothing can match, or that
the rules are to be compiled anew. The rules stand behind it, sealed, and are read (`hook.guard`)
when a literal was found: so that most calls load neither `marshal`'s work nor a hash.

    mvguard2 <seal> <length of head>\n
    L ...                    literals, F: of the payload in lower case, A: a rule has none
    S <hex of folder> <until>
    T <hex of path> <time of change> <size>      of the section above
"""

from __future__ import annotations

import sys

from vault_cli.hook.system import calls, open_plain, variable

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MAGIC = b"mvguard2 "
MAX_PAYLOAD = 1 << 20
"""Longer payloads are not searched for literals, which would take long; they are parsed."""

_SLASH = "\\" if sys.platform == "win32" else "/"
_SLASHES = "/\\"
_FILE = 0o100000
_KIND = 0o170000
_HEAD = 1
_RETRY = 60
"""Seconds after which rules that could not be compiled are tried again."""
_BETWEEN = b"\x1f"
"""Between literals, which hold no control character."""

Stamp = tuple[str, int, int]
"""Path, time of change in ns, size."""


class Look:
    """The head of an index.

    Args:
        sections: by folder: until when the rules hold by the clock (0 for ever), and its stamps as
            they are written.
        plain: literals of which one stands in every payload that a rule matches.
        folded: those of the payload in lower case.
        always: whether a rule needs none.
    """

    __slots__ = ("always", "folded", "plain", "sections")

    def __init__(
        self,
        sections: dict[str, tuple[float, list[bytes]]],
        plain: list[bytes],
        folded: list[bytes],
        *,
        always: bool,
    ) -> None:
        self.sections = sections
        self.plain = plain
        self.folded = folded
        self.always = always

    def is_stale(self, folder: str, now: float) -> bool:
        """Tell whether what the rules for a folder were made from has changed since."""
        key = find_section(self.sections, folder)
        if key is None:
            return False
        until, lines = self.sections[key]
        return (until and now >= until) or any(map(_has_changed, lines))

    def may_match(self, raw: bytes) -> bool:
        """Tell whether a rule could match a payload; no is never wrong."""
        if self.always or len(raw) > MAX_PAYLOAD:
            return True
        for _ in filter(raw.__contains__, self.plain):
            return True
        return bool(self.folded) and any(map(raw.lower().__contains__, self.folded))


def load(path: str) -> Look | None:
    """Return the head of an index file, None when there is none or it cannot be read."""
    try:
        return read_head(split(read_file(path))[_HEAD])
    except (OSError, ValueError, IndexError):
        return None


def read_file(path: str) -> bytes:
    """Return the bytes of a file; OSError when it cannot be read."""
    file = open_plain(path, calls.O_RDONLY)
    try:
        data: bytes = calls.read(file, calls.fstat(file).st_size + 1)
    finally:
        calls.close(file)
    return data


def split(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Return seal (hex), head and sealed rules of an index.

    Raises:
        ValueError, IndexError: it is none.
    """
    if not data.startswith(MAGIC):
        raise ValueError("no index")
    line, _, rest = data.partition(b"\n")
    _, seal, length = line.split(b" ")
    size = int(length)
    return seal, rest[:size], rest[size:]


def read_head(head: bytes) -> Look:
    """Return what a head says; ValueError or IndexError when it is none."""
    sections: dict[str, tuple[float, list[bytes]]] = {}
    stamps: list[bytes] = []
    found: dict[bytes, list[bytes]] = {b"L": [], b"F": []}
    always = False
    for line in head.split(b"\n"):
        kind = line[:1]
        if kind == b"T":
            stamps.append(line)
        elif kind == b"S":
            words = line.split(b" ")
            stamps = []
            sections[_text(words[1])] = (float(words[2]), stamps)
        elif kind in found:
            found[kind] = line.split(_BETWEEN)[1:]
        elif kind == b"A":
            always = True
    return Look(sections, found[b"L"], found[b"F"], always=always)


def write_head(
    sections: dict[str, tuple[Any, ...]], needs: tuple[Iterable[bytes], Iterable[bytes], bool]
) -> bytes:
    """Return the head for sections (stamps, until, rules) and the literals of their rules."""
    plain, folded, always = needs
    lines = [_BETWEEN.join((b"L", *plain)), _BETWEEN.join((b"F", *folded))]
    lines += [b"A"] if always else []
    for key, (stamps, until, _) in sections.items():
        lines.append(f"S {_hex(key)} {until}".encode("ascii"))
        lines += [f"T {_hex(path)} {time} {size}".encode("ascii") for path, time, size in stamps]
    return b"\n".join(lines)


def _hex(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").hex()


def _text(word: bytes) -> str:
    return bytes.fromhex(word.decode("ascii")).decode("utf-8", "surrogateescape")


def _has_changed(line: bytes) -> bool:
    _, path, time, size = line.split(b" ")
    return stamp(_text(path))[1:] != (int(time), int(size))


def stamp(path: str) -> Stamp:
    """Return the stamp of a file or folder; what is not there has one, too."""
    try:
        facts = calls.stat(path)
    except (OSError, ValueError):
        return path, 0, -1
    # the size of a folder tells nothing
    return path, facts.st_mtime_ns, facts.st_size if facts.st_mode & _KIND == _FILE else -2


def find_section(sections: Iterable[str], folder: str) -> str | None:
    """Return the section that holds for a folder: the deepest around it, None for none.

    Where the environment names a vault, only that one's section counts.

    Args:
        sections: keys: folders, `""` for wherever no other one holds, and named vaults.
        folder: absolute.
    """
    named = variable("MVAULT")
    if named:
        return _find_named(sections, folder, named)
    best = None
    for root in sections:
        inside = not root or folder == root or folder.startswith(f"{root.rstrip(_SLASHES)}{_SLASH}")
        if inside and (best is None or len(root) > len(best)):
            best = root
    return best


def _find_named(sections: Iterable[str], folder: str, name: str) -> str | None:
    import os

    place = os.path.realpath(os.path.join(folder, os.path.expanduser(name)))
    keys = (named_section(place), named_section(os.path.join(place, ".mvault")))
    return next((key for key in keys if key in sections), None)


def named_section(root: str) -> str:
    """Return the key of the section for a vault that is named, by its real path."""
    return f"vault\0{root}"


def clock() -> float:
    """Return the Unix time; `$MVAULT_NOW` overrides it, as everywhere."""
    import time

    given = variable("MVAULT_NOW")
    if given:
        from datetime import datetime

        try:
            return datetime.fromisoformat(given).timestamp()
        except ValueError:
            return time.time()
    return time.time()


def may_retry(mark: str) -> bool:
    """Tell whether compiling did not fail within the last minute, and note that it is tried."""
    import time

    try:
        if 0 <= time.time() - calls.stat(mark).st_mtime < _RETRY:
            return False
    except OSError:
        pass
    try:
        calls.close(calls.open(mark, calls.O_WRONLY | calls.O_CREAT | calls.O_TRUNC, 0o600))
    except OSError:
        return False  # where nothing can be written nothing can be compiled
    return True
