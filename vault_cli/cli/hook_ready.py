"""Making ready what prompts may bring (`hook.prompts`). May import everything below `cli`.

What a prompt asks of a vault is known before it is typed: in which records each word stands, what
they are worth, and how each is shown. It is written down once for a state of the vault and a place.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from time import process_time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli import __version__
from vault_cli.hook import prompts
from vault_cli.model.tables import GROUPS
from vault_cli.plain.allot import FULL, ID, LINE
from vault_cli.recall import wording
from vault_cli.recall.block import measure_in
from vault_cli.recall.budget import Measure, Unit, tier_of
from vault_cli.recall.corpus import Shelf, TextShelf
from vault_cli.recall.query import names_of_topics, with_topics
from vault_cli.recall.score import score_record
from vault_cli.recall.search import worth_parts
from vault_cli.recall.topics import TopicTable, fold_topic
from vault_cli.text.terms import is_word, search_text, terms_of

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.recall.block import RenderOptions
    from vault_cli.recall.select import Pick, Query, Selection

TEXT_SECONDS: Final = 0.1
"""So long texts of entries are made that no earlier file has; a prompt that asks for one that is
missing takes the long way and leaves it here."""

_FOUND: Final = frozenset({"active", "verified"})


class Place(NamedTuple):
    """What is made ready.

    Args:
        snapshot: the records.
        query: what is asked in the place, without a text.
        selection: what is in force there, ranked.
        options: how the host is shown records.
        stamps: of each record's file and of the code it is about, by vault and path.
    """

    snapshot: Snapshot
    query: Query
    selection: Selection
    options: RenderOptions
    stamps: dict[tuple[str, str], list[tuple[str, str, str]]]


def prepare(state: str, key: str, facts: dict[str, Any], inv: Invocation, place: Place) -> None:
    """Write down what prompts of a place may bring.

    Args:
        state: the state folder.
        key: name of the place and the host's room (`ready.key_of`).
        facts: `until`, `sessions`, `stamps` and `quick`, as `ready.keep` has them.
        inv: the running command.
        place: what was read.

    Raises:
        OSError, ValueError: it cannot be kept.
        PostingsError: what is stored for searches is damaged.
    """
    from vault_cli.cli.clocks import Clocks
    from vault_cli.cli.shelves import all_shelves
    from vault_cli.recall.corpus import searchable

    clocks = Clocks("", None, inv.now, "", place.snapshot)
    with all_shelves(inv, clocks, stored=True) as given:
        shelves = [TextShelf(searchable(place.snapshot.records))] if given is None else given
        writer = prompts.Writer(state)
        shelved = _Shelved(writer, shelves, place.snapshot)
        head = {**facts, "files": len(place.snapshot.records), **shelved.head()}
        earlier = prompts.Texts(state, key)
        head |= _Entries(writer, place, shelved, earlier).head()
        earlier.close()
        head["flags"] = writer.put(bytes(_flags(shelved, place)))
        writer.keep(key, head)


class _Shelved:
    """The columns and the table of terms of some shelves; records are numbered through them."""

    def __init__(
        self, writer: prompts.Writer, shelves: Sequence[Shelf], snapshot: Snapshot
    ) -> None:
        self._writer = writer
        self._shelves = shelves
        self._snapshot = snapshot
        self.bases = [0]
        for shelf in shelves:
            self.bases.append(self.bases[-1] + len(shelf.lengths))
        self.records: dict[int, Record] = {}
        self.unheard: set[int] = set()
        for base, shelf in zip(self.bases, shelves, strict=False):
            present = [number for number in range(len(shelf.lengths)) if number not in shelf.gone]
            heads = shelf.heads(present)
            self.records.update((base + n, head) for n, head in zip(present, heads, strict=True))
            self.unheard.update(base + number for number in shelf.unheard)

    def head(self) -> dict[str, Any]:
        """Write all of it down; return what stands in the head."""
        lengths = [length for shelf in self._shelves for length in shelf.lengths]
        present = self.records.keys()
        counted = [number for number in present if number not in self.unheard] or [*present]
        total = sum(lengths[number] for number in counted)
        terms, (orders, sets, sessions) = self._terms(frozenset(counted))
        topics, unsure = self._topics(terms, frozenset(counted))
        words = "\n".join(sorted(term for term, row in terms.items() if is_word(term) and row[1]))
        fences, blocks = self._writer.put_terms(terms)
        return {
            "number": len(present),
            "counted": len(counted),
            "usual": total / max(len(counted), 1) or 1.0,
            "unheard": len(self.unheard & present),
            "lengths": self._column(lengths),
            "by_path": self._rank(lambda record: (record.path, record.vault)),
            "by_id": self._rank(lambda record: (record.id, record.path)),
            **self._worth(),
            "words": self._writer.put(f"\n{words}\n".encode("ascii")),
            "fences": fences,
            "blocks": blocks,
            "topics": topics,
            "unsure": unsure,
            "orders": self._writer.put(_dump((orders, sets))) if orders else 0,
            "sessions_of": self._column(sessions),
        }

    def _column(self, numbers: Sequence[int], kind: str = "I") -> int:
        return self._writer.put(array(kind, numbers).tobytes())

    def _rank(self, key: Any) -> int:
        places = [0] * self.bases[-1]
        ordered = sorted(self.records, key=lambda number: key(self.records[number]))
        for rank, number in enumerate(ordered):
            places[number] = rank
        return self._column(places)

    def _worth(self) -> dict[str, Any]:
        """Return the column of worths, each the number of a row of points."""
        points: dict[tuple[float, ...], int] = {}
        known: dict[tuple[float, ...], int] = {}
        column = [0] * self.bases[-1]
        for number, record in self.records.items():
            worth = score_record(record, self._snapshot.tally(record.id))
            parts = *worth.parts.values(), worth.verified
            if parts not in known:
                row = tuple(worth_parts(worth).values())
                known[parts] = points.setdefault(row, len(points))
            column[number] = known[parts]
        return {"worth": self._column(column), "points": [*points]}

    def _terms(
        self, counted: frozenset[int]
    ) -> tuple[dict[str, Any], tuple[list[int], list[tuple[int, ...]], list[int]]]:
        """Return the table of terms, and what `_sessions` says."""
        every = len(counted) == len(self.records)
        postings: dict[str, list[tuple[array[int], bytes]]] = {}
        starts: dict[str, list[tuple[int, int]]] = {}
        for base, shelf in zip(self.bases, self._shelves, strict=False):
            for term, numbers, counts in _postings(shelf):
                if term[0] == "&":
                    pairs = ((base + n, at) for n, at in zip(numbers, counts, strict=True))
                    starts.setdefault(term, []).extend(pairs)
                elif term[0] not in "@#=":
                    moved = array("I", [base + n for n in numbers]) if base else array("I", numbers)
                    postings.setdefault(term, []).append((moved, bytes(counts)))
        table: dict[str, Any] = {}
        for term, parts in postings.items():
            numbers = [n for part, _ in parts for n in part] if len(parts) > 1 else parts[0][0]
            counts = b"".join(own for _, own in parts)
            table[term] = self._row(numbers, counts, counted, every)
        for number, record in self.records.items():
            table[prompts.NAMED + record.id.lower()] = number + 1
        return table, self._sessions(starts)

    def _row(
        self,
        numbers: Sequence[int],
        counts: bytes,
        counted: frozenset[int],
        every: bool,
    ) -> tuple[int, int, int]:
        heard = len(numbers) if every else sum(number in counted for number in numbers)
        data = array("I", numbers).tobytes() + counts
        return self._writer.put(data), heard, len(numbers)

    def _topics(
        self, table: dict[str, Any], counted: frozenset[int]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Add what declared topics are called to their members, as `recall.search` counts it.

        Returns:
            The terms in question; and those of which that cannot be told from numbers alone, since
            two topics are called the same.
        """
        declared = TopicTable(self._snapshot.records)
        if not declared.topics:
            return frozenset(), frozenset()
        called = ["\n".join((t.name, *t.record.aliases)) for t in declared.topics]
        terms = frozenset(term for text in called for term in terms_of(search_text(text)))
        names = names_of_topics(declared, terms)
        found = [shelf.find(terms) for shelf in self._shelves]
        more = with_topics(self._shelves, found, names)
        for term in terms:
            numbers: list[int] = []
            counts = bytearray()
            for base, shelf, postings in zip(self.bases, self._shelves, more, strict=False):
                for number, count in zip(*postings.get(term, ((), ())), strict=True):
                    if number not in shelf.gone:
                        numbers.append(base + number)
                        counts.append(min(count, 255))
            if numbers:
                table[prompts.OWN + term] = self._row(numbers, bytes(counts), counted, every=False)
        return terms, terms if declared.clashes else frozenset()

    def _sessions(
        self, starts: dict[str, list[tuple[int, int]]]
    ) -> tuple[list[int], list[tuple[int, ...]], list[int]]:
        """Return the order of each captured session, and which of them each record comes from.

        Returns:
            The orders; the sets of sessions that some record comes from, each session the number of
            an order from 0; and for each record the number of its set from 1, 0 for none.
        """
        orders = []
        own: dict[int, list[int]] = {}
        for place, key in enumerate(sorted(starts)):
            heard = [(at, number) for number, at in starts[key] if number not in self.unheard]
            heard.sort(key=lambda item: (item[0], self.records[item[1]].path))
            orders.append(self._column([number for _, number in heard]))
            for number, _ in starts[key]:
                own.setdefault(number, []).append(place)
        sets: dict[tuple[int, ...], int] = {}
        column = [0] * self.bases[-1]
        for number, places in own.items():
            column[number] = sets.setdefault(tuple(places), len(sets) + 1)
        return orders, [*sets], column


