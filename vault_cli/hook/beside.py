"""What a prompt brings, from what is ready. Standard library, `hook`, `plain`.

The same search as `recall.search` and the same rule as `cli.hook_prompt`, over columns of numbers:
of the vault only what the answer shows is read. Where it takes more than that (a date, records in
conflict) the answer is None: the full program's.
"""

from __future__ import annotations

from _bisect import bisect_left

from vault_cli.hook import asked, fitting, prompts, ready, words
from vault_cli.plain.allot import ID, Unit, ids_key
from vault_cli.plain.layout import Layout
from vault_cli.plain.notices import IDS_OPENER
from vault_cli.plain.ranking import LEAST_RANKED, MOST_SPREAD, cut_at, draw_along
from vault_cli.plain.slips import halves_of, may_be_slip, nearest
from vault_cli.plain.weights import MOST_MEANT, SLIP, add_up, parts_of

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from vault_cli.hook.asked import Asked
    from vault_cli.hook.prompts import Prepared

    Key = tuple[str, str]


class Beside:
    """Records as a block, and their ids with their vaults; both empty when nothing fits."""

    def __init__(self, text: str = "", shown: Sequence[Key] = ()) -> None:
        self.text = text
        self.shown = list(shown)


def find(
    prepared: Prepared, prompt: str, given: set[Key], extra: Callable[[], dict[str, bytes]]
) -> Beside | None:
    """Return what a prompt brings; None when only the full program can tell.

    Args:
        prepared: what is ready for the place.
        prompt: what was typed.
        given: ids with their vaults of what the session has.
        extra: gives further texts of records, by their tag.

    Raises:
        OSError, ValueError: what is ready cannot be read.
    """
    said = asked.read(fitting.talk_of(prompt))
    if said is None or not prepared.head["unsure"].isdisjoint(said.counts):
        return None
    if " " not in said.text and prepared.row(prompts.NAMED + said.text):
        return None
    look = _Look(prepared, said)
    if look.is_too_common():
        return Beside()
    look.weigh()
    for limit in fitting.LOOKED_AT:
        hits = look.best(limit)
        rows = [(look.fit(n), look.terms_in(n), n) for n in hits if look.is_fresh(n, given)]
        picked = fitting.pick(rows, prepared.head["number"], look.every)
        if picked or len(hits) < limit or look.fit(hits[-1]) < fitting.LEAST_FIT:
            return _block(prepared, [look.entry(number) for number in picked], extra)
    return Beside()


