"""Receipts of renders: keep one, and render again what one tells of. + everything below `cli`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.recall.block import Block, RenderOptions
    from vault_cli.recall.select import Query

SHORT = 10


def keep_receipt(
    inv: Invocation, block: Block, asked: tuple[Query, RenderOptions], files: Sequence[str]
) -> None:
    """Keep what was shown, so that `why` and `diff` can tell of it; an empty block is not kept.

    Args:
        inv: the running command.
        block: what was rendered, of the files as they are.
        asked: the query and the options it was rendered with.
        files: what it was written into; none: it was printed.
    """
    if not block.text:
        return
    from vault_cli.recall.explain import read_items
    from vault_cli.recall.repeat import settings_data
    from vault_cli.store.receipts import (
        KeptEntry,
        KeptRender,
        keep_render,
        mark_text,
        peek_head,
        receipt_id,
    )

    settings = settings_data(*asked)
    settings["text"] = _without_secret(asked[0].text)
    texts = read_items(block.text)
    receipt = block.receipt
    shown = [line for line in receipt.lines if line.level != "omitted"]
    entries = tuple(
        KeptEntry(line.id, line.vault, line.group, line.level, mark_text(texts.get(line.id, "")))
        for line in shown
    )
    keep_render(
        inv.root,
        KeptRender(
            id=receipt_id(block.text, (line.id for line in shown)),
            at=inv.now.isoformat(timespec="seconds"),
            head=peek_head(inv.root),
            to=tuple(files),
            settings=settings,
            used=receipt.used,
            unit=receipt.unit,
            budget=receipt.budget,
            omitted=receipt.omitted,
            excluded=len(receipt.excluded),
            entries=entries,
        ),
    )


def _without_secret(text: str) -> str:
    """Return the text of a query, nothing of one that holds a secret."""
    if not text:
        return ""
    from vault_cli.text.scan import mask_secrets

    return text if mask_secrets(text) == text else ""
