"""The adversarial review of a lesson: what can be checked without understanding it.

The argument itself is the agent's; whether it convinces is a person's business. Checked is that it
was made at all: that every field is answered, that an explicit "none" is told from a field nobody
wrote, that at least two different objections were met, and that the verdict fits. Standard library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

FIELDS: Final = (
    "claim", "premises", "evidence", "inference", "conclusion", "steelman", "counterexamples",
    "scope", "alternatives", "revision_conditions", "unresolved",
)  # fmt: skip
"""The fields of the argument, in the order it is read."""

BLANKS: Final = frozenset({"n/a", "na", "unknown", "none", "无", "不适用", "未知"})
"""Words for "asked, and there is nothing": an answer, unlike a field that is missing."""

VERDICTS: Final = ("holds", "narrowed", "withdrawn")
VALIDITY: Final[Mapping[str, tuple[str, ...]]] = {
    "deductive": ("valid", "invalid", "not_applicable", "unresolved"),
    "inductive": ("strong", "moderate", "weak", "not_applicable", "unresolved"),
    "premise_truth": ("established", "partial", "assumed", "unresolved"),
}
LEAST_ROUNDS: Final = 2
_ROUND: Final = ("threatens", "argument", "response", "survives")
_NEVER_BLANK: Final = frozenset({"claim", "evidence", "conclusion", "steelman"})
_YES, _NO = frozenset({"true", "yes", "是"}), frozenset({"false", "no", "否"})


class Critique(NamedTuple):
    """A checked argument.

    Args:
        texts: by field, without those that are blank on purpose.
        markers: the word that stands for "nothing" by field, apart from the texts.
        rounds: the objections that were met.
        validity: by `VALIDITY`, as far as it was said.
        verdict: a member of `VERDICTS`.
        residual: what of the opposition is left.
    """

    texts: Mapping[str, str]
    markers: Mapping[str, str]
    rounds: tuple[Mapping[str, str], ...]
    validity: Mapping[str, str]
    verdict: str
    residual: str

    @property
    def boundary(self) -> str:
        """Where the old way is still the better one; this alone is rendered."""
        return self.texts.get("scope", "")

    @property
    def unresolved_keys(self) -> tuple[str, ...]:
        """Fields and judgements that were left open on purpose."""
        open_fields = (key for key, word in self.markers.items() if word in ("unknown", "未知"))
        open_judgements = (key for key, word in self.validity.items() if word == "unresolved")
        return (*open_fields, *open_judgements)


def check_critique(raw: object, applies_when: str) -> tuple[Critique | None, list[str]]:
    """Read an argument and say what is wrong with it.

    Args:
        raw: what the agent gave, None for nothing.
        applies_when: the condition of the lesson; a narrowed verdict needs one.

    Returns:
        The argument, None when there is no usable one; and a sentence for each fault.
    """
    if not isinstance(raw, Mapping):
        return None, ["critique: the review is on; give the argument (fields: see the brief)"]
    faults: list[str] = []
    texts, markers = _fields(raw, faults)
    rounds = _rounds(raw.get("steelman_rounds"), faults)
    residual = _text(raw.get("opposition_residual"))
    if not residual:
        faults.append("critique: opposition_residual is empty; say what is left of the opposition")
    validity = _validity(raw.get("validity"), faults)
    if validity.get("premise_truth") == "unresolved" and not texts.get("unresolved"):
        faults.append("critique: premise_truth is unresolved; `unresolved` must say what is open")
    verdict = _text(raw.get("verdict"))
    if verdict not in VERDICTS:
        faults.append(f"critique: verdict is one of {', '.join(VERDICTS)}")
    if verdict == "narrowed" and not applies_when.strip():
        faults.append("critique: narrowed, but applies_when does not say to what")
    return Critique(texts, markers, rounds, validity, verdict, residual), faults


def _fields(raw: Mapping[str, Any], faults: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    texts: dict[str, str] = {}
    markers: dict[str, str] = {}
    for name in FIELDS:
        text = _text(raw.get(name))
        if name not in raw or not text:
            faults.append(f"critique: {name} is not answered; write none where there is nothing")
        elif text.casefold().strip(".。 ") not in BLANKS:
            texts[name] = text
        elif name in _NEVER_BLANK:
            faults.append(f"critique: {name} cannot be {text}")
        else:
            markers[name] = text.casefold().strip(".。 ")
    return texts, markers


def _rounds(raw: object, faults: list[str]) -> tuple[Mapping[str, str], ...]:
    rows = raw if isinstance(raw, list) else []
    found = []
    for number, row in enumerate(rows, 1):
        values = row if isinstance(row, Mapping) else {}
        whole = {key: _text(values.get(key)) for key in _ROUND}
        missing = [key for key, text in whole.items() if not text]
        if missing:
            faults.append(f"critique: round {number} lacks {', '.join(missing)}")
        elif whole["survives"].casefold() not in _YES | _NO:
            faults.append(f"critique: round {number}: survives is true or false")
        found.append(whole)
    if len(found) < LEAST_ROUNDS:
        faults.append(f"critique: steelman_rounds needs at least {LEAST_ROUNDS} rounds")
    targets = [" ".join(row["threatens"].casefold().split()) for row in found]
    if len(set(targets)) < len(targets):
        faults.append("critique: two rounds threaten the same; each must threaten something else")
    return tuple(found)


def _validity(raw: object, faults: list[str]) -> dict[str, str]:
    given = raw if isinstance(raw, Mapping) else {}
    found = {}
    for name, allowed in VALIDITY.items():
        text = _text(given.get(name))
        if text and text not in allowed:
            faults.append(f"critique: validity.{name} is one of {', '.join(allowed)}")
        elif text:
            found[name] = text
        elif name == "premise_truth":
            faults.append(f"critique: validity.premise_truth is missing ({', '.join(allowed)})")
    return found


def _text(value: Any) -> str:
    """Return a value as a text: lists and truth values as people write them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text, value)))
    return str(value).strip() if isinstance(value, str | int | float) else ""


def write_critique(critique: Critique, words: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a section that holds the argument.

    Args:
        critique: what to write.
        words: labels of the fields in the language of the record; a missing one stands as it is.
    """
    for name in FIELDS:
        text = critique.texts.get(name) or critique.markers.get(name, "")
        yield f"- {words.get(name, name)}: {' '.join(text.split())}"
    for row in critique.rounds:
        told = "; ".join(f"{words.get(key, key)}: {' '.join(row[key].split())}" for key in _ROUND)
        yield f"- {words.get('round', 'round')}: {told}"
    for name, value in critique.validity.items():
        yield f"- {words.get(name, name)}: {value}"
    yield f"- {words.get('residual', 'opposition_residual')}: {' '.join(critique.residual.split())}"
    yield f"- {words.get('verdict', 'verdict')}: {critique.verdict}"