class _Look:
    """One search: a record is known by its number."""

    def __init__(self, prepared: Prepared, said: Asked) -> None:
        self._ready = prepared
        self._head = prepared.head
        self._counts = said.counts
        self._rows: dict[str, Any] = {}
        self._heard: dict[str, int] = {}
        self._postings: dict[str, tuple[Sequence[int], bytes]] = {}
        self._words: dict[int, float] = {}
        self._beside: dict[int, float] = {}
        self._entries: dict[int, dict[str, Any]] = {}
        self._flags = b""
        self.every: dict[str, int] = {}
        for term in self._counts:
            self._look_up(term, is_asked=True)
        self._meant = self._words_meant()

    def _look_up(self, term: str, *, is_asked: bool) -> None:
        """Find a term; what a declared topic is called counts for its members, if it was asked."""
        plain = row = self._ready.row(term)
        if is_asked and term in self._head["topics"]:
            row = self._ready.row(prompts.OWN + term) or plain
        self.every[term] = plain[2] if plain else 0
        self._heard[term] = row[1] if row else 0
        if row:
            self._rows[term] = row[0]

    def _words_meant(self) -> dict[str, list[tuple[str, float]]]:
        """Return for words that stand nowhere those one slip away, as `recall.bm25`."""
        meant = {}
        for term in [term for term in self._counts if not self._heard[term]]:
            if not (term.isascii() and term.isalpha() and may_be_slip(term)):
                continue
            slips, words = nearest(term, self._words_like(term))
            for word in words:
                if word not in self._heard:
                    self._look_up(word, is_asked=False)
            if len(words) > MOST_MEANT:
                words = sorted(words, key=lambda word: (-self._spread_of(word), word))[:MOST_MEANT]
            if words:
                meant[term] = [(word, SLIP * (1 - slips / len(term))) for word in words]
        return meant

    def _spread_of(self, word: str) -> int:
        row = self._ready.row(word)
        return int(row[1]) if row else 0

    def _words_like(self, term: str) -> set[str]:
        """Return the words that share the first or the last half of a term."""
        text = self._ready.piece(self._head["words"]).decode("ascii")
        first, last = halves_of(term)
        found = set()
        for sign in (f"\n{first}", f"{last}\n"):
            place = text.find(sign)
            while place >= 0:
                start = text.rfind("\n", 0, place + 1)
                found.add(text[start + 1 : text.find("\n", start + 1)])
                place = text.find(sign, place + 1)
        return found

    def _all_terms(self) -> list[str]:
        meant = {word for words in self._meant.values() for word, _ in words}
        return sorted(self._counts.keys() | meant)

    def is_too_common(self) -> bool:
        """Tell whether not even all words together are so rare that they say something."""
        said = fitting.subjects(self._all_terms())
        number = self._head["number"]
        return fitting.chance(said, number, self.every) > 1 + 2 * fitting.ROUNDING

    def weigh(self) -> None:
        """Set how well records fit the words, and what a captured one gives to those beside it."""
        head = self._head
        for term in self._all_terms():
            if term in self._rows:
                self._postings[term] = self._read(self._rows[term])
        parts, whole = parts_of(self._counts, self._meant, self._heard, head["counted"])
        lengths = self._ready.numbers("lengths")
        self._words = add_up(self._postings, parts, whole, head["usual"], lengths)
        self._flags = self._ready.piece(head["flags"])
        self._taken = self._allowed(self._words)
        if head["orders"]:
            self._draw_along()

    def _read(self, reference: int) -> tuple[Sequence[int], bytes]:
        data = self._ready.piece(reference)
        number = len(data) // 5
        return memoryview(data)[: 4 * number].cast("I"), data[4 * number :]

    def _allowed(self, places: Iterable[int]) -> list[int]:
        flags = self._flags
        return [place for place in places if flags[place] & prompts.ALLOWED]

    def _draw_along(self) -> None:
        known = set(self._taken)
        best = self._cut(self._by_say(heard=True), MOST_SPREAD)
        sessions = self._ready.numbers("sessions_of")
        orders = self._ready.value(self._head["orders"])
        for session in sorted({sessions[place] for place in best} - {0}):
            order = memoryview(self._ready.piece(orders[session - 1])).cast("I")
            own = {place for place in best if sessions[place] == session}
            draw_along(order, own, self._words, self._beside)
        self._taken += self._allowed(sorted(p for p in self._beside if p not in known))

    def _by_say(self, *, heard: bool) -> list[int]:
        if not self._head["unheard"]:
            return self._taken if heard else []
        flags = self._flags
        return [p for p in self._taken if bool(flags[p] & prompts.UNHEARD) is not heard]

    def _cut(self, places: list[int], most: int) -> list[int]:
        if len(places) <= most:
            return places
        fit: Callable[[int], float] = self._words.__getitem__
        if self._beside:
            fit = lambda p: self._words.get(p, 0.0) + self._beside.get(p, 0.0)  # noqa: E731
        above, tied = cut_at(places, fit, most)
        if len(above) + len(tied) > most:
            tied.sort(key=self._ready.numbers("by_path").__getitem__)
        return above + tied[: most - len(above)]

    def best(self, limit: int) -> list[int]:
        """Return the best records, best first."""
        most = max(LEAST_RANKED, 2 * limit)
        places = self._cut(self._by_say(heard=True), most)
        places = places + self._cut(self._by_say(heard=False), most)
        worth = self._ready.numbers("worth")
        by_id = self._ready.numbers("by_id")
        points = self._head["points"]

        def key(place: int) -> tuple[int, float, int]:
            parts = self.fit(place), 0.0, round(self._beside.get(place, 0.0), 6)
            score = round(sum((*parts, *points[worth[place]])), 6)
            return self._flags[place] & prompts.UNHEARD, -score, by_id[place]

        return sorted(places, key=key)[:limit]

    def fit(self, place: int) -> float:
        """Return which part of the prompt a record answers."""
        return round(self._words.get(place, 0.0), 6)

    def terms_in(self, place: int) -> list[str]:
        """Return what was looked for and stands in a record."""
        found = []
        for term, (numbers, _) in self._postings.items():
            at = bisect_left(numbers, place)
            if at < len(numbers) and numbers[at] == place:
                found.append(term)
        return found

    def is_fresh(self, place: int, given: set[Key]) -> bool:
        """Tell whether a record is in force here and was not given."""
        if not self._flags[place] & prompts.ELIGIBLE:
            return False
        entry = self.entry(place)
        return (entry["id"], entry["vault"]) not in given

    def entry(self, place: int) -> dict[str, Any]:
        """Return what is known of a record that is in force here."""
        if place not in self._entries:
            reference = self._ready.numbers("entries", "Q")[place]
            self._entries[place] = self._ready.value(reference)
        return self._entries[place]


