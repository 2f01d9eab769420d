"""A query to ranked records, without a model. May import `text`, `model`, `recall`.

OR of the query's terms, BM25 over title, topics, keywords, condition, summary and body in one
text (`bm25`); a day in the query speaks for the records of that day, records captured beside a
good one from the same session are drawn along, and what a record is worth decides between those
that fit alike. Every sign is text: there is no query language and so no query that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from functools import cached_property, partial
from typing import Final

from vault_cli.model.record import Record, Snapshot
from vault_cli.plain.ranking import LEAST_RANKED, MOST_SPREAD, cut_at, draw_along
from vault_cli.recall.bm25 import weigh
from vault_cli.recall.corpus import (
    STANDINGS,
    UNSEARCHED,
    LiteralShelf,
    Shelf,
    TextShelf,
    keys_of,
    searchable,
    text_of,
)
from vault_cli.recall.hits import Hit, Results
from vault_cli.recall.meaning import Meaning
from vault_cli.recall.query import Narrow, Query, names_of_topics, read_query, with_topics
from vault_cli.recall.retention import Aging
from vault_cli.recall.score import Score, score_record
from vault_cli.recall.snippets import SNIPPET, with_snippet
from vault_cli.recall.topics import TopicTable, fold_topic
from vault_cli.text.terms import search_text, words_for

DATED: Final = 0.4
"""What a day of the query adds to the records of that day."""

WORTH: Final = 0.002
"""Weight of the points for importance, retention, trust and use (`recall.score`)."""

MOST_POINTS: Final = 10.0
PROVEN: Final = 0.03
"""What a verification that holds adds."""

_SHELF: Final = 1 << 32
"""What is added to the numbers of the second shelf, twice to those of the third, and so on."""


def search(
    snapshot: Snapshot,
    text: str,
    *,
    limit: int = 20,
    wanted: Callable[[Record], bool] | None = None,
    narrow: Narrow = Narrow(),  # noqa: B008 - a constant
    shelves: Sequence[Shelf] | None = None,
    today: date | None = None,
    aging: Aging | None = None,
    preview: int = SNIPPET,
    meaning: Meaning | None = None,
) -> Results:
    """Find records by their words; the best first, and last what has no say.

    Ties in the order: verified first, then what a record is worth (`recall.score`), then the id.
    A query that is a record's id finds it first; an empty one all records, by what they are worth.

    Args:
        snapshot: the records.
        text: what was typed.
        limit: most hits; 0 for all.
        wanted: which records may be found, by their heads; what else matches is only counted.
        narrow: which records may be found, by stored facts.
        shelves: the records made ready for a search; None: they are read through.
        today: what `yesterday` is counted from; None: such words are no dates.
        aging: how the age of a record counts; None: not at all.
        preview: most characters of the line that is shown of a record; 0 for none.
        meaning: how near in meaning records are, as a model has it; None: only words count.
    """
    query = read_query(text, today)
    if shelves is None or query.stops or not query.terms:
        shelves = _shelves_of(snapshot, query)
    found = _Search(snapshot, query, shelves, narrow, wanted, aging, preview, meaning).run(limit)
    return found._replace(meant=_in_words(found, text)) if found.meant else found


def _in_words(found: Results, text: str) -> dict[str, tuple[str, ...]]:
    """Return what was meant as it was typed, and as it stands in the records that are shown."""
    typed = words_for(search_text(text), found.meant)
    terms = frozenset(word for words in found.meant.values() for word in words)
    written: dict[str, str] = {}
    for hit in found.hits:
        if terms <= written.keys():
            break
        plain = search_text(text_of(hit.record))
        written = words_for(plain, terms) | written
    return {
        typed.get(term, term): tuple(written.get(word, f"{word}…") for word in words)
        for term, words in found.meant.items()
    }


def _shelves_of(snapshot: Snapshot, query: Query) -> list[Shelf]:
    records = searchable(snapshot.records)
    if query.terms or not query.text:
        return [TextShelf(records, stops=query.stops)]
    return [LiteralShelf(records)]


def worth_parts(worth: Score) -> dict[str, float]:
    """Return what a record's worth adds to its place among those that fit alike, by name."""
    parts = {
        name: round(WORTH * max(-MOST_POINTS, min(points, MOST_POINTS)), 6)
        for name, points in worth.parts.items()
        if name != "relevance"
    }
    parts["trust"] += PROVEN if worth.verified else 0.0
    return parts