def _postings(shelf: Shelf) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
    """Yield every term of a shelf with its postings, without those of records that are gone."""
    for term, (numbers, counts) in shelf.everything().items():
        left = shelf.gone and _left_of(shelf.gone, numbers, counts)
        yield (term, *left) if left else (term, numbers, counts)


def _left_of(
    gone: AbstractSet[int], numbers: Sequence[int], counts: Sequence[int]
) -> tuple[Sequence[int], Sequence[int]] | None:
    """Return postings without those of records that are gone; None when there are no such."""
    places = [(bisect_left(numbers, number), number) for number in gone]
    places = [(at, n) for at, n in places if at < len(numbers) and numbers[at] == n]
    if not places:
        return None
    left, own = [*numbers], [*counts]
    for at, _ in sorted(places, reverse=True):
        del left[at], own[at]
    return left, own


def _flags(shelved: _Shelved, place: Place) -> Iterator[int]:
    eligible = {(pick.record.vault, pick.record.path) for pick in place.selection.picks}
    for number in range(shelved.bases[-1]):
        record = shelved.records.get(number)
        if record is None:
            yield prompts.UNHEARD
            continue
        flags = prompts.ALLOWED if record.status in _FOUND else 0
        flags |= prompts.UNHEARD if number in shelved.unheard else 0
        flags |= prompts.ELIGIBLE if (record.vault, record.path) in eligible else 0
        yield flags


