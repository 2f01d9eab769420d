"""The search for what a prompt brings, over columns of numbers. Standard library, `hook`, `plain`.

It finds what `recall.search` finds; a record is known by its number.
"""

from __future__ import annotations

from _bisect import bisect_left

from vault_cli.hook import fitting, prompts
from vault_cli.plain.ranking import LEAST_RANKED, MOST_SPREAD, cut_at, draw_along
from vault_cli.plain.slips import halves_of, may_be_slip, nearest
from vault_cli.plain.weights import K1, MOST_MEANT, SLIP, add_up, parts_of

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from vault_cli.hook.asked import Asked
    from vault_cli.hook.prompts import Prepared

    Key = tuple[str, str]

_WORTH_IT = 2_000
"""So many places of common words are worth the trouble of doing without them."""

_MOST_RARE = 2_000
"""Of so many records with rare words it is no less work."""

_ROUNDED = 1e-5
"""What two rounded numbers may be apart."""


class Look:
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
        self._taken: list[int] = []
        self._every: dict[str, int] = {}
        for term in self._counts:
            self._look_up(term, is_asked=True)
        self._meant = self._words_meant()

    def _look_up(self, term: str, *, is_asked: bool) -> None:
        """Find a term; what a declared topic is called counts for its members, if it was asked."""
        plain = row = self._ready.row(term)
        if is_asked and term in self._head["topics"]:
            row = self._ready.row(prompts.OWN + term) or plain
        self._every[term] = plain[2] if plain else 0
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
        return fitting.chance(said, number, self._every) > 1 + 2 * fitting.ROUNDING

    def pick(self, given: set[Key]) -> list[dict[str, Any]]:
        """Return the records to bring, none when nothing fits.

        Args:
            given: ids with their vaults of what the session has.
        """
        self._postings = {
            t: self._read(self._rows[t]) for t in self._all_terms() if t in self._rows
        }
        self._flags = self._ready.piece(self._head["flags"])
        picked = self._pick_of_rare(given)
        if picked is None:
            self._weigh(self._postings)
            picked = self._pick_of_all(given)
        return [self.entry(number) for number in picked]

    def _pick_of_all(self, given: set[Key]) -> list[int]:
        for limit in fitting.LOOKED_AT:
            hits = self._best(limit)
            picked = self._pick_among(hits, given)
            if picked or len(hits) < limit or self._fit(hits[-1]) < fitting.LEAST_FIT:
                return picked
        return []

    def _pick_among(self, hits: Iterable[int], given: set[Key]) -> list[int]:
        rows = [(self._fit(n), self._terms_in(n), n) for n in hits if self._is_fresh(n, given)]
        return fitting.pick(rows, self._head["number"], self._every)

    def _pick_of_rare(self, given: set[Key]) -> list[int] | None:
        """Return the same from the records with a rare word alone; None where that is not certain.

        Records with common words only are never brought, as those would meet by chance. They have
        to be weighed only if one of them may stand before a record that is brought.
        """
        common = self._common_terms()
        if self._head["orders"] or sum(len(self._postings[t][0]) for t in common) < _WORTH_IT:
            return None
        rare = {n for t, (ns, _) in self._postings.items() if t not in common for n in ns}
        if len(rare) > _MOST_RARE:
            return None
        few = {
            term: self._only(term, rare) if term in common else row
            for term, row in self._postings.items()
        }
        self._weigh(few)
        bound = self._most_of(common)
        hits = self._best(fitting.LOOKED_AT[0])
        safe = [n for n in hits if self._fit(n) > bound and not self._flags[n] & prompts.UNHEARD]
        picked = self._pick_among(safe, given)
        if len(safe) == fitting.LOOKED_AT[0]:
            return picked or None
        known = set(safe)
        best = max((self._fit(n) for n in safe if self._is_fresh(n, given)), default=0.0)
        least = max(fitting.LEAST_FIT, fitting.NEAR_BEST * best)
        rest = (n for n in self._taken if n not in known and self._fit(n) >= least)
        return None if any(self._is_fresh(n, given) for n in rest) else picked

    def _common_terms(self) -> set[str]:
        """Return the terms of which not even all together say something."""
        found = {term for term in self._postings if len(term) == 1}
        number = self._head["number"]
        longer = sorted(self._postings.keys() - found, key=lambda t: (-self._every[t], t))
        for place, term in enumerate(longer, 1):
            together = sorted(longer[:place])
            if fitting.chance(together, number, self._every) <= 1 + 2 * fitting.ROUNDING:
                break
            found.add(term)
        return found

    def _most_of(self, common: set[str]) -> float:
        """Return what no record with common terms only can reach, with all that it may be worth."""
        parts, whole = self._parts()
        most = sum(weight for term, weight in parts if term in common) * (K1 + 1) / whole
        worth = [sum(row) for row in self._head["points"]]
        return float(most + max(worth) - min(worth) + _ROUNDED)

    def _only(self, term: str, wanted: set[int]) -> tuple[list[int], list[int]]:
        """Return the postings of a term for some records."""
        numbers, counts = self._postings[term]
        places = [(number, bisect_left(numbers, number)) for number in sorted(wanted)]
        found = [(n, at) for n, at in places if at < len(numbers) and numbers[at] == n]
        return [n for n, _ in found], [counts[at] for _, at in found]

    def _parts(self) -> tuple[list[tuple[str, float]], float]:
        return parts_of(self._counts, self._meant, self._heard, self._head["counted"])

    def _weigh(self, postings: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> None:
        """Set how well records fit the words, and what a captured one gives to those beside it."""
        parts, whole = self._parts()
        lengths = self._ready.numbers("lengths")
        self._words = add_up(postings, parts, whole, self._head["usual"], lengths)
        self._taken = self._allowed(self._words)
        if self._head["orders"]:
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
        orders, sets = self._ready.value(self._head["orders"])
        own: dict[int, set[int]] = {}
        for place in best:
            for session in sets[sessions[place] - 1] if sessions[place] else ():
                own.setdefault(session, set()).add(place)
        for session in sorted(own):
            order = memoryview(self._ready.piece(orders[session])).cast("I")
            draw_along(order, own[session], self._words, self._beside)
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

    def _best(self, limit: int) -> list[int]:
        """Return the best records, best first."""
        most = max(LEAST_RANKED, 2 * limit)
        places = self._cut(self._by_say(heard=True), most)
        places = places + self._cut(self._by_say(heard=False), most)
        worth = self._ready.numbers("worth")
        by_id = self._ready.numbers("by_id")
        points = self._head["points"]

        def key(place: int) -> tuple[int, float, int]:
            parts = self._fit(place), 0.0, round(self._beside.get(place, 0.0), 6)
            score = round(sum((*parts, *points[worth[place]])), 6)
            return self._flags[place] & prompts.UNHEARD, -score, by_id[place]

        return sorted(places, key=key)[:limit]

    def _fit(self, place: int) -> float:
        """Return which part of the prompt a record answers."""
        return round(self._words.get(place, 0.0), 6)

    def _terms_in(self, place: int) -> list[str]:
        """Return what was looked for and stands in a record."""
        found = []
        for term, (numbers, _) in self._postings.items():
            at = bisect_left(numbers, place)
            if at < len(numbers) and numbers[at] == place:
                found.append(term)
        return found

    def _is_fresh(self, place: int, given: set[Key]) -> bool:
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
