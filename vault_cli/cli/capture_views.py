"""How items of the queue are shown. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import cut
from vault_cli.store.queue import WAITING
from vault_cli.store.queue_base import Item

_WIDTH = 96
_VEILED = "(reads like an instruction to an agent; a person is shown it)"


def is_veiled(inv: Invocation) -> bool:
    """Whether texts that read like an attack are kept from whoever runs this."""
    return not inv.is_person


def item_lines(
    items: Sequence[Item], counts: dict[str, int] | None = None, *, veil: bool
) -> Iterator[Line]:
    """Yield one line for each item: id, kind, how often, and how its text begins."""
    for item in items:
        seen = f" ×{counts[item.id]}" if counts and counts[item.id] > 1 else ""
        aside = "" if item.state == WAITING else f" ({item.state})"
        head = f"{item.id}  {item.kind}{seen}{aside}  "
        yield head + cut(inline(shown_text(item, veil=veil)), max(20, _WIDTH - len(head)))


def shown_text(item: Item, *, veil: bool) -> str:
    """Return an item's text as it may be shown: no secrets, and no attack to an agent."""
    from vault_cli.cli.capturing import masked

    if veil and held_by(item):
        return _VEILED
    return masked(item.text)


def held_by(item: Item) -> list[str]:
    """Return the codes of what the scanner would hold in an item's texts."""
    from vault_cli.text.scan import scan_wording

    texts = [item.text, *(value for value in item.detail.values() if isinstance(value, str))]
    found = scan_wording({}, "\n".join(texts))
    return list(dict.fromkeys(hit.finding.code for hit in found if hit.finding.holds))


def item_data(item: Item, *, veil: bool) -> dict[str, Any]:
    """Return the promised JSON shape of an item."""
    from vault_cli.cli.capturing import mask_detail

    held = held_by(item)
    names = ("id", "kind", "state", "host", "cwd", "attempts", "last_error", "record")
    return {
        **{name: getattr(item, name) for name in names},
        "text": shown_text(item, veil=veil),
        "detail": {} if veil and held else mask_detail(item.detail),
        "held": held,
        "first": instant_of(item.first),
        "last": instant_of(item.last),
        "last_attempt": instant_of(item.last_attempt),
    }


def instant_of(seconds: int) -> str:
    """Return a Unix time as an ISO instant in UTC, "" for none."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""
