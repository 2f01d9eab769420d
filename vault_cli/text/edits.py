"""The edits inside a metadata block: which characters go, which come. May import `text.*`.

Loaded only when a file is patched. Works on the block as found (line ends kept); places come
from the parser, so no line is guessed at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vault_cli.errors import RefusedError
from vault_cli.text.codes import show
from vault_cli.text.compose import (
    REMOVE,
    WIDTH,
    as_typed,
    compose_entry,
    compose_flow,
    compose_item,
    compose_scalar,
    is_typed,
    looks_typed,
)
from vault_cli.text.late import late
from vault_cli.text.nodes import Node, Place, read_nodes

_COMMENT = late(r"\s+#.*")


class BlockEditor:
    """Plans and applies edits of one block.

    Args:
        raw: the block's lines as found, each with its line end.
        eol: line end of the line above the block.
        path: for messages.
    """

    def __init__(self, raw: str, eol: str, path: str) -> None:
        self.raw = raw
        self.eol = eol
        self.path = path
        self.lines = raw.replace("\r\n", "\n").split("\n")
        self.starts = [0]
        for line in raw.split("\n")[:-1]:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.edits: list[tuple[int, int, str]] = []

    def apply(self, wanted: Mapping[str, Any]) -> str:
        """Return the block with top-level keys set or removed.

        Raises:
            RefusedError: a key is written in a form that cannot be changed in place.
        """
        root = read_nodes(self.raw.replace("\r\n", "\n"))
        if root is None:
            added = "".join(compose_entry(key, value) for key, value in wanted.items())
            return self.raw + added.replace("\n", self.eol)
        if root.flow:
            raise self._refuse("the whole block is written in braces")
        self._edit_map(root, wanted, at_end=True)
        text = self.raw
        # Of two insertions at one place the one planned first comes first in the text.
        order = sorted(enumerate(self.edits), key=lambda pair: (*pair[1][:2], pair[0]))
        for _, (start, end, new) in reversed(order):
            text = text[:start] + new + text[end:]
        return text

    # Places

    def _offset(self, place: Place) -> int:
        return self.starts[place[0]] + place[1]

    def _eol_at(self, line: int) -> str:
        """Return the line end of a line, else the one above it."""
        stop = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.raw)
        found = self.raw[self.starts[line] : stop]
        return "\r\n" if found.endswith("\r\n") else "\n" if found.endswith("\n") else self.eol

    def _line_stop(self, line: int) -> Place:
        return (line, len(self.lines[line]))

    def _splice(self, start: Place, end: Place, new: str) -> None:
        new = new.replace("\n", self._eol_at(start[0]))
        self.edits.append((self._offset(start), self._offset(end), new))

    def _drop_lines(self, first: int, last: int) -> None:
        self.edits.append((self.starts[first], self.starts[last + 1], ""))

    def _insert_below(self, line: int, text: str) -> None:
        at = self.starts[line + 1]
        self.edits.append((at, at, text.replace("\n", self._eol_at(line))))

    def _refuse(self, why: str) -> RefusedError:
        hint = "Write one `key: value` per line, or change it in an editor."
        return RefusedError(f"{self.path}: {why}, so it is not changed in place", hint=hint)

    # Maps

    def _edit_map(self, node: Node, wanted: Mapping[str, Any], *, at_end: bool = False) -> None:
        """Set and remove keys of a map written in lines."""
        indent = " " * node.start[1]
        added = ""
        for key, value in wanted.items():
            places = [(name, old) for name, old in node.items if name and name.value == key]
            for name, old in places:
                self._edit_entry(name, old, value)
            if not places and value is not REMOVE:
                added += compose_entry(key, value, indent)
        if added:
            last = len(self.lines) - 2 if at_end else node.end[0]
            self._insert_below(last, added)

    def _edit_entry(self, name: Node, old: Node, value: Any) -> None:
        line = self.lines[name.start[0]]
        if line[: name.start[1]].strip() or name.end[0] != name.start[0]:
            raise self._refuse(f"`{show(name.value)}` does not stand at the start of its line")
        if value is REMOVE:
            self._drop_lines(name.start[0], max(old.end[0], name.end[0]))
            return
        colon = line.index(":", name.end[1])
        self._edit_value(old, value, (name.start[0], colon + 1), name.value)

    def _edit_value(self, old: Node, value: Any, behind: Place, key: str) -> None:
        """Replace a value whose key or dash ends at `behind`, touching as little as possible."""
        if old.value == as_typed(value):
            return
        new_map = isinstance(value, Mapping) and bool(value)
        new_list = isinstance(value, list | tuple) and bool(value)
        inline = old.start[0] == old.end[0]
        if old.is_line:
            if not new_map and not new_list:
                self._edit_scalar(old, value, key)
                return
        elif old.kind == "map" and new_map:
            if not old.flow:
                gone = {name: REMOVE for name in old.value if name not in value}
                self._edit_map(old, {**value, **gone})
                return
            if inline:
                self._splice(old.start, old.end, self._flow_map(old, value))
                return
        elif old.kind == "list" and isinstance(value, list | tuple) and self._edit_list(old, value):
            return
        self._replace(old, value, behind, key)

    def _edit_scalar(self, old: Node, value: Any, key: str) -> None:
        before = self.lines[old.start[0]][: old.start[1]]
        text = compose_scalar(value, style=old.style, typed=self._typed(old, value, key))
        if before.endswith((":", "-")):
            text = " " + text
        self._splice(old.start, old.end, text)

    @staticmethod
    def _typed(old: Node, value: Any, key: str) -> bool:
        """Whether a plain number or date may follow a plain number or date."""
        if is_typed(key):
            return True
        if old.style or not isinstance(value, str) or not isinstance(old.value, str):
            return False
        return looks_typed(value) == looks_typed(old.value) != ""

    def _replace(self, old: Node, value: Any, behind: Place, key: str) -> None:
        """Replace a whole value; a comment behind the key stays on the key's line."""
        entry = compose_entry(key, value)
        head, _, rest = entry.partition("\n")
        new = head[len(compose_scalar(key)) + 1 :]
        if old.is_block_scalar or old.start[0] > behind[0]:
            found = _COMMENT.search(self.lines[behind[0]], behind[1])
            comment = found[0] if found is not None else ""
            end = self._line_stop(old.end[0])
        elif rest:
            comment = self.lines[old.end[0]][old.end[1] :]
            end = self._line_stop(old.end[0])
        else:
            comment, end = "", old.end
        indent = " " * self._column(behind[0])
        below = "".join(f"\n{indent}{line}" for line in rest.splitlines())
        self._splice(behind, end, new + comment + below)

    def _column(self, line: int) -> int:
        return len(self.lines[line]) - len(self.lines[line].lstrip(" "))

    # Lists

    def _edit_list(self, old: Node, value: Any) -> bool:
        """Edit a list item by item; False when it has to be replaced whole."""
        if not value or not old.items:
            return False
        if old.flow:
            return self._edit_flow_list(old, list(value))
        return self._edit_block_list(old, list(value))

    def _edit_flow_list(self, old: Node, value: list[Any]) -> bool:
        if old.start[0] == old.end[0]:
            new = self._flow_list(old, value)
            if len(self.lines[old.start[0]]) - (old.end[1] - old.start[1]) + len(new) > 2 * WIDTH:
                return False
            self._splice(old.start, old.end, new)
            return True
        known = len(old.items)
        if [as_typed(item) for item in value[:known]] != old.value:
            return False
        last = old.items[-1][1]
        line = self.lines[last.start[0]]
        apart = not line[: last.start[1]].strip()
        gap = "\n" + " " * last.start[1] if apart else " "
        items = [self._flow_item(item, last) for item in value[known:]]
        self._splice(last.end, last.end, "".join(f",{gap}{item}" for item in items))
        return True

    def _flow_item(self, item: Any, like: Node | None) -> str:
        """Return an item for a list or map in brackets, quoted like a neighbour."""
        if like is None or like.kind != "scalar" or not isinstance(item, str):
            return compose_flow(item)
        typed = self._typed(like, item, "")
        return compose_scalar(item, flow=True, style=like.style, typed=typed)

    def _flow_list(self, old: Node, value: list[Any]) -> str:
        """Return a list in brackets, items that stay copied as they are written."""
        spare = [(node.value, self._source(node.start, node.end)) for _, node in old.items]
        last = old.items[-1][1]
        pieces = []
        for item in value:
            kept = next((pair for pair in spare if pair[0] == as_typed(item)), None)
            if kept is None:
                pieces.append(self._flow_item(item, last))
            else:
                spare.remove(kept)
                pieces.append(kept[1])
        return self._bracket(old, pieces)

    def _flow_map(self, old: Node, value: Mapping[str, Any]) -> str:
        """Return a map in braces, pairs that stay copied as they are written."""
        written = {
            name.value: (
                node,
                self._source(name.start, name.end),
                self._source(name.start, node.end),
            )
            for name, node in old.items
            if name is not None
        }
        order = [name for name in written if name in value]
        order += [name for name in value if name not in written]
        pieces = []
        for name in order:
            node, key, whole = written.get(name, (None, compose_scalar(name, flow=True), ""))
            if node is not None and node.value == as_typed(value[name]):
                pieces.append(whole)
            else:
                pieces.append(f"{key}: {self._flow_item(value[name], node)}")
        return self._bracket(old, pieces)

    def _bracket(self, old: Node, pieces: list[str]) -> str:
        """Join pieces with the blanks the old list or map uses."""
        whole = self._source(old.start, old.end)
        inner = whole[1:-1]
        pad = " " if inner.startswith(" ") and inner.endswith(" ") else ""
        gap = ", "
        if len(old.items) > 1:
            first, second = old.items[0][1], old.items[1]
            between = self._source(first.end, (second[0] or second[1]).start)
            gap = "," if between == "," else gap
        return whole[0] + pad + gap.join(pieces) + pad + whole[-1]

    def _source(self, start: Place, end: Place) -> str:
        return self.raw[self._offset(start) : self._offset(end)]

    def _edit_block_list(self, old: Node, value: list[Any]) -> bool:
        """Change, remove and append items of a list written in lines."""
        nodes = [node for _, node in old.items]
        dashes = [self._dash_line(node, old.start[1]) for node in nodes]
        typed = [as_typed(item) for item in value]
        if len(nodes) == len(value):
            for node, item, line in zip(nodes, value, dashes, strict=True):
                if node.value != as_typed(item):
                    self._edit_item(node, item, line, old.start[1])
            return True
        kept = 0
        for node, line in zip(nodes, dashes, strict=True):
            if kept < len(typed) and node.value == typed[kept]:
                kept += 1
            else:
                self._drop_lines(line, node.end[0])
        added = "".join(self._item_line(item, old.start[1], nodes[-1]) for item in value[kept:])
        if added:
            self._insert_below(nodes[-1].end[0], added)
        return True

    def _item_line(self, item: Any, column: int, like: Node) -> str:
        style = like.style if like.style in {"'", '"'} else ""
        return compose_item(item, " " * column, style, typed=self._typed(like, item, ""))

    def _edit_item(self, node: Node, item: Any, dash_line: int, column: int) -> None:
        plain = not isinstance(item, Mapping | list | tuple)
        if node.is_line and plain:
            self._edit_scalar(node, item, "")
            return
        braces = node.flow and node.kind == "map" and node.start[0] == node.end[0]
        if braces and isinstance(item, Mapping) and item:
            self._splice(node.start, node.end, self._flow_map(node, item))
            return
        self._drop_lines(dash_line, node.end[0])
        at = self.starts[dash_line]
        text = compose_item(item, " " * column).replace("\n", self._eol_at(dash_line))
        self.edits[-1] = (at, self.edits[-1][1], text)

    def _dash_line(self, node: Node, column: int) -> int:
        """Return the line of an item's dash; remarks may stand between it and the item."""
        line = node.start[0]
        while self.lines[line][column : column + 1] != "-" or self.lines[line][:column].strip():
            line -= 1
        return line
