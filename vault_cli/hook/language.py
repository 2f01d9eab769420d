"""Which language a text is in, as far as what we say beside it goes. No imports."""

from __future__ import annotations


def is_chinese(text: str) -> bool:
    """Tell whether a text is written in Chinese characters: a third of its letters."""
    letters = [char for char in text if char.isalpha()]
    return 3 * sum("\u4e00" <= char <= "\u9fff" for char in letters) >= max(len(letters), 1)