def tag_of(pick: Pick) -> str:
    """Return what an entry's text depends on: record, vault, and how this version words it."""
    record = pick.record
    own = f"{record.digest} {record.vault} {record.path}"
    return f"{__version__} {own} {pick.support.state} {pick.aside}"


def shown(pick: Pick, measure: Measure) -> bytes:
    """Return how an entry is shown at each level, and its bounds, as `hook.beside` takes them."""
    record = pick.record
    unit = Unit((pick,), "", ((pick.group,),), measure)
    texts = ["", *(unit.pieces(level)[0] for level in (ID, LINE, FULL))]
    bounds = unit.bulk, unit.least, unit.least_line, unit.is_plain
    return _dump((texts, wording.name_of(record), *bounds))


class _Entries:
    """How each record that is in force in a place is shown."""

    def __init__(
        self,
        writer: prompts.Writer,
        place: Place,
        shelved: _Shelved,
        earlier: prompts.Texts,
    ) -> None:
        self._writer = writer
        self._place = place
        self._shelved = shelved
        self._earlier = earlier
        self._measure = measure_in(place.options.unit)
        self._until = process_time() + TEXT_SECONDS
        self._ids = {pick.record.id for pick in place.selection.picks}
        self.texts: dict[str, int] = {}
        self.is_missing = False

    def head(self) -> dict[str, Any]:
        """Write all entries down; return what stands in the head."""
        options, mode = self._place.options, self._place.query.mode
        picks = {
            (pick.record.vault, pick.record.path): (rank, pick)
            for rank, pick in enumerate(self._place.selection.picks)
        }
        column = [0] * self._shelved.bases[-1]
        references: dict[tuple[str, str], int] = {}
        for key, (rank, pick) in picks.items():
            references[key] = self._writer.put(_dump(self._entry(rank, pick)))
        for number, record in self._shelved.records.items():
            column[number] = references.get((record.vault, record.path), 0)
        return {
            "entries": self._writer.put(array("Q", column).tobytes()),
            "texts": self._writer.put(_dump(self.texts)),
            "missing": self.is_missing,
            "order": list(options.order),
            "quotas": dict(options.quotas),
            "unit": options.unit,
            "headings": {group: wording.heading(group, mode) for group in GROUPS},
        }

    def _entry(self, rank: int, pick: Pick) -> dict[str, Any]:
        record = pick.record
        tag = tag_of(pick)
        return {
            "id": record.id,
            "vault": record.vault,
            "rank": rank,
            "group": pick.group,
            "topic": fold_topic(pick.topic),
            "topic_line": wording.topic_line(pick.topic) if pick.group == "rules" else "",
            "tier": tier_of((pick,)),
            "conflict": bool(pick.partners) or any(key in self._ids for key, _ in record.conflicts),
            "stamps": self._place.stamps.get((record.vault, record.path), []),
            "tag": tag,
            "text": self._text(tag, pick),
        }

    def _text(self, tag: str, pick: Pick) -> int:
        """Return the reference of an entry's text, 0 where there was no time to make it."""
        data = self._earlier.get(tag)
        if not data and process_time() < self._until:
            data = shown(pick, self._measure)
        if not data:
            self.is_missing = True
            return 0
        self.texts[tag] = self._writer.put(data)
        return self.texts[tag]


def keep_texts(state: str, key: str, picks: Sequence[Pick], measure: Measure) -> None:
    """Leave the texts of entries that a prompt brought, where the file of the place lacks them."""
    prompts.learn(state, key, {tag_of(pick): shown(pick, measure) for pick in picks})


def _dump(value: Any) -> bytes:
    import marshal

    return marshal.dumps(value)