class _Search:
    """One search over some shelves; a record is known by its number, a shelf apart by `_SHELF`."""

    def __init__(
        self,
        snapshot: Snapshot,
        query: Query,
        shelves: Sequence[Shelf],
        narrow: Narrow,
        wanted: Callable[[Record], bool] | None,
        aging: Aging | None,
        preview: int,
        meaning: Meaning | None,
    ) -> None:
        self._snapshot = snapshot
        self._query = query
        self._shelves = list(enumerate(shelves))
        self._narrow = narrow
        self._wanted = wanted
        self._aging = aging
        self._preview = preview
        self._meaning = meaning
        self._near: dict[int, float] = {}
        self._words: dict[int, float] = {}
        self._dated: set[int] = set()
        self._beside: dict[int, float] = {}
        self._meant: Mapping[str, tuple[str, ...]] = {}

    def run(self, limit: int) -> Results:
        """Return the best records."""
        if self._query.text:
            self._weigh()
            alone = self._take_meaning()
            places = list(dict.fromkeys((*self._words, *self._dated, *alone)))
        else:
            places = self._all()
        taken = self._allowed(places)
        hidden = len(places) - len(taken)
        if any(shelf.has_sessions for _, shelf in self._shelves):
            taken += self._draw_along(taken)
        best = taken
        if limit and self._query.text:
            most = max(LEAST_RANKED, 2 * limit)
            heard, silent = self._by_say(taken)
            best = self._cut_at(heard, most) + self._cut_at(silent, most)
        named = self._named()
        ranked = self._rank(best, named)
        total = len(taken)
        if named is not None and not any(hit.record is named for hit in ranked):
            ranked.insert(0, self._hit(named, None))
            total += 1
        shown = ranked[:limit] if limit else ranked
        return Results(tuple(map(self._explain, shown)), total, hidden, self._meant)

    def _by_say(self, places: list[int]) -> tuple[list[int], list[int]]:
        """Return the records that have a say, and those that have none."""
        unheard = [shelf.unheard for _, shelf in self._shelves]
        if not any(unheard):
            return places, []
        silent = [place for place in places if place % _SHELF in unheard[place // _SHELF]]
        without = frozenset(silent)
        return [place for place in places if place not in without], silent

    def _explain(self, hit: Hit) -> Hit:
        names = self._topics.other_names(hit.record)
        return with_snippet(hit, self._query, names, self._preview)

    @cached_property
    def _topics(self) -> TopicTable:
        return TopicTable(self._snapshot.records)

    def _all(self) -> list[int]:
        return [
            place * _SHELF + number
            for place, shelf in self._shelves
            for number in range(len(shelf.lengths))
            if number not in shelf.gone
        ]

    def _weigh(self) -> None:
        """Set how well records fit the words and the days."""
        query = self._query
        names = names_of_topics(self._topics, frozenset(query.terms))
        shelves = [shelf for _, shelf in self._shelves]
        extra = partial(with_topics, shelves, names=names) if names else None
        weighed = weigh(shelves, query.counts, extra)
        self._meant = weighed.meant
        for place, values in enumerate(weighed.values):
            if not place:
                self._words = values
            else:
                base = place * _SHELF
                self._words.update((base + number, value) for number, value in values.items())
        if query.days:
            self._dated = self._having(query.days)

    def _take_meaning(self) -> list[int]:
        """Set how near records are in meaning; return those that are found by it alone."""
        if (meaning := self._meaning) is None:
            return []
        weight = meaning.weight(max(self._words.values(), default=0))
        wanted = meaning.alone if self._words else meaning.alone | meaning.nearest
        alone: list[int] = []
        for place, shelf in self._shelves:
            for number, digest in enumerate(shelf.digests):
                if digest in meaning.above and number not in shelf.gone:
                    self._near[place * _SHELF + number] = round(weight * meaning.above[digest], 6)
                    if digest in wanted:
                        alone.append(place * _SHELF + number)
        return alone

    def _allowed(self, places: list[int]) -> list[int]:
        """Return the records that may be found."""
        narrow = self._narrow
        left = self._with_status(places)
        for keys in (
            {f"#{fold_topic(name)}" for name in self._topic_names(narrow.topics)},
            {f"={name}" for name in narrow.sources},
        ):
            if keys:
                having = self._having(keys)
                left = [place for place in left if place in having]
        if narrow.since or narrow.until:
            first = narrow.since.toordinal() if narrow.since else 1
            last = narrow.until.toordinal() if narrow.until else date.max.toordinal()
            days = [shelf.days for _, shelf in self._shelves]
            left = [p for p in left if first <= days[p // _SHELF][p % _SHELF] <= last]
        if self._wanted is not None:
            heads = self._records(left, whole=False)
            left = [place for place in left if self._wanted(heads[place])]
        return left

    def _with_status(self, places: list[int]) -> list[int]:
        """Return the records whose status may be found; most often all of them."""
        narrow = self._narrow.statuses
        statuses = frozenset(STANDINGS) - UNSEARCHED
        statuses = statuses if narrow is None else statuses & narrow
        good = [status in statuses for status in STANDINGS]
        standings = [shelf.standings for _, shelf in self._shelves]
        if all(good[number] for some in standings for number in set(some)):
            return places
        return [p for p in places if good[standings[p // _SHELF][p % _SHELF]]]

    def _topic_names(self, topics: Sequence[str]) -> set[str]:
        """Return all names of some topics."""
        names = set(topics)
        for topic in filter(None, map(self._topics.find, topics)):
            names |= topic.names
        return names

    def _having(self, keys: Collection[str]) -> set[int]:
        """Return the records that have one of some keys."""
        return {
            place * _SHELF + number
            for place, shelf in self._shelves
            for numbers, _ in shelf.find(keys).values()
            for number in numbers
            if number not in shelf.gone
        }

    def _records(self, places: Sequence[int], *, whole: bool = True) -> dict[int, Record]:
        """Return some records; one look at each shelf."""
        found: dict[int, Record] = {}
        for place, shelf in self._shelves:
            base = place * _SHELF
            numbers = [p - base for p in places if base <= p < base + _SHELF]
            if numbers:
                records = shelf.records(numbers) if whole else shelf.heads(numbers)
                found.update(zip((base + n for n in numbers), records, strict=True))
        return found

    def _fit(self, place: int) -> float:
        """Return what words, days and neighbours say of a record."""
        value = self._words.get(place, 0.0) + self._beside.get(place, 0.0)
        value += self._near.get(place, 0.0)
        return value + DATED if place in self._dated else value

    def _draw_along(self, taken: list[int]) -> list[int]:
        """Let the best records speak for those beside them; return those that came in by it."""
        known = set(taken)
        best = self._cut_at(self._by_say(taken)[0], MOST_SPREAD)
        records = self._records(best)
        sessions: dict[str, set[int]] = {}
        for place in best:
            for key in keys_of(records[place]):
                if key[0] == "&":
                    sessions.setdefault(key, set()).add(place)
        for key in sorted(sessions):
            draw_along(self._order_of(key), sessions[key], self._words, self._beside)
        return self._allowed(sorted(place for place in self._beside if place not in known))

    def _order_of(self, key: str) -> list[int]:
        """Return the records of a session in their order."""
        starts: dict[int, int] = {}
        for place, shelf in self._shelves:
            for number, start in zip(*shelf.find([key]).get(key, ((), ())), strict=True):
                if number not in shelf.unheard:
                    starts[place * _SHELF + number] = start
        heads = self._records(list(starts), whole=False)
        return sorted(starts, key=lambda place: (starts[place], heads[place].path))

    def _cut_at(self, places: list[int], most: int) -> list[int]:
        """Return the records that fit best; where that does not decide, the first by path."""
        if len(places) <= most:
            return places
        plain = not (self._dated or self._beside or self._near)
        fit = self._words.__getitem__ if plain else self._fit
        above, tied = cut_at(places, fit, most)
        if len(above) + len(tied) > most:
            heads = self._records(tied, whole=False)
            tied.sort(key=lambda place: (heads[place].path, heads[place].vault))
        return above + tied[: most - len(above)]

    def _named(self) -> Record | None:
        """Return the record whose id the query is, if it may be found."""
        text = self._query.text
        if not text or " " in text:
            return None
        allowed = self._narrow.statuses
        for record in self._snapshot.records:
            if record.id == text and record.status not in UNSEARCHED:
                if allowed is not None and record.status not in allowed:
                    continue
                if self._wanted is None or self._wanted(record):
                    return record
        return None

    def _rank(self, places: list[int], named: Record | None) -> list[Hit]:
        records = self._records(places)
        hits = [self._hit(records[place], place) for place in places]
        hits.sort(
            key=lambda hit: (
                hit.record is not named,
                not hit.record.has_say,  # it takes no place from one that counts
                -hit.score,
                hit.record.id,
                hit.record.path,
            )
        )
        return hits

    def _hit(self, record: Record, place: int | None) -> Hit:
        """Return a record with its score; `with_snippet` adds what shows of its text."""
        worth = score_record(record, self._snapshot.tally(record.id), aging=self._aging)
        known = -1 if place is None else place
        parts = {
            "words": round(self._words.get(known, 0.0), 6),
            "date": DATED if known in self._dated else 0.0,
            "neighbours": round(self._beside.get(known, 0.0), 6),
            "meaning": self._near.get(known, 0.0),
        }
        parts |= worth_parts(worth)
        meant = {word for words in self._meant.values() for word in words}
        terms = tuple(sorted(self._query.counts.keys() | meant))
        score = round(sum(parts.values()), 6)
        return Hit(record, score, terms, parts=parts, reason=worth.describe())
