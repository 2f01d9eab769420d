"""All that is known of one record in one render: for `why`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, inline, told
from vault_cli.cli.views import brief_data
from vault_cli.errors import VaultError
from vault_cli.model.record import Record

if TYPE_CHECKING:
    from vault_cli.cli.clocks import Clocks
    from vault_cli.model.lineage import Ancestry
    from vault_cli.recall.fate import Fate, Fates
    from vault_cli.recall.match import Match
    from vault_cli.recall.score import Score
    from vault_cli.store.repo import Repository
    from vault_cli.store.vault import Vault

_SHORT = 10
_LEAST_PART = 8


def vault_of(inv: Invocation, record: Record) -> Vault:
    """Return the vault that a record of what is read lies in."""
    other = inv.reading.other
    if other is not None and record.vault and inv.layers.name_of(other.root) == record.vault:
        return other
    home = inv.reading.home
    return home if home is not None and record.vault else inv.vault


def tell_story(inv: Invocation, clocks: Clocks, match: Match, fates: Fates) -> dict[str, Any]:
    """Return all that is known of a record and its line, in the promised JSON shape."""
    from vault_cli.cli.provenance import support_data
    from vault_cli.cli.sources import links_data
    from vault_cli.features.sources import source_tasks

    record, vault = match.record, vault_of(inv, match.record)
    fate = fates.of(record)
    return {
        **brief_data(record),
        "matched": match.text.strip(),
        "code": fate.code,
        "why_not": fate.words,
        "place": place_data(fate, fates),
        "history": _history(inv, vault, clocks, match),
        **support_data(clocks.snapshot, record),
        **links_data(record, source_tasks(record, clocks.snapshot.by_id)),
        "receipt": _receipt(inv, record),
    }


def place_data(fate: Fate, fates: Fates) -> dict[str, Any] | None:
    """Return where a record stands in a block and what its rank is made of; None if nowhere."""
    line = fate.line
    if line is None:
        return None
    group = line.group
    return {
        "group": group,
        "level": line.level,
        "place": fate.place,
        "of": fates.shown,
        "place_in_group": fate.in_group,
        "of_group": fates.by_group.get(group, 0),
        "topic": line.pick.topic,
        "relevant": line.pick.relevant,
        "conflicts_with": [other for other, _ in line.pick.partners],
        "cost": line.cost,
        "reason": line.pick.reason,
        "score": _score_data(line.pick.worth),
    }


def _score_data(score: Score) -> dict[str, Any]:
    data = {key: value for key, value in score._asdict().items() if key != "matches"}
    return {**data, "matches": list(score.matches)}


def _receipt(inv: Invocation, record: Record) -> dict[str, Any] | None:
    """Return the last render that held a record, None when no kept receipt names it."""
    from vault_cli.store.receipts import load_renders

    root = inv.layers.home
    for render in load_renders(root):
        entry = render.entry(record.id, record.vault)
        if entry is not None:
            shown = {"group": entry.group, "level": entry.level}
            return {**render.as_data(), "entry": shown}
    return None


# History


def _history(inv: Invocation, vault: Vault, clocks: Clocks, match: Match) -> dict[str, Any]:
    """Return the file and line, and the commits that made and admitted it."""
    from vault_cli.cli.provenance import attribution_data
    from vault_cli.features.trust import admission

    record, repo = match.record, vault.repo
    data: dict[str, Any] = {"line": 0, "state": "", "last": None, "line_by": None, "approved": None}
    commit = _commit_of(vault, clocks, record)
    text = _text_of(vault, commit, record)
    data["line"] = find_line(text, match)
    if repo is None:
        return data
    try:
        start = commit or repo.head()
        found, whole = _ancestry(repo, start, record)
        admitted = admission(found)
        wanted = {
            "last": found.versions[0].deed.id if found.versions else "",
            "approved": admitted.deed.id if admitted else "",
            "line_by": _line_commit(repo, start, record, match, found),
        }
        infos = repo.read_commits(list(dict.fromkeys(filter(None, wanted.values()))))
        told = {name: attribution_data(info) for name, info in infos.items()}
        data |= {key: told.get(name) for key, name in wanted.items()}
        data["shallow"] = not whole
        if not commit:
            codes = [item.code for item in repo.pending([record.path])]
            data["state"] = codes[0] if codes else "committed"
    except VaultError as error:
        inv.out.warn(f"its history cannot be read: {error.message}")
    return data


def _ancestry(repo: Repository, start: str, record: Record) -> tuple[Ancestry, bool]:
    from vault_cli.model.lineage import Ancestry
    from vault_cli.store.lineage import read_lineage

    lineage = read_lineage(repo.git, repo.prefix, start, [record.path])
    found = lineage.ancestries.get(record.path, Ancestry())
    return found, found.whole


def _line_commit(
    repo: Repository, start: str, record: Record, match: Match, found: Ancestry
) -> str:
    """Return the commit that wrote the line; "" where that is the whole record's last one."""
    if not match.text or len(found.versions) < 2:  # noqa: PLR2004 - one version: one commit
        return ""
    data = repo.read_blob(start, record.path)
    number = find_line(data or b"", match)
    return repo.blame_line(start, record.path, number) if number else ""