class _Unit(Unit):
    """One record, as it was made ready: what it is shown as, and its bounds."""

    def __init__(
        self, entry: dict[str, Any], topic: tuple[tuple[str, ...], ...], known: Any, measure: Any
    ) -> None:
        group = entry["group"]
        super().__init__(group, entry["tier"], 1, ((group,), *topic), "", measure)
        self.key = entry["id"], entry["vault"]
        self._texts, self._name, self._bulk, self._least, self._least_line, self._is_plain = known

    @property
    def is_plain(self) -> bool:
        return bool(self._is_plain)

    @property
    def bulk(self) -> int:
        return int(self._bulk)

    @property
    def least(self) -> int:
        return int(self._least)

    @property
    def least_line(self) -> int:
        return int(self._least_line)

    def pieces(self, level: int) -> list[str]:
        return [self._texts[level]]

    def names(self) -> list[str]:
        return [self._name]


def _block(
    prepared: Prepared, entries: list[dict[str, Any]], extra: Callable[[], dict[str, bytes]]
) -> Beside | None:
    """Return records as a block, as `recall.render` makes it."""
    head = prepared.head
    if not entries:
        return Beside()
    if any(entry["conflict"] or not ready.holds(entry["stamps"]) for entry in entries):
        return None
    entries.sort(key=lambda entry: entry["rank"])
    groups = [*head["order"], *(group for group in head["headings"] if group not in head["order"])]
    ordered = [entry for group in groups for entry in _in_topics(entries, group)]
    units = _units_of(prepared, ordered, extra)
    if not units:
        return None
    layout = Layout(
        units,
        head["order"],
        _heads_of(head, ordered, units),
        words.BESIDE,
        budget=fitting.ROOM,
        unit=head["unit"],
        measure=units[0].measure,
        quotas=head["quotas"],
    )
    text = layout.text()
    shown = [unit.key for unit in units if unit.level > ID]
    if text is None:
        return None
    return Beside(text, shown) if shown else Beside()


def _units_of(
    prepared: Prepared, entries: list[dict[str, Any]], extra: Callable[[], dict[str, bytes]]
) -> list[_Unit]:
    """Return entries as units; none when it is not known how one of them is shown."""
    measure = len if prepared.head["unit"] == "characters" else _utf8_length
    is_named = any(entry["topic"] for entry in entries)
    units = []
    for entry in entries:
        reference = entry["text"]
        data = prepared.piece(reference) if reference else extra().get(entry["tag"])
        if not data:
            return []
        is_below = is_named and entry["group"] == "rules"
        topic = (("rules", "topic", entry["topic"]),) if is_below else ()
        units.append(_Unit(entry, topic, prompts.value_of(data), measure))
    return units


def _heads_of(
    head: dict[str, Any], entries: list[dict[str, Any]], units: list[_Unit]
) -> dict[tuple[str, ...], str]:
    """Return the text of every heading, as `recall.units.head_texts`."""
    texts: dict[tuple[str, ...], str] = {}
    for entry, unit in zip(entries, units, strict=True):
        group = unit.group
        texts[group,] = head["headings"][group]
        texts[ids_key(group)] = f"{IDS_OPENER}\n"
        if len(unit.heads) > 1:
            texts.setdefault(unit.heads[1], entry["topic_line"])
    return texts


def _utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _in_topics(entries: list[dict[str, Any]], group: str) -> list[dict[str, Any]]:
    """Return the records of a group; rules without a topic first, then topic by topic."""
    own = [entry for entry in entries if entry["group"] == group]
    if group != "rules":
        return own
    topics = dict.fromkeys(("", *(entry["topic"] for entry in own)))
    return [entry for topic in topics for entry in own if entry["topic"] == topic]
