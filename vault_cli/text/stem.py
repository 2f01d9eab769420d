"""English word stems, remembered: a text has most of its words many times. + `plain.stem`."""

from __future__ import annotations

from functools import lru_cache

from vault_cli.plain import stem

stem_word = lru_cache(maxsize=20_000)(stem.stem_word)
"""As `plain.stem.stem_word`."""
