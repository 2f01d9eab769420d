"""What a record rests on, as typed evidence, and when that carries `status: verified`.

Imports: standard library and `model.record`. Nothing here opens what an entry points to: a
review report stays opaque, an address is not fetched, a file is not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from vault_cli.model.record import Record, Status

METHODS: Final = ("user-confirmation", "tool-reproduction", "independent-source")
"""How a record can be verified."""

UNVERIFIED: Final = "verified-without-evidence"
STALE: Final = "verification-stale"
"""Codes of `judge_verification`."""

_HASH = re.compile(r"(?:sha256[:-])?([0-9a-f]{64})")
_OBJECT = re.compile(r"[0-9a-f]{7,64}")
_ABSOLUTE = re.compile(r"/|\\|[A-Za-z]:[\\/]|file:", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_OWN_KEYS = frozenset(
    {"source", "source_uri", "source_url", "source_text", "url", "uri", "link", "origin_uri"}
)
_LOCAL_SCHEMES = frozenset({"file", "mvault", "data", "javascript"})


class Evidence(NamedTuple):
    """One usable entry of `evidence`.

    Args:
        id: its name within the record.
        type: a key of `TYPES`.
        values: its other keys, as text; hashes without prefix and in lower case.
        observed: when it was seen, as written; "" when it is not said.
    """

    id: str
    type: str
    values: Mapping[str, str]
    observed: str = ""


class Fault(NamedTuple):
    """What is wrong with one entry, in one sentence.

    Args:
        place: 0-based place of the entry in the list.
        key: the key of the entry it is about, "" for the entry as a whole.
        message: what is wrong.
        usable: the entry still counts as evidence.
    """

    place: int
    key: str
    message: str
    usable: bool = False


def _read_hash(value: str) -> str:
    found = _HASH.fullmatch(value.strip().lower())
    if found is None:
        raise ValueError("is no SHA-256 (64 hexadecimal digits)")
    return found[1]


def _read_object(value: str) -> str:
    if _OBJECT.fullmatch(value.strip().lower()) is None:
        raise ValueError("is no hash of git (7 to 64 hexadecimal digits)")
    return value.strip().lower()


def _read_place(value: str) -> str:
    text = value.strip()
    if _ABSOLUTE.match(text):
        raise ValueError("is an absolute path; write it from the home folder (~/…)")
    if ".." in re.split(r"[\\/]", text):
        raise ValueError("leaves its folder (..)")
    return text


def _read_path(value: str) -> str:
    text = value.strip()
    if _ABSOLUTE.match(text) or text.startswith("~"):
        raise ValueError("is an absolute path; write it from the root of the project")
    return _read_place(text)


def _read_uri(value: str) -> str:
    if _SCHEME.fullmatch(value.strip()) is None:
        raise ValueError("is no address (https://…)")
    return value.strip()


def _read_end(value: str) -> str:
    if _moment(value) is None:
        raise ValueError("is neither a number nor an instant")
    return value.strip()


def _read_line(value: str) -> str:
    if not (value.isascii() and value.isdigit() and int(value[:10]) > 0):
        raise ValueError("is no line number")
    return value


_TYPES: Mapping[str, Mapping[str, Callable[[str], str]]] = {
    "session-event": {"session": str.strip, "start": _read_end, "end": _read_end},
    "imported-file": {"provider": str.strip, "path": _read_place, "sha256": _read_hash},
    "external-uri": {"uri": _read_uri, "captured_sha256": _read_hash},
    "review-report": {"location": _read_place, "sha256": _read_hash, "target_sha256": _read_hash},
    "task": {"task": str.strip},
    "commit": {"commit": _read_object},
    "file": {"path": _read_path, "line": _read_line, "blob": _read_object},
}
_NOT_NEEDED = frozenset({("file", "line")})

TYPES: Final[Mapping[str, tuple[str, ...]]] = {kind: tuple(keys) for kind, keys in _TYPES.items()}
"""The types of evidence and the keys of each, besides id, type and observed."""


def read_evidence(fields: Mapping[str, Any]) -> tuple[tuple[Evidence, ...], tuple[Fault, ...]]:
    """Read `evidence` of a front matter, bearing with what people write by hand.

    A single entry may stand without a list, keys may have hyphens for underscores, hashes may be
    in capitals or begin with `sha256:`. Each malformed entry gives exactly one fault.

    Args:
        fields: the front matter as read.
    """
    found: list[Evidence] = []
    faults: list[Fault] = []
    taken: set[str] = set()
    for index, raw in enumerate(raw_entries(fields)):
        entry, fault = read_entry(raw, index)
        if entry is not None and entry.id in taken:
            fault, entry = Fault(index, "id", f"the id {entry.id} stands twice"), None
        if entry is not None:
            found.append(entry)
            taken.add(entry.id)
        if fault is not None:
            faults.append(fault)
    return tuple(found), tuple(faults)


def raw_entries(fields: Mapping[str, Any]) -> list[Any]:
    """Return the entries of `evidence` as written; one that stands alone is a list of one."""
    value = fields.get("evidence") if "evidence" in fields else None
    if value is None or value == "":
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def read_entry(raw: Any, index: int = 0) -> tuple[Evidence | None, Fault | None]:
    """Read one entry: what can be used of it, and what is wrong with it (at most one fault)."""
    if not isinstance(raw, Mapping):
        return None, Fault(index, "", "is a text where keys and values belong")
    keys = {str(key).strip().replace("-", "_").lower(): value for key, value in raw.items()}
    kind = str(keys.pop("type", None) or "").strip().lower().replace("_", "-")
    shape = _TYPES.get(kind)
    if shape is None:
        said = f"has the unknown type {kind[:40]}" if kind else "has no type"
        return None, Fault(index, "type", f"{said} (known: {', '.join(TYPES)})")
    own_id = str(keys.pop("id", None) or "").strip()
    observed = str(keys.pop("observed", None) or "").strip()
    values, wrong = _read_values(kind, shape, keys)
    if not own_id:
        wrong.append(("id", "has no id"))
    if wrong:
        return None, Fault(index, wrong[0][0], "; ".join(words for _, words in wrong))
    entry = Evidence(own_id, kind, MappingProxyType(values), observed)
    if not observed:
        return entry, Fault(index, "", "does not say when it was observed", usable=True)
    return entry, None


def _read_values(
    kind: str, shape: Mapping[str, Callable[[str], str]], keys: Mapping[str, Any]
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    values: dict[str, str] = {}
    wrong: list[tuple[str, str]] = []
    for key, read in shape.items():
        given = keys.get(key)
        text = str(given).strip() if isinstance(given, str | int | float) else ""
        if not text:
            if (kind, key) not in _NOT_NEEDED or given not in (None, ""):
                wrong.append((key, f"{key} is missing"))
            continue
        try:
            values[key] = read(text)
        except ValueError as error:
            wrong.append((key, f"{key} {error}"))
    if kind == "session-event" and not wrong and not _is_range(values["start"], values["end"]):
        wrong.append(("end", "end is before start, or they cannot be compared"))
    return values, wrong


def _moment(text: str) -> int | datetime | None:
    plain = text.strip()
    if plain.isascii() and plain.isdigit() and len(plain) <= 15:  # noqa: PLR2004
        return int(plain)
    try:
        return datetime.fromisoformat(plain)
    except ValueError:
        return None


def _is_range(start: str, end: str) -> bool:
    one, other = _moment(start), _moment(end)
    if isinstance(one, int) and isinstance(other, int):
        return one <= other
    if isinstance(one, datetime) and isinstance(other, datetime):
        return (one.tzinfo is None) == (other.tzinfo is None) and one <= other
    return False


def claim_digest(record: Record) -> str:
    """Return the SHA-256 (hex) of what a record claims: what a verification is tied to.

    Hashed are title, summary, condition, boundary and body, each followed by a line end; blanks
    at the ends of lines and of the whole do not count, nor does anything else in the file.
    """
    import hashlib  # few records are verified

    parts = (record.title, record.summary, record.applies_when, record.boundary, record.body)
    lines = (line.rstrip() for part in parts for line in part.strip().split("\n"))
    return hashlib.sha256(
        "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    ).hexdigest()


def rule_problem(record: Record, method: str, cited: Iterable[Evidence]) -> str:
    """Say what is missing for a record to be verified by `method` on `cited`; "" when nothing.

    A confirmation or a reproduction must be bound to a complete session event range; a source
    must be captured (hash) and be another than the one the record came from. A review report is
    opaque and never enough.
    """
    if method not in METHODS:
        return f"there is no method {method[:40]!r} (known: {', '.join(METHODS)})"
    entries = tuple(cited)
    if method != "independent-source":
        if any(entry.type == "session-event" for entry in entries):
            return ""
        return f"{method} needs a session-event with session, start and end; {_unfit(entries)}"
    sources = [entry for entry in entries if entry.type == "external-uri"]
    if not sources:
        return (
            "independent-source needs an external-uri with uri and captured_sha256; "
            f"{_unfit(entries)}"
        )
    if any(_is_independent(record, entry) for entry in sources):
        return ""
    return f"{sources[0].values['uri']} is the record's own source, not an independent one"


def _unfit(entries: Iterable[Evidence]) -> str:
    """Say that none of the entries is enough, or that there are none."""
    named = [f"{entry.id} ({entry.type})" for entry in entries]
    if not named:
        return "it has no evidence"
    return f"{', '.join(named)} {'is' if len(named) == 1 else 'are'} not eligible"


def _is_independent(record: Record, entry: Evidence) -> bool:
    address = plain_address(entry.values["uri"])
    if address.partition(":")[0] in _LOCAL_SCHEMES:
        return False
    if entry.values["captured_sha256"] in (claim_digest(record), record.digest):
        return False
    return address not in set(_own_addresses(record))


def _own_addresses(record: Record) -> Iterator[str]:
    """Yield the addresses that a record says it was taken from."""
    texts = [record.source, *record.aliases]
    for key in _OWN_KEYS & set(record.fields):
        value = record.fields[key]
        texts += value if isinstance(value, list) else [value]
    for text in texts:
        if isinstance(text, str) and _SCHEME.fullmatch(text.strip()):
            yield plain_address(text)


def plain_address(text: str) -> str:
    """Return an address in the form in which two spellings of one page are equal."""
    from urllib.parse import urlsplit  # few records name an address, and it loads slowly

    try:
        parts = urlsplit(text.strip())
    except ValueError:
        return text.strip().lower()
    scheme = "https" if parts.scheme == "http" else parts.scheme
    host = parts.netloc.rpartition("@")[2].lower().removeprefix("www.")
    query = f"?{parts.query}" if parts.query else ""
    return f"{scheme}:{host}{parts.path.rstrip('/')}{query}"


def judge_verification(record: Record) -> tuple[str, str]:
    """Say whether a record's `verification` carries its status verified.

    Returns:
        Code and words of what is wrong: `verified-without-evidence`, or `verification-stale` when
        the text is no longer the one that was verified; two empty texts when it holds.
    """
    verification = record.fields.get("verification")
    if not isinstance(verification, Mapping):
        return UNVERIFIED, "there is no verification"
    problem = _citation_problem(record, verification)
    if problem:
        return UNVERIFIED, problem
    target = str(verification.get("target_sha256") or "")
    if target and target.lower().removeprefix("sha256:") != claim_digest(record):
        return STALE, "the text is no longer the one that was verified"
    return "", ""


def _citation_problem(record: Record, verification: Mapping[str, Any]) -> str:
    method = str(verification.get("method") or "")
    if not method:
        return "the verification names no method"
    cited = cited_ids(verification)
    if not cited:
        return "the verification cites no evidence"
    known = {entry.id: entry for entry in read_evidence(record.fields)[0]}
    missing = [name for name in cited if name not in known]
    if missing:
        words = "cites evidence that is not there or is incomplete"
        return f"the verification {words}: {', '.join(missing)}"
    return rule_problem(record, method, [known[name] for name in cited])


def cited_ids(verification: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of the evidence that a verification cites."""
    cited = verification.get("evidence")
    names = cited if isinstance(cited, list | tuple) else [cited]
    return tuple(str(name) for name in names if isinstance(name, str | int) and str(name))


def is_bound(record: Record) -> bool:
    """Tell whether a verification says which text it is about."""
    verification = record.fields.get("verification")
    return isinstance(verification, Mapping) and bool(verification.get("target_sha256"))


def is_verified(record: Record) -> bool:
    """Tell whether a record counts as verified: its status says so and its verification holds.

    A record in force that only claims to be verified counts as active.
    """
    return record.status is Status.VERIFIED and not judge_verification(record)[0]


def lapse_of(record: Record) -> str:
    """Return why a record that claims to be verified counts as active, in words; "" if it counts.

    It is worked out when the file is read (`Record.lapsed`), so that a list need not ask again.
    """
    code = judge_verification(record)[0]
    if not code:
        return ""
    return "verification stale" if code == STALE else "verification missing"


def standing_of(record: Record) -> tuple[Status, str]:
    """Return as what a record counts, and in words why not as what its status says ("" if it does).

    The head of a record tells it; nothing else is loaded for it.
    """
    if record.status is Status.VERIFIED and record.lapsed:
        return Status.ACTIVE, record.lapsed
    return record.status, ""
