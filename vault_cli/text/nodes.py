"""The metadata block with the place of every value, for patching. Imports yaml; loaded late."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from yaml.events import (
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from vault_cli.text.plain_front import NULLS
from vault_cli.text.yaml_reader import LOADER, restore, stand_in

Place = tuple[int, int]
"""0-based line and column in the block."""


@dataclass(slots=True)
class Node:
    """One value and where it stands.

    Args:
        kind: scalar, list or map.
        start: place of its first character (a missing value: behind the colon or dash).
        end: place behind its last character; of a block list or map, of its last value.
        style: quote sign or block sign of a scalar, "" for a plain one.
        flow: whether a list or map is written in brackets.
        value: as read.
        items: (key, value) of a map, (None, value) of a list.
    """

    kind: str
    start: Place
    end: Place
    style: str = ""
    flow: bool = False
    value: Any = None
    items: list[tuple[Node | None, Node]] = field(default_factory=list)

    @property
    def is_block_scalar(self) -> bool:
        """Whether it is a literal or folded text below its key."""
        return self.style in {"|", ">"}

    @property
    def is_line(self) -> bool:
        """Whether it is a scalar on one line."""
        on_one = self.start[0] == self.end[0]
        return self.kind == "scalar" and on_one and not self.is_block_scalar


def read_nodes(block: str) -> Node | None:
    """Return the top-level map of a block that is known to be readable, None when it is empty."""
    source = stand_in(block)
    parser = LOADER(source)
    try:
        events = parser.get_event
        events()
        if events().__class__ is StreamEndEvent:
            return None
        event = events()
        if event.__class__ is not MappingStartEvent:
            return None
        return _Builder(events, source.split("\n"), odd=source != block).build(event)
    finally:
        parser.dispose()


class _Builder:
    def __init__(self, next_event: Any, lines: list[str], *, odd: bool) -> None:
        self.next = next_event
        self.lines = lines
        self.odd = odd

    def build(self, event: Any) -> Node:
        start = (event.start_mark.line, event.start_mark.column)
        if event.__class__ is ScalarEvent:
            return self._scalar(event, start)
        flow = bool(event.flow_style)
        if event.__class__ is MappingStartEvent:
            node = Node("map", start, start, flow=flow, value={})
            self._read_map(node)
        else:
            node = Node("list", start, start, flow=flow, value=[])
            self._read_list(node)
        return node

    def _scalar(self, event: Any, start: Place) -> Node:
        end = (event.end_mark.line, event.end_mark.column)
        style = event.style or ""
        text = restore(event.value) if self.odd else event.value
        value = None if not style and text in NULLS else text
        if style in {"|", ">"}:
            end = self._block_end(start, end)
        return Node("scalar", start, end, style=style, value=value)

    def _block_end(self, start: Place, end: Place) -> Place:
        """Move the end of a block text back over blank lines to its last written line."""
        last = end[0] if end[1] else end[0] - 1
        while last > start[0] and not self.lines[last].strip():
            last -= 1
        return (last, len(self.lines[last]))

    def _read_map(self, node: Node) -> None:
        while True:
            event = self.next()
            if event.__class__ is MappingEndEvent:
                break
            key = self.build(event)
            key.value = restore(event.value) if self.odd else event.value
            value = self.build(self.next())
            node.items.append((key, value))
            node.value.setdefault(key.value, value.value)
        self._close(node, event)

    def _read_list(self, node: Node) -> None:
        while True:
            event = self.next()
            if event.__class__ is SequenceEndEvent:
                break
            node.items.append((None, self.build(event)))
            node.value.append(node.items[-1][1].value)
        self._close(node, event)

    @staticmethod
    def _close(node: Node, event: Any) -> None:
        if node.flow:
            node.end = (event.end_mark.line, event.end_mark.column)
        else:
            key, value = node.items[-1]
            node.end = max(value.end, key.end if key is not None else value.end)
