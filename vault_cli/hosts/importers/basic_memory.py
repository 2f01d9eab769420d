"""basic-memory: Markdown notes with `permalink`, observations and relations in the text.

Observations (`- [category] text #tag`) and relations (`- relates_to [[Other]]`) are the text of
the note and stay as they are; their tags become topics.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from vault_cli.hosts.importers.markdown import note_item
from vault_cli.hosts.importers.notes import front_text, read_note
from vault_cli.hosts.importers.port import Basket, head_of

FORMAT: Final = "basic-memory"
_OBSERVATION: Final = re.compile(r"(?m)^[ \t]*- \[([^\]\n]{1,40})\] .*$")
_TAG: Final = re.compile(r"(?<![\w/])#([\w/-]{1,60})")
_PERMALINK: Final = re.compile(rb"(?m)^permalink:")
_LOOKED: Final = 20


def fits(root: Path) -> bool:
    """Tell whether one of the first notes has a permalink."""
    files = [root] if root.is_file() else list(islice(root.rglob("*.md"), _LOOKED))
    return any(_PERMALINK.search(head_of(path, 2048)) for path in files)


def read(basket: Basket) -> None:
    """Read every note; one without a permalink goes by its path."""
    for path in basket.walk(".md"):
        raw = basket.read(path)
        note = read_note(basket, raw) if raw is not None else None
        if raw is None or note is None:
            continue
        if not note.body.strip():
            basket.skip(path, "empty")
            continue
        name = front_text(note.front, "permalink") or raw.name.removesuffix(".md")
        item = note_item(raw, note.front, note.body, name, FORMAT)
        found = [m[0] for m in _OBSERVATION.finditer(note.body) if m[1] not in (" ", "x", "X")]
        tags = [tag for line in found for tag in _TAG.findall(line)]
        claims = {key: value for key, value in item.claims.items() if key != "permalink"}
        topics = tuple(dict.fromkeys((*item.topics, *tags)))
        basket.add(replace(item, topics=topics, claims=claims, names=(name,)))
