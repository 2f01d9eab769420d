"""What a block does not tell yet: the cheap notice between two renders. + `recall`.

A prompt cache lives as long as the bytes before it stay. So what was admitted since can be given
behind the block, until enough of it waits; what was taken out of force or changed never waits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from vault_cli.plain.notices import CLOSE, OPEN
from vault_cli.recall import wording
from vault_cli.recall.block import Block, RenderOptions
from vault_cli.recall.explain import read_items
from vault_cli.recall.render import render_block
from vault_cli.recall.select import Pick, Query, Selection
from vault_cli.text.late import late

Key = tuple[str, str]
"""Id and vault ("" when one is read) of a record."""

_BLOCK = late(r"^<mvault-memory>\n.*?^</mvault-memory>$", re.MULTILINE | re.DOTALL)


class News(NamedTuple):
    """What differs from what was shown.

    Args:
        new: eligible now, and not before.
        changed: eligible before and now, with another text.
        gone: ids that were eligible, or shown, and are not any more.
    """

    new: tuple[Pick, ...] = ()
    changed: tuple[Pick, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def urgent(self) -> bool:
        """Whether something that was told before does not hold any more, as it was told."""
        return bool(self.changed or self.gone)

    def is_due(self, every: int, tokens: int) -> bool:
        """Tell whether the block should be rendered again.

        Args:
            every: so many entries are enough (setting `render.commit_every`).
            tokens: text of about so many tokens is enough; 0: only the number counts.
        """
        fresh = (*self.new, *self.changed)
        if self.urgent or len(fresh) >= every:
            return bool(fresh or self.gone)
        size = sum(estimate_tokens(wording.full_text(pick.record)) for pick in fresh)
        return 0 < tokens <= size


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text takes: four ASCII characters or one other are one."""
    plain = sum(char.isascii() for char in text)
    return (plain + 3) // 4 + len(text) - plain


def compare(
    before: Mapping[Key, Pick], now: Selection, shown: Collection[Key] | None = None
) -> News:
    """Return what became of a selection.

    Args:
        before: what was eligible then.
        now: what is eligible.
        shown: what stood in the block then, where that is known; what stood there counts as
            known although `before` may be of a commit that did not have it yet.
    """
    known = {*before, *(shown or ())}
    here = {_key(pick) for pick in now.picks}
    new = tuple(pick for pick in now.picks if _key(pick) not in known)
    changed = tuple(
        pick
        for pick in now.picks
        if _key(pick) in before and _text(before[_key(pick)]) != _text(pick)
    )
    return News(new, changed, tuple(sorted({key[0] for key in known - here})))


def picks_by_key(picks: Iterable[Pick]) -> dict[Key, Pick]:
    """Return picks by their records' ids and vaults."""
    return {_key(pick): pick for pick in picks}


def _key(pick: Pick) -> Key:
    return pick.record.id, pick.record.vault


def _text(pick: Pick) -> tuple[str, str]:
    """Return what a reader is told of a record: its text and how to take it; no counters."""
    return pick.group, wording.full_text(pick.record, pick.support.state)


def compare_block(text: str, now: Selection) -> News | None:
    """Return what a file with a block of ours does not tell yet; None when it has none.

    Any other text at an entry, its counters included, counts as changed.
    """
    found = _BLOCK.search(text.replace("\r\n", "\n"))
    if found is None:
        return None
    items = read_items(found.group())
    picks = {wording.show_id(pick.record.id): pick for pick in now.picks}
    new = tuple(pick for key, pick in picks.items() if key not in items)
    changed = tuple(
        picks[key] for key, item in items.items() if key in picks and not _says(item, picks[key])
    )
    return News(new, changed, tuple(sorted(key for key in items if key not in picks)))


def _says(item: str, pick: Pick) -> bool:
    """Tell whether a text is the entry of a pick, at one of its levels."""
    shapes = (wording.full_text, wording.line_text)
    texts = {shape(pick.record, pick.support.state, pick.counts).rstrip("\n") for shape in shapes}
    return not item or item.rstrip("\n") in texts


def write_notice(news: News, query: Query, options: RenderOptions) -> Block:
    """Return the notice as a block of its own: what is new or changed, and what is gone.

    Its text is empty when there is nothing to say. Entries are worded and budgeted as in any
    render; of what is gone only ids are told.
    """
    picks = (*news.new, *news.changed)
    intro = _intro(news)
    if not picks:
        block = render_block(Selection((), ()), query, options)
        text = OPEN + intro + CLOSE if news.gone else ""
        return block._replace(text=text)
    order = {pick.record.id: place for place, pick in enumerate(picks)}
    chosen = Selection(tuple(sorted(picks, key=lambda pick: order[pick.record.id])), ())
    return render_block(chosen, query, options, intro=intro)


def _intro(news: News) -> str:
    lines = [
        "## Memory: what changed since the block above\n",
        "\n",
        "The block still holds for everything that is not named here.\n",
    ]
    if news.gone:
        ids = ", ".join(wording.show_id(key) for key in news.gone)
        lines.append(f"No longer in force, neither follow nor rely on it: {ids}.\n")
    return "".join(lines)
