"""`why`: where a line of a block comes from, and why it is there. + everything below `cli`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.guarding import waiting_hint
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.option_groups import RenderChoices, takes
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.rendering import make_options, make_query, render_query
from vault_cli.cli.views import marks_text
from vault_cli.errors import NotFoundError, RefusedError, UsageError
from vault_cli.model.record import Record, Status

if TYPE_CHECKING:
    from vault_cli.cli.clocks import Clocks
    from vault_cli.recall.block import Block
    from vault_cli.recall.fate import Fates
    from vault_cli.recall.match import Match, Pasted

_FULLY_TOLD = 3
_LISTED = 20


@takes(choices=RenderChoices)
def why(
    ctx: typer.Context,
    choices: RenderChoices,
    line: Annotated[
        list[str] | None,
        typer.Argument(metavar="LINE|ID", help="A line of a block, or an id; `-` reads stdin."),
    ] = None,
    at: flags.At = "",
) -> int:
    """Say where a line of a block comes from, and why it is there, or is not.

    The line may be a part of one, wrapped or cut (…), quoted or coloured. The answer names the
    record, its file and line, the commits that made and admitted it, what it rests on, its place in
    the block or what keeps it out, and the last render that held it. The options are those of
    `render`; the block looked at is the one they give now, or gave at a time (--at). When no record
    has such a line the nearest are named, and the command ends with 1.

    Examples:
      mvault why l-7k3qd2m
      mvault why "- [l-7k3qd2m] Check node_modules/.bin before calling npx"
      mvault why 支付回调必须幂等
      pbpaste | mvault why -
    """
    from vault_cli.cli.clocks import set_clocks, warn_unreadable

    inv: Invocation = ctx.obj
    text = _read_line(line or [])
    view = "belief" if at else ""
    clocks = set_clocks(inv, view, "", at, whole=True, guarded=True)
    wanted = choices.wanted(clocks.moment)
    block = render_query(clocks.snapshot, make_query(inv, wanted), make_options(inv, wanted))
    warn_unreadable(inv, clocks)
    return inv.out.show(_Answer(inv, clocks, block, text).view())


def _read_line(words: Sequence[str]) -> str:
    """Return what was pasted; `-` alone stands for standard input.

    Raises:
        UsageError: nothing was given.
    """
    from vault_cli.model.tables import MAX_FILE

    text = sys.stdin.read(MAX_FILE) if list(words) == ["-"] else " ".join(words)
    if not text.strip():
        raise UsageError(
            "which line? Nothing was given",
            hint='Quote it: mvault why "- [l-7k3qd2m] Check …"; or give an id, or `-` for stdin.',
        )
    return text


class _Answer:
    """What is known about one pasted line.

    Args:
        inv: the running command.
        clocks: the records looked at.
        block: what is rendered of them.
        text: as pasted.
    """

    def __init__(self, inv: Invocation, clocks: Clocks, block: Block, text: str) -> None:
        from vault_cli.recall.explain import read_items
        from vault_cli.recall.fate import Fates
        from vault_cli.recall.match import read_paste

        self.inv = inv
        self.clocks = clocks
        self.block = block
        self.text = text
        self.pasted: Pasted = read_paste(text)
        self.items = read_items(block.text)
        self.is_other_text = False
        self.fates: Fates = Fates(clocks.snapshot, block)
        self.supports = {
            (line.vault, line.path): line.pick.support.state for line in block.receipt.lines
        }

    def view(self) -> View:
        """Return the answer: records, a line of the frame, or the nearest records."""
        found = self._find()
        if found:
            return self._tell(found)
        frame = self._frame()
        if frame:
            words = f"a line of mvault's own frame, from no record: {inline(frame.strip())}"
            data = {**self._data(), "frame": frame.strip()}
            return View(data, lambda: [words])
        return self._nothing()

    def _data(self) -> dict[str, Any]:
        return {"line": self.text, "records": [], "frame": "", "nearest": []}

    # Which records

    def _find(self) -> list[Match]:
        """Return what the text names: an id or a path, else the records with such a line."""
        from vault_cli.recall.match import find_matches

        named = self._named(self.text.strip())
        if named:
            return named
        found = find_matches(self.pasted, self._candidates(), self._shown_of, self._entry_of)
        if found:
            return found
        self.is_other_text = bool(self.pasted.undecorated().head_id)
        return self._by_ids()

    def _candidates(self) -> Iterator[Record]:
        """Yield the records that may have such a line: an id stands in the text of few."""
        if (word := self._missing_id()) == "":
            yield from self._readable()
            return
        for record in self._readable():
            if any(word in text for text in (record.body, record.title, record.applies_when)):
                yield record

    def _missing_id(self) -> str:
        """Return the text if it is an id of ours (of no record, or its record was found)."""
        from vault_cli.text.names import OWN_ID

        word = self.text.strip()
        return word if OWN_ID.fullmatch(word) else ""

    def _readable(self) -> Iterator[Record]:
        """Yield the records whose words may be shown to anybody."""
        return (r for r in self.clocks.snapshot.records if r.status is not Status.QUARANTINED)

    def _named(self, word: str) -> list[Match]:
        from vault_cli.cli.clocks import find_record
        from vault_cli.recall.match import SAME, Match

        if not word or len(word.split()) > 1:
            return []
        try:
            record = find_record(self.inv, self.clocks, word)
        except (NotFoundError, UsageError):
            return []
        except RefusedError:
            same = [r for r in self.clocks.snapshot.records if r.id == word]
            if not same:
                raise
            return [Match(r, SAME, "", self._is_shown(r)) for r in same]
        if record.status is Status.QUARANTINED:
            from vault_cli.cli.quarantine import require_reader

            require_reader(self.inv, record)
        key = (record.vault, record.path, record.digest)  # not what waits in its place
        here = [r for r in self.clocks.snapshot.records if (r.vault, r.path, r.digest) == key]
        return [Match(r, SAME, "", self._is_shown(r)) for r in here or (record,)]

    def _by_ids(self) -> list[Match]:
        """Return the records whose ids a line names, though its text is none of theirs (now)."""
        from vault_cli.recall.match import LIKE, Match, named_ids
        from vault_cli.recall.wording import show_id

        wanted = named_ids(self.pasted)
        return [
            Match(record, LIKE, "", self._is_shown(record))
            for record in self.clocks.snapshot.records
            if show_id(record.id) in wanted
        ]

    def _shown_of(self, record: Record) -> str:
        from vault_cli.recall.wording import show_id

        return self.items.get(show_id(record.id), "") if self._is_shown(record) else ""

    def _entry_of(self, record: Record) -> str:
        from vault_cli.recall.wording import full_text, line_text

        state = self.supports.get((record.vault, record.path), "")
        return full_text(record, state) + line_text(record, state)

    def _is_shown(self, record: Record) -> bool:
        return self.fates.of(record).code == "shown"

    def _frame(self) -> str:
        from vault_cli.recall.explain import frame_lines
        from vault_cli.recall.match import frame_line

        return frame_line(self.pasted, frame_lines(self.block))

    # What is said

    def _tell(self, found: Sequence[Match]) -> View:
        from vault_cli.cli.story import story_lines, tell_story

        told = found[:_FULLY_TOLD]
        stories = [tell_story(self.inv, self.clocks, match, self.fates) for match in told]
        rest = found[_FULLY_TOLD:]
        data = {
            **self._data(),
            "records": [*stories, *(_brief(match, self.fates) for match in rest)],
        }
        notes = [f"{len(found)} records have this line"] if len(found) > 1 else []
        hints = ["`mvault why ID` tells all of one."] if rest else []
        for match in (match for match in told if match.record.waits):
            notes.append(f"{match.record.id}: {match.record.waits}")
            hints.append(waiting_hint(match.record))
        if self.is_other_text:
            notes.append("found by its id: its text is not, or no longer, the line's")
            hints.append("A line of an older text: mvault why --at DATE LINE")

        def lines() -> Iterator[Line]:
            for place, story in enumerate(stories):
                if place:
                    yield ""
                yield from story_lines(story)
            for match in rest[:_LISTED]:
                record = match.record
                yield from ("", f"{record.id}  {inline(record.title)}{marks_text(record)}")
            if len(rest) > _LISTED:
                yield f"and {len(rest) - _LISTED} more"

        return View(data, lines, notes=notes, hints=hints)

    def _nothing(self) -> View:
        from vault_cli.cli.views import brief_data

        word = self._missing_id()
        nearest = self._nearest(word)
        data = {**self._data(), "nearest": [brief_data(record) for record in nearest]}

        def lines() -> Iterator[Line]:
            for record in nearest:
                head = f"{record.id}  {record.status}  {record.kind}  {inline(record.title)}"
                yield head + marks_text(record)

        gone = self._forgotten()
        near = "the nearest:" if nearest else "and none is near it"
        missing = f"there is no record {word}" if word else "no record has this line"
        notes = (gone,) if gone else (f"{missing}; {near}",)
        what = ("As it was on a day", word) if word else ("A line of an older text", "LINE")
        hints = (f"{what[0]}: mvault why --at DATE {what[1]}",)
        return View(data, lines, notes=notes, hints=hints, exit_code=1)

    def _nearest(self, word: str) -> Sequence[Record]:
        if word:
            from vault_cli.features.resolve import nearest_records

            readable = tuple(self._readable())
            return nearest_records(replace(self.clocks.snapshot, records=readable), word)
        from vault_cli.recall.match import find_nearest

        return find_nearest(self.pasted, self._readable())

    def _forgotten(self) -> str:
        from vault_cli.recall.match import named_ids

        names = {self.text.strip(), *named_ids(self.pasted)}
        gone = sorted(names & self.clocks.forgotten) or sorted(names & self.inv.vault.forgotten())
        return f"{', '.join(gone)} was forgotten (`mvault log {gone[0]}`)" if gone else ""


def _brief(match: Match, fates: Fates) -> Mapping[str, Any]:
    from vault_cli.cli.views import brief_data

    return {**brief_data(match.record), "code": fates.of(match.record).code}
