"""Sentences that try to steer the agent that reads them, in English and Chinese.

Only a reader can tell an attack from a note about one, so a finding asks for review and never
decides. May import `model`, `errors`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from vault_cli.text.admission import Finding
from vault_cli.text.hidden import show_printable
from vault_cli.text.injection_match import LONGEST, Hit, find_hits

_SHOWN: Final = 80


def find_injections(text: str) -> list[Finding]:
    """Return the injections found in a text, in its order.

    The first 64 KiB are scanned, in linear time. The message says which kind of attack it is
    and shows the place, escaped and cut; line and column point into `text`.
    """
    hits = find_hits(text[:LONGEST])
    if not hits:
        return []
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return [_finding(text, starts, hit) for hit in hits]


def _finding(text: str, starts: list[int], hit: Hit) -> Finding:
    line = bisect_right(starts, hit.start)
    shown = show_printable(text[hit.start : hit.end])
    snippet = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
    message = f'reads like an injection, {hit.rule.kind}: "{snippet}"'
    return Finding("injection", line, hit.start - starts[line - 1] + 1, message, holds=True)
