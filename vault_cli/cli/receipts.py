"""Receipts of renders: keep one, and render again what one tells of. + everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from vault_cli.cli.output import Line, View, inline
from vault_cli.errors import NotFoundError, VaultError

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Snapshot
    from vault_cli.recall.block import Block, RenderOptions
    from vault_cli.recall.explain import Side
    from vault_cli.recall.select import Query
    from vault_cli.store.receipts import KeptRender


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
    from vault_cli.plain.naming import receipt_id
    from vault_cli.recall.explain import read_items
    from vault_cli.recall.repeat import settings_data
    from vault_cli.recall.wording import show_id
    from vault_cli.store.receipts import (
        MOST_LEFT_OUT,
        KeptEntry,
        KeptRender,
        keep_render,
        mark_text,
        peek_head,
    )

    settings = settings_data(*asked)
    settings["text"] = _without_secret(asked[0].text)
    texts = read_items(block.text)
    receipt = block.receipt
    shown = [line for line in receipt.lines if line.level != "omitted"]
    left_out = [line.id for line in receipt.lines if line.level == "omitted"]
    entries = tuple(
        KeptEntry(
            line.id, line.vault, line.group, line.level, mark_text(texts.get(show_id(line.id), ""))
        )
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
            left_out=tuple(left_out[:MOST_LEFT_OUT]),
        ),
    )


def _without_secret(text: str) -> str:
    """Return the text of a query, nothing of one that holds a secret."""
    if not text:
        return ""
    from vault_cli.text.scan import mask_secrets

    return text if mask_secrets(text) == text else ""


class Again(NamedTuple):
    """A kept render, rendered again.

    Args:
        kept: the receipt.
        snapshot, block: what gives the same block again; None when nothing at hand does.
        side: what the receipt itself says, for a comparison by entries.
    """

    kept: KeptRender
    snapshot: Snapshot | None
    block: Block | None
    side: Side


def render_again(inv: Invocation, name: str) -> Again:
    """Render what a kept receipt tells of: from the commit of then, else from the present files.

    Only a block with the digest that was kept counts as the same.

    Args:
        inv: the running command.
        name: `@1`, `@2` … or `@` and the beginning of the id.

    Raises:
        NotFoundError: no such render is kept.
    """
    from vault_cli.recall.explain import Entry, Side
    from vault_cli.store.receipts import find_render, load_renders

    renders = load_renders(inv.layers.home)
    kept = find_render(renders, name)
    if kept is None:
        count = f"{len(renders)} are kept" if renders else "none is kept yet"
        raise NotFoundError(f"no render {name}: {count}", hint="`mvault log --renders` lists them.")
    side = Side(tuple(Entry(e.id, "", e.group, e.level, e.mark) for e in kept.entries), ())
    for at in ([kept.head] if kept.head else []) + [""]:
        found = _repeat(inv, kept, at)
        if found is not None:
            return Again(kept, *found, side)
    return Again(kept, None, None, side)


def _repeat(inv: Invocation, kept: KeptRender, at: str) -> tuple[Snapshot, Block] | None:
    """Return the records of a commit ("": the files) and their block, if it is the kept one."""
    from vault_cli.cli.rendering import render_query, stale_port
    from vault_cli.plain.naming import receipt_id
    from vault_cli.recall.repeat import read_settings

    try:
        query, options = read_settings(kept.settings)
        both = any(entry.vault for entry in kept.entries)
        snapshot = inv.reading.snapshot(
            whole=True, at=at, alone=not both, guarded=not at, teams=not at
        )
    except VaultError:  # that commit is gone, or the settings are of another version
        return None
    query = replace(query, find_stale=stale_port(inv))
    block = render_query(snapshot, query, options)
    ids = (line.id for line in block.receipt.lines if line.level != "omitted")
    return (snapshot, block) if receipt_id(block.text, ids) == kept.id else None


def renders_view(inv: Invocation) -> View:
    """Return the list of the kept renders, newest first."""
    from vault_cli.store.receipts import load_renders

    renders = load_renders(inv.layers.home)

    def lines() -> Iterator[Line]:
        for place, render in enumerate(renders, 1):
            limit = f" of {render.budget}" if render.budget else ""
            size = f"{len(render.entries)} shown, {render.used}{limit} {render.unit}"
            where = inline(", ".join(render.to) or "printed")
            yield [("yellow", f"@{place}"), f"  {render.at}  {size}  {where}  ", ("dim", render.id)]

    data = {"renders": [render.as_data() for render in renders]}
    return View(data, lines, notes=() if renders else ("no render is kept",))
