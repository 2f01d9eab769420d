"""What a path of the vault says by itself. Standard library only."""

from __future__ import annotations

SKILL_FILE = "SKILL.md"
SKILL_PREFIX = "mvault-"
"""In a SKILL.md our keys stand below `metadata`, each with this before its name."""

_SKILL_DEPTH = 3


def is_skill_file(path: str) -> bool:
    """Tell whether a path is a SKILL.md, whose front matter is not ours to extend."""
    return path.endswith(f"/{SKILL_FILE}")


def skill_folder(path: str) -> str:
    """Return the name in `skills/<name>/SKILL.md`, where hosts look for it; "" elsewhere."""
    parts = path.split("/")
    in_place = len(parts) == _SKILL_DEPTH and parts[0] == "skills" and parts[2] == SKILL_FILE
    return parts[1] if in_place else ""


def fold_path(path: str) -> str:
    """Return what two paths share when a case- or form-folding file system mixes them up."""
    if path.isascii():
        return path.lower()
    from unicodedata import normalize  # seldom needed

    return normalize("NFC", normalize("NFC", path).casefold())
