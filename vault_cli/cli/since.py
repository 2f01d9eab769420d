"""`render --since`, `render --batch`, what a render showed. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View
from vault_cli.errors import NotFoundError, VaultError
from vault_cli.model.observation import MAX_SESSION

if TYPE_CHECKING:
    from vault_cli.cli.clocks import Clocks
    from vault_cli.model.record import Record
    from vault_cli.recall.block import Block, RenderOptions
    from vault_cli.recall.news import Key, News
    from vault_cli.recall.select import Query, Selection
    from vault_cli.store.receipts import KeptRender
    from vault_cli.store.vault import Vault


def render_since(
    inv: Invocation, text: str, clocks: Clocks, asked: tuple[Query, RenderOptions]
) -> int:
    """Print what is new, changed or gone since a receipt, a day or a commit.

    Raises:
        NotFoundError: neither is known by that name.
    """
    from vault_cli.cli.clocks import warn_unreadable
    from vault_cli.recall.news import write_notice
    from vault_cli.recall.select import select_records

    warn_unreadable(inv, clocks)
    query, options = asked
    news = find_news(inv, text, select_records(clocks.snapshot, query), query)
    block = write_notice(news, query, options)
    due = news.is_due(*thresholds(inv))
    data = {
        "block": block.text,
        "since": text,
        "new": [pick.record.id for pick in news.new],
        "changed": [pick.record.id for pick in news.changed],
        "gone": list(news.gone),
        "due": due,
        "receipt": block.receipt.as_data(),
    }
    words = f"{len(news.new)} new, {len(news.changed)} changed, {len(news.gone)} gone since {text}"
    next_step = "; time to render the block again" if due else "; the block can stay"
    view = View(data, raw=block.text, notes=(words + next_step,), listed=True)
    return inv.out.show(view)


def thresholds(inv: Invocation) -> tuple[int, int]:
    """Return how many entries, and how many tokens of text, make a new block worth while."""
    config = inv.reading.config
    return int(config["render.commit_every"]), int(config["render.commit_every_tokens"])


def find_news(inv: Invocation, text: str, now: Selection, query: Query) -> News:
    """Return what differs from what a receipt, a day or a commit stands for."""
    from vault_cli.recall.news import compare, picks_by_key
    from vault_cli.recall.select import select_records

    render = _kept_render(inv, text)
    at = render.head if render else _day_before(text)
    shown: Collection[Key] | None = None
    if render is not None:
        shown = [(entry.id, entry.vault) for entry in render.entries]
    then = None
    try:
        then = inv.reading.snapshot(whole=True, at=at, guarded=True) if at else None
    except NotFoundError as error:
        if render is None and at == text:
            raise NotFoundError(
                f"--since {text}: no receipt, day or commit of that name",
                hint="`render --since @1` is the last render; days are written 2026-11-30.",
            ) from error
    before = picks_by_key(select_records(then, query).picks) if then is not None else {}
    if render is not None:
        before = _as_shown(before, render)
    return compare(before, now, shown)


def _day_before(text: str) -> str:
    """Return the day before a plain day: since a day means from its beginning."""
    from datetime import date, timedelta

    try:
        return (date.fromisoformat(text) - timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return text


def _kept_render(inv: Invocation, text: str) -> KeptRender | None:
    """Return the kept receipt that a text names: `@1`, `@3f2a…`, or its whole id."""
    from vault_cli.store.receipts import find_render, is_receipt, load_renders

    renders = load_renders(inv.root)
    whole = next((render for render in renders if render.id == text), None)
    if whole is not None or not is_receipt(text):
        return whole
    found = find_render(renders, text)
    if found is None:
        raise NotFoundError(
            f"--since {text}: no such receipt is kept here",
            hint="Receipts of the last renders are kept; a day or a commit serves as well.",
        )
    return found


def _as_shown(before: dict[Key, Any], render: KeptRender) -> dict[Key, Any]:
    """Leave out what another vault than the commit's would have had: nobody knows its text."""
    vaults = {entry.vault for entry in render.entries}
    if len(vaults) < 2:  # noqa: PLR2004 - one vault was read
        vault = next(iter(vaults), "")
        return {(key, vault): pick for (key, _), pick in before.items()}
    return {key: pick for key, pick in before.items() if key[1]}


def waits_for_more(inv: Invocation, old: str, now: Selection) -> str:
    """Return why a file with a block may stay as it is for now, "" when it may not.

    Only additions wait, and only below the thresholds.
    """
    from vault_cli.recall.news import compare_block

    news = compare_block(old, now)
    every, tokens = thresholds(inv)
    if news is None or not news.new or news.is_due(every, tokens):
        return ""
    return f"{len(news.new)} of {every} new entries wait (--batch); `render --since` tells them"


SESSION_VARIABLES: Final = (
    "MVAULT_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SESSION_ID",
    "DSH_SESSION_ID",
)
"""What names the session of a command that an agent starts; the programs set their own in the
environment of what they run, and send the same name to hooks (Claude Code 2.1, Codex 0.171, DSH
0.1)."""


def session_of(inv: Invocation, given: str = "") -> str:
    """Return the session at hand: as given, else as the environment names it, else ""."""
    return given.strip() or session_named(inv.environ)


def session_named(environ: Mapping[str, str]) -> str:
    """Return the session that the environment names, "" for none."""
    named = (environ.get(name, "").strip() for name in SESSION_VARIABLES)
    return next(filter(None, named), "")


def note_exposure(inv: Invocation, block: Block, session: str) -> None:
    """Take down which records a block showed (see `note_shown`)."""
    from vault_cli.plain.naming import receipt_id

    shown = [line for line in block.receipt.lines if line.level != "omitted"]
    name = receipt_id(block.text, (line.id for line in shown))
    note_shown(inv, [(line.id, line.vault) for line in shown], name, session)


def note_found(inv: Invocation, records: Sequence[Record]) -> None:
    """Take down which records a session was given by a search or by name."""
    session = session_of(inv)
    if session and not inv.options.dry_run:
        from vault_cli.plain.naming import receipt_id

        keys = [(record.id, record.vault) for record in records]
        note_shown(inv, keys, receipt_id("found", (key for key, _ in keys)), session)


def note_shown(inv: Invocation, shown: Sequence[Key], name: str, session: str) -> None:
    """Take down which records were shown, each vault's in its own file; never fails.

    One line a time. The ids stand in the first line of a receipt only: the same block again costs
    about 100 bytes. Nothing is committed.
    """
    is_odd = len(session) > MAX_SESSION or not session.isprintable()
    if not shown or is_odd or not inv.reading.config["usage.exposures"]:
        return
    for vault in inv.reading.vaults:
        mine = inv.layers.name_of(vault.root)
        ids = [key for key, name_of in shown if not name_of or name_of == mine]
        try:
            _append_exposure(inv, vault, name, ids, session)
        except VaultError as error:
            inv.out.say(f"what was shown is not noted: {error.message}")


def _append_exposure(
    inv: Invocation, vault: Vault, receipt: str, ids: Sequence[str], session: str
) -> None:
    from vault_cli.store.observing import exposure_lines
    from vault_cli.store.own_usage import append_lines

    lines = exposure_lines(vault.root, receipt, ids, session, inv.now)
    if lines:
        append_lines(vault.root, lines, sync=False)
