"""The keys of a record's metadata: one table for reading and for the JSON Schema.

Imports: standard library and `model.record` only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vault_cli.model.record import ID_PATTERN, Kind, Status
from vault_cli.model.tables import USER_ROLE


@dataclass(frozen=True, slots=True)
class Field:
    """One key of the front matter.

    Args:
        key: as written in the file.
        form: how it is read: id, text, list, topics, date, number, flag, choice,
            scope, conflicts, guard, data.
        attribute: attribute of `Record` it fills, "" when it stays in `Record.fields` only.
        about: one line for the schema and the docs.
        choices: allowed texts of a choice.
        decides: whether it decides about identity, admission or validity; a value that cannot
            be read is then an error, else a warning and the value is ignored.
        legacy: foreign keys read in its place when it is missing (never written).
        only: kinds that it means something in; elsewhere it is a person's own key. None: all.
    """

    key: str
    form: str
    attribute: str
    about: str
    choices: tuple[str, ...] = ()
    decides: bool = False
    legacy: tuple[str, ...] = ()
    only: tuple[Kind, ...] = ()

    def is_of(self, kind: Kind) -> bool:
        """Tell whether it means something in a record of this kind."""
        return not self.only or kind in self.only


CONFIDENCES = ("low", "medium", "high")
SOURCES = ("user", "agent", "web", "tool", "doc", "import")
ORIGINS = ("cli", "editor", "hook", "mcp", "import", "reflection", "sync")
RUN_STATES = ("pending", "prepared", "completed", "abandoned")
RUN_MODES = ("task", "turn", "session", "threshold", "consolidate", "dialectic")
TASK_STATES = ("open", "succeeded", "failed", "abandoned", "aborted")
TICKET_STAGES = ("draft", "open", "doing", "review", "done")
ROLES = ("agent", USER_ROLE)
CONFLICT_TYPES = ("condition", "goal", "contradiction", "apparent")

_TASK = (Kind.TASK,)
_RUN = (Kind.REFLECTION,)
_TICKET = (Kind.TICKET,)
_PERSONA = (Kind.PERSONA,)

FIELDS: tuple[Field, ...] = (
    Field("id", "id", "id", "identity; never changes", decides=True),
    Field("kind", "choice", "kind", "what it is", tuple(Kind), decides=True, legacy=("type",)),
    Field("status", "choice", "written_status", "admission", tuple(Status), decides=True),
    Field("title", "text", "title", "one line; else the first heading or the file name"),
    Field("scope", "scope", "scope", "global, project:<id> or session:<id>", decides=True),
    Field("boundary", "text", "boundary", "where it does not hold"),
    Field("promoted_from", "text", "", "scope it had before it was promoted"),
    Field("promoted_to", "text", "", "scope and vault it was moved to"),
    Field("topics", "topics", "topics", "topics it belongs to", legacy=("tags",)),
    Field("applies_when", "text", "applies_when", "when to think of it"),
    Field("keywords", "list", "keywords", "further search words"),
    Field("summary", "text", "summary", "one paragraph", legacy=("description",)),
    Field("importance", "number", "importance", "1 to 10, given by the author"),
    Field("confidence", "choice", "confidence", "of the author", CONFIDENCES),
    Field("source", "choice", "source", "who claims it", SOURCES),
    Field("origin", "choice", "origin", "how it came in, set by the program", ORIGINS),
    Field("created", "date", "created", "when it was written"),
    Field("valid_from", "date", "validity", "first day or instant it holds", decides=True),
    Field("valid_to", "date", "validity", "last day, or the instant it ends", decides=True),
    Field("supersedes", "list", "supersedes", "ids it replaces", decides=True),
    Field("conflicts", "conflicts", "conflicts", "ids it disagrees with, and how"),
    Field("derived_from", "list", "derived_from", "ids it rests on"),
    Field("links", "data", "", "related records and why: id, why"),
    Field("anchors", "data", "", "code it speaks about: path and blob"),
    Field("evidence", "data", "", "what supports it"),
    Field("verification", "data", "", "how it was verified"),
    Field("aliases", "list", "aliases", "foreign ids and other names"),
    Field("force", "choice", "required", "of a rule", ("required", "advice")),
    Field("guard", "guard", "", "which tool calls to stop, and what to say then"),
    Field("checklist", "flag", "checklist", "put on the list before work"),
    Field("correction", "flag", "correction", "a person corrected the agent"),
    Field("branch", "list", "branch", "git branches it is about"),
    Field("allow", "list", "allow", "codes of findings a person allowed", decides=True),
    Field("hits", "number", "hits", "uses counted elsewhere before"),
    Field("shows_markers", "flag", "", "it shows merge-conflict markers on purpose"),
    Field("goal", "text", "", "of a task: what is to be done", only=_TASK),
    Field("expected", "text", "", "of a task: what is to come of it", only=_TASK),
    Field("status_of_task", "choice", "", "how a task stands", TASK_STATES, only=_TASK),
    Field("started", "date", "", "when a task began", only=_TASK),
    Field("ended", "date", "", "when a task ended", only=_TASK),
    Field("ended_by", "choice", "", "who said that a task ended", ("person", "agent"), only=_TASK),
    Field("session", "text", "", "the agent's session a task belongs to", only=_TASK),
    Field("commit", "text", "", "the vault when a task began", only=_TASK),
    Field("ticket", "text", "", "the ticket a task serves", only=_TASK),
    Field(
        "shown", "data", "", "what had been shown when a task began: ids by how much", only=_TASK
    ),
    Field("shown_later", "list", "", "ids shown while a task went on", only=_TASK),
    Field("cited", "list", "", "ids that were used in a task", only=_TASK),
    Field("stage", "choice", "", "how a ticket stands", TICKET_STAGES, only=_TICKET),
    Field("deliverable", "text", "", "of a ticket: what is to be there at the end", only=_TICKET),
    Field("depends_on", "list", "", "ids that have to be done before a ticket", only=_TICKET),
    Field("due", "date", "", "last day of a ticket", only=_TICKET),
    Field("external", "text", "", "of a ticket: where it stands elsewhere", only=_TICKET),
    Field("state", "choice", "", "how a reflection run stands", RUN_STATES, only=_RUN),
    Field("mode", "choice", "", "what a run reflects on", RUN_MODES, only=_RUN),
    Field("target", "text", "", "of a run: equal for runs about the same thing", only=_RUN),
    Field("about", "data", "", "of a run: task, session, record …", only=_RUN),
    Field("language", "choice", "", "of the brief of a run", ("en", "zh"), only=_RUN),
    Field("review", "flag", "", "a run asks for the adversarial review", only=_RUN),
    Field("questions", "data", "", "of a run: id, text, given", only=_RUN),
    Field("environment", "list", "", "of a run: ids of E1, E2 …", only=_RUN),
    Field("places", "data", "", "session events a run was given: id, start, end", only=_RUN),
    Field("sources", "data", "", "records a run was given: id, revision, importance", only=_RUN),
    Field("answer", "text", "", "SHA-256 of the answer that completed a run", only=_RUN),
    Field("result", "data", "", "what came of a run: relation, id, cites …", only=_RUN),
    Field("consumed", "data", "", "of the sources those that were cited", only=_RUN),
    Field(
        "role",
        "choice",
        "",
        "whose persona: the agent's, or the user's profile",
        ROLES,
        only=_PERSONA,
    ),
    Field("metadata", "data", "", "of a skill; keys mvault-<key> stand for ours"),
)
"""Every key we know, in the order new files are written."""

BY_KEY: dict[str, Field] = {field.key: field for field in FIELDS}
FROM_FILE = frozenset(
    {
        *("path", "digest", "body", "adopted", "fields", "findings", "vault"),
        *("withheld", "waits", "foreign", "lapsed"),
    }
)
"""Attributes of `Record` that come from the file as a whole, not from a key."""

PLAIN_FORMS = frozenset({"date", "number", "flag"})
"""Forms whose values are written without quotes although they look like another type."""


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the front matter."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mvault record front matter",
        "description": "Scalars may be typed as text; unknown keys are kept and ignored.",
        "type": "object",
        "properties": {field.key: _property(field) for field in FIELDS if not field.only},
        "allOf": [_keys_of(kind) for kind in dict.fromkeys(k for f in FIELDS for k in f.only)],
        "additionalProperties": True,
    }


def _keys_of(kind: Kind) -> dict[str, Any]:
    """Return what holds for the keys that mean something in one kind only."""
    own = {field.key: _property(field) for field in FIELDS if kind in field.only}
    is_kind = {"properties": {"kind": {"const": str(kind)}}, "required": ["kind"]}
    return {"if": is_kind, "then": {"properties": own}}


def _property(field: Field) -> dict[str, Any]:
    shape: dict[str, Any] = {"description": field.about}
    if field.legacy:
        shape["description"] += f" (read from {', '.join(field.legacy)} when missing)"
    return shape | _SHAPES[field.form](field)


def _id(_: Field) -> dict[str, Any]:
    return {
        "type": ["string", "integer"],
        "pattern": f"^{ID_PATTERN.pattern}$",
        "not": {"type": "string", "pattern": f"^(?:{ID_DATE}|{ID_COUNTER})$"},
    }


def _text_list(_: Field) -> dict[str, Any]:
    item = {"type": ["string", "number", "boolean", "null"]}
    return {"anyOf": [{"type": "array", "items": item}, item]}


def _number(field: Field) -> dict[str, Any]:
    low, high = NUMBER_RANGES[field.key]
    bounds: dict[str, Any] = {"type": "integer", "minimum": low, "maximum": high}
    few = high - low < _FEW
    text: dict[str, Any] = {"type": "string", "pattern": "^[0-9]{1,10}$"}
    typed = {"enum": [str(number) for number in range(low, high + 1)]} if few else text
    return {"anyOf": [bounds, typed, {"type": "null"}]}


def _flag(_: Field) -> dict[str, Any]:
    words = "|".join(
        "".join(f"[{letter}{letter.upper()}]" for letter in word)
        for word in FLAG_WORDS
        if word.isalpha()
    )
    text = {"type": "string", "pattern": f"^({words}|0|1)$"}
    return {"anyOf": [{"type": ["boolean", "null"]}, {"enum": [0, 1]}, text]}


def _conflicts(_: Field) -> dict[str, Any]:
    pair = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "type": {"enum": [*CONFLICT_TYPES, None]}},
        "required": ["id"],
    }
    one = {"anyOf": [pair, {"type": "string"}]}
    return {"anyOf": [{"type": "array", "items": one}, one, {"type": "null"}]}


def _guard(_: Field) -> dict[str, Any]:
    text = {"type": ["string", "number", "null"]}
    texts = {"anyOf": [{"type": "array", "items": {"type": "string"}}, text]}
    keys = {
        "tools": texts,
        "field": text,
        "match": {"type": "string", "maxLength": 500},
        "action": {"enum": ["warn", "deny", None]},
        "instead": text,
        "cooldown": {"type": ["string", "null"], "pattern": r"^[0-9]{1,5}\s*[smhd]$"},
        "examples": {
            "type": ["object", "null"],
            "properties": {"hit": texts, "miss": texts},
            "additionalProperties": False,
        },
        "fingerprint": text,
    }
    return {
        "type": ["object", "null"],
        "properties": keys,
        "required": ["match"],
        "additionalProperties": False,
    }


ID_DATE = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
"""Ids that two notes of one day would share."""

ID_COUNTER = "0[0-9]{1,2}"
"""Ids that two clones would both give out."""

NUMBER_RANGES = {"importance": (1, 10), "hits": (0, 10**9)}
FLAG_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_DATE = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ].+)?)?$"
_FEW = 20
_SHAPES: dict[str, Callable[[Field], dict[str, Any]]] = {
    "id": _id,
    "text": lambda _: {"type": ["string", "number", "boolean", "null"]},
    "list": _text_list,
    "topics": _text_list,
    "date": lambda _: {"type": ["string", "null"], "pattern": _DATE},
    "number": _number,
    "flag": _flag,
    "choice": lambda field: {"enum": [*map(str, field.choices), "", None]},
    "scope": lambda _: {
        "type": ["string", "null"],
        "pattern": r"^\s*(global|(project|session):.*\S.*)\s*$",
    },
    "conflicts": _conflicts,
    "guard": _guard,
    "data": lambda _: {"type": ["array", "object", "null"]},
}
