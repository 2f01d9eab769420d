"""What a record stands for, and whether two deny each other. May import `text`, `model`, `hook`.

A sentence is compared by its words and signs (`text.similarity`). What a guard stops and what it
advises are commands: two of them that share words are not about the same, so that one counts
against another only where it is in it, word for word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from vault_cli.hook.command_words import group_words, in_text
from vault_cli.model.record import Kind, Record
from vault_cli.text.lines import lines_outside_fences
from vault_cli.text.negation import read_sentence, split_sentences
from vault_cli.text.sections import split_sections
from vault_cli.text.similarity import Opposed, find_opposed, read_claims, same_text

_TOLD: Final = frozenset(
    {"problem", "attempted", "why", "evidence", "example", "expected", "critique", "notes"}
    | {"when", "boundary", "test", "verify", "prerequisites", "rollback"}
)
"""Sections that tell what happened, when or why: no claim that another record could deny."""

READ: Final = 4_000
"""Characters of a text that are compared."""

_KEPT: Final = 1_024
"""Texts of which is remembered what was read in them: one record is compared with many."""

_Texts = Mapping[str, str]
_NEVER: Final = "never "
_DENIED: Final = "one affirms what the other denies"


class Claims(NamedTuple):
    """What a record stands for: as it is compared, to the text as written.

    Args:
        sentences: what is denied and not worded so begins with `never`.
        commands: likewise, of a guard: what it stops, and what to run instead.
    """

    sentences: Mapping[str, str]
    commands: Mapping[str, str]


def statement_of(record: Record) -> str:
    """Return what a record says without its headings: its text, else its title."""
    return _statement(record.body) or record.title.strip()


@lru_cache(maxsize=_KEPT)
def _statement(body: str) -> str:
    lead, sections = split_sections(body)
    return "\n\n".join([lead, *(section.text for section in sections)]).strip()[:READ]


def whole_text(record: Record) -> str:
    """Return title and text, the title once."""
    text = statement_of(record)
    first = text.split("\n", 1)[0]
    return text if same_text(first, record.title) else f"{record.title}\n\n{text}"


def claims_of(record: Record) -> Claims:
    """Return what a record stands for.

    What a failure is called, and what stands under "avoid", is what not to do: it is read as
    negated unless it is worded so; of one with a guard the guard says it. Sections that tell what
    happened are left out.
    """
    guard = record.fields.get("guard")
    given = guard if isinstance(guard, Mapping) else {}
    match, instead = (str(given.get(key) or "").strip() for key in ("match", "instead"))
    return _claims(record.kind, record.title, record.body[:READ], match, instead)


@lru_cache(maxsize=_KEPT)
def _claims(kind: Kind, title: str, body: str, match: str, instead: str) -> Claims:
    claims: dict[str, str] = {}
    if kind is Kind.HYPOTHESIS:
        return Claims(claims, claims)
    lead, sections = split_sections(body, kind)
    is_failure = kind is Kind.FAILURE
    if not (is_failure and match):
        _claim(claims, title, is_avoided=is_failure)
    _claim(claims, "" if is_failure else lead, is_avoided=False)
    for section in sections:
        if section.name not in _TOLD:
            _claim(claims, section.text, is_avoided=section.name == "avoid")
    own = {match, instead} - {""}
    commands = {f"{_NEVER}{match}": match} if match and not match.startswith("re:") else {}
    commands |= {instead: instead} if instead else {}
    spoken = {key: text for key, text in claims.items() if text.strip("` .。") not in own}
    return Claims(spoken, commands)


def _claim(claims: dict[str, str], text: str, *, is_avoided: bool) -> None:
    outside = "\n".join(line for _, line in lines_outside_fences(text))
    for sentence in split_sentences(outside):
        clauses = read_sentence(sentence).clauses
        turn = is_avoided and clauses and not clauses[0].negated
        claims.setdefault(f"{_NEVER}{sentence}" if turn else sentence, sentence)


def oppose(record: Record, other: Record) -> Opposed | None:
    """Return in which claims, as written, two records deny each other; None when in none."""
    mine, theirs = claims_of(record), claims_of(other)
    for own, there in _compared(mine, theirs):
        found = find_opposed(read_claims(own), read_claims(there))
        if found is not None:
            return Opposed(found.why, (own[found.pair[0]], there[found.pair[1]]))
    for one, text in mine.commands.items():
        for two, opposite in theirs.commands.items():
            if _denies(one, two) or _denies(two, one):
                return Opposed(_DENIED, (text, opposite))
    return None


def _compared(
    mine: Claims, theirs: Claims
) -> Iterator[tuple[Mapping[str, str], Mapping[str, str]]]:
    """Yield which claims are held against each other: a command only against what has it whole."""
    yield mine.sentences, theirs.sentences
    for key, text in mine.commands.items():
        yield {key: text}, _holding(theirs.sentences, text)
    for key, text in theirs.commands.items():
        yield _holding(mine.sentences, text), {key: text}


def _holding(claims: Mapping[str, str], command: str) -> Mapping[str, str]:
    return {key: text for key, text in claims.items() if _holds(text, command)}


def _denies(one: str, other: str) -> bool:
    """Tell whether a command that is stopped is in one that is advised."""
    if not one.startswith(_NEVER) or other.startswith(_NEVER):
        return False
    return _holds(other, one.removeprefix(_NEVER))


def _holds(text: str, command: str) -> bool:
    try:
        return in_text(group_words(command), text)
    except ValueError:  # nothing beside a separator
        return False