def _commit_of(vault: Vault, clocks: Clocks, record: Record) -> str:
    """Return the commit that holds the text which is told of, "" for the file as it is.

    Of an admitted text in whose place another one waits it is the one it was admitted with.
    """
    if clocks.snapshot.commit or not record.waits:
        return clocks.snapshot.commit
    from vault_cli.store.incoming import load_ledger

    row = load_ledger(vault.root).rows.get(record.id)
    if row is not None and row.digest == record.digest and row.commit:
        return row.commit
    return vault.repo.head() if vault.repo is not None else ""


def _text_of(vault: Vault, commit: str, record: Record) -> bytes:
    from vault_cli.store.files import read_file

    with suppress(VaultError):
        if commit:
            return vault.require_repo().read_blob(commit, record.path) or b""
        return read_file(vault.root, record.path)
    return b""


def find_line(data: bytes, match: Match) -> int:
    """Return the 1-based line of a file that a line of its entry is made of; 0 when unsure."""
    from vault_cli.recall.match import letters

    record, text = match.record, match.text.strip()
    if not text:
        return 0
    head = text.startswith("- [")
    label, _, rest = text.partition(": ")
    wanted = [record.title] if head else [text, rest, label] if rest else [text]
    lines = [letters(line) for line in data.decode("utf-8", "replace").splitlines()]
    for key in filter(None, map(letters, wanted)):
        for test in (key.__eq__, lambda line, key=key: len(key) > 1 and key in line):
            found = next((place for place, line in enumerate(lines, 1) if test(line)), 0)
            if found:
                return found
    key = letters(record.title if head else text)
    parts = enumerate(lines, 1)
    return next((n for n, line in parts if len(line) >= _LEAST_PART and line in key), 0)


# Lines


def story_lines(data: Mapping[str, Any]) -> Iterator[Line]:
    """Yield what a person reads of `tell_story`."""
    yield [
        ("bold", inline(data["id"])),
        f"  {data['status']}  {data['kind']}  {inline(data['title'])}",
    ]
    history = data["history"]
    number = f":{history['line']}" if history["line"] else ""
    aside = f" ({data['vault']} vault)" if data.get("vault") else ""
    yield [("dim", "file: "), f"{inline(data['path'])}{number}{aside}"]
    yield from _place_lines(data)
    yield from _history_lines(history)
    yield from _basis_lines(data)
    yield from _receipt_lines(data["receipt"])


def _place_lines(data: Mapping[str, Any]) -> Iterator[Line]:
    place = data["place"]
    if data["code"] != "shown":
        yield [("dim", "in the block: "), ("yellow", "no"), f", {inline(data['why_not'])}"]
        if place:
            yield f"  it would stand under {place['group']} ({inline(place['reason'])})"
        return
    where = f"{place['place']} of {place['of']}"
    inside = f"{place['place_in_group']} of {place['of_group']} under {place['group']}"
    yield [("dim", "in the block: "), ("green", where), f", {inside}"]
    yield f"  why there: {inline(place['reason'])} (score {place['score']['value']:g})"
    if place["conflicts_with"]:
        yield f"  in conflict with {inline(', '.join(place['conflicts_with']))}"
    if data["why_not"]:
        yield f"  shown as {place['level']}: {inline(data['why_not'])}"


def _history_lines(history: Mapping[str, Any]) -> Iterator[Line]:
    if history["line_by"]:
        yield [("dim", "this line: "), _commit_text(history["line_by"])]
    if history["last"]:
        yield [("dim", "last change: "), _commit_text(history["last"])]
    if history["state"] in {"changed", "added"}:
        yield [("yellow", "  the file is not committed as it is")]
    approved = history["approved"]
    if approved:
        yield [("dim", "in force since: "), _commit_text(approved)]
        yield from (f"  {told(line)}" for line in approved["reason"].splitlines())
    elif history.get("shallow"):
        yield "  who admitted it is not known: history is cut off here (a shallow clone)"


def _commit_text(commit: Mapping[str, Any]) -> str:
    who = " ".join(part for part in (commit["actor"] or "by hand", commit["agent"]) if part)
    how = f", {commit['how']}" if commit["how"] else ""
    when = commit["date"][:10]
    text = f"{commit['commit'][:_SHORT]}  {when}  {commit['subject']}  ({who}{how}; "
    return told(text + f"{commit['author']})")


def _basis_lines(data: Mapping[str, Any]) -> Iterator[Line]:
    from vault_cli.cli.provenance import support_lines
    from vault_cli.cli.sources import source_lines

    yield from support_lines(data)
    yield from source_lines(data)


def _receipt_lines(receipt: Mapping[str, Any] | None) -> Iterator[Line]:
    if receipt is None:
        yield [("dim", "last render with it: "), "none that is kept"]
        return
    limit = f" of {receipt['budget']}" if receipt["budget"] else ""
    where = ", ".join(receipt["to"]) or "printed"
    entry = receipt["entry"]
    yield [
        ("dim", "last render with it: "),
        inline(f"@{receipt['id']}  {receipt['at']}  {where}; {receipt['used']}{limit}"),
        f" {receipt['unit']}; as {entry['level']} under {entry['group']}",
    ]
