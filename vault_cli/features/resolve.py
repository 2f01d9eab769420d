"""Which record does the person mean: id, prefix or path. May import `model`, `errors`."""

from __future__ import annotations

import difflib
import posixpath
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import PurePath, PurePosixPath

from vault_cli.errors import Diagnostic, NotFoundError, RefusedError, UsageError
from vault_cli.model.record import Record, Snapshot

_NEAR = 3
_LISTED = 10
_ID_LETTERS = 7


def resolve_record(
    snapshot: Snapshot, text: str, *, root: PurePath | None = None, cwd: PurePath | None = None
) -> Record:
    """Find the one record that `text` names.

    Tried in this order: the exact id; a file path (absolute, relative to `cwd`, relative to the
    vault); a unique prefix of an id. A path names one file even if its id stands twice.

    Args:
        snapshot: the records at hand.
        text: what the person typed.
        root: absolute path of the vault, needed for absolute and `cwd`-relative paths.
        cwd: absolute working directory.

    Raises:
        UsageError: `text` is empty, or several ids begin with it (they are listed).
        RefusedError: the id stands in several files (all named), or the file has problems
            (its diagnostics attached).
        NotFoundError: nothing fits; the nearest ids are named.
    """
    wanted = text.strip()
    if not wanted:
        raise UsageError("an id is needed", hint="`mvault list` shows the ids.")
    same = [record for record in snapshot.records if record.id == wanted]
    if same:
        return _only(same, wanted)
    found = _by_path(snapshot, wanted, root, cwd)
    if found is not None:
        return found
    return _by_prefix(snapshot, wanted)


def resolve_records(
    snapshot: Snapshot,
    texts: Sequence[str],
    *,
    root: PurePath | None = None,
    cwd: PurePath | None = None,
) -> tuple[Record, ...]:
    """Find several records, each once, in the order given; errors as in `resolve_record`."""
    found = {
        record.path: record
        for record in (resolve_record(snapshot, text, root=root, cwd=cwd) for text in texts)
    }
    return tuple(found.values())


def broken_file(path: str, diagnostics: Sequence[Diagnostic]) -> RefusedError:
    """Build the refusal for a file that cannot be read as a record."""
    errors = tuple(d for d in diagnostics if d.path == path and d.severity == "error")
    return RefusedError(
        f"{path} has problems and cannot be used",
        hint=f"Run: mvault check {path}",
        diagnostics=errors or tuple(diagnostics),
    )


def _only(records: Sequence[Record], record_id: str) -> Record:
    if len(records) == 1:
        return records[0]
    paths = ", ".join(record.path for record in records)
    raise RefusedError(
        f"the id {record_id} stands in {len(records)} files: {paths}",
        hint="Give one of them another id (or name one by its path to edit it).",
    )


def _by_path(
    snapshot: Snapshot, text: str, root: PurePath | None, cwd: PurePath | None
) -> Record | None:
    paths = set(_vault_paths(text, root, cwd))
    for record in snapshot.records:
        if _nfc(record.path) in paths:
            return record
    for path in snapshot.unreadable:
        if _nfc(path) in paths or _names_stem(path, text):
            raise broken_file(path, [d for d in snapshot.diagnostics if d.path == path])
    return None


def _vault_paths(text: str, root: PurePath | None, cwd: PurePath | None) -> Iterator[str]:
    """Yield the vault-relative paths `text` may mean, in NFC (file systems differ)."""
    # The flavour of `root` decides what separates folders: a backslash is a letter on POSIX.
    given = type(root)(text) if root is not None else PurePosixPath(text)
    if root is not None:
        base = posixpath.normpath(root.as_posix()).rstrip("/") + "/"
        full = posixpath.normpath((cwd / given if cwd is not None else given).as_posix())
        if full.startswith(base):
            yield _nfc(full[len(base) :])
    yield _nfc(posixpath.normpath(given.as_posix()))


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _names_stem(path: str, text: str) -> bool:
    """Whether an unreadable file is probably the one with this id (its id cannot be read)."""
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    tail = text.split("-", 1)[-1]
    return stem == text or (len(tail) == _ID_LETTERS and stem.endswith(f"-{tail}"))


def _by_prefix(snapshot: Snapshot, text: str) -> Record:
    prefix = text.casefold()
    hits = [record for record in snapshot.records if record.id.casefold().startswith(prefix)]
    ids = sorted({record.id for record in hits})
    if len(ids) == 1:
        return _only(hits, ids[0])
    if not ids:
        raise _not_found(snapshot, text)
    titles = {record.id: record.title for record in hits}
    shown = ", ".join(f"{key} ({titles[key]})" for key in ids[:_LISTED])
    more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    raise UsageError(
        f"{len(ids)} ids begin with {text}: {shown}{more}", hint="Type a few more characters."
    )


def _not_found(snapshot: Snapshot, text: str) -> NotFoundError:
    near = nearest_records(snapshot, text)
    hint = "`mvault list` shows all records."
    if near:
        named = ", ".join(f"{record.id} ({record.title})" for record in near)
        hint = f"Did you mean: {named}?"
    if snapshot.unreadable:
        number = len(snapshot.unreadable)
        files = "1 file" if number == 1 else f"{number} files"
        hint += f" {files} cannot be read: `mvault check` says why."
    outside = (d.message for d in snapshot.diagnostics if d.code == "sparse-checkout")
    hint = " ".join([hint, *(f"It may be out of sight: {words}." for words in outside)])
    return NotFoundError(f"no record {text}", hint=hint)


def nearest_records(snapshot: Snapshot, text: str) -> tuple[Record, ...]:
    """Return up to three records whose id or title is nearest to `text`, best first."""
    wanted = text.casefold()
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    scored = []
    for record in snapshot.records:
        score = max(_likeness(matcher, wanted, name) for name in (record.id, record.title))
        if score >= 0.5:  # noqa: PLR2004 - half of the characters agree
            scored.append((-score, record.id, record.path, record))
    scored.sort(key=lambda item: item[:3])
    return tuple(item[3] for item in scored[:_NEAR])


def _likeness(matcher: difflib.SequenceMatcher[str], wanted: str, name: str) -> float:
    folded = name.casefold()[:80]
    if len(wanted) > 1 and wanted in folded:
        return 0.9
    matcher.set_seq1(folded)
    # The two upper bounds are cheap; the exact ratio runs for few records only.
    if matcher.real_quick_ratio() < 0.5 or matcher.quick_ratio() < 0.5:  # noqa: PLR2004
        return 0.0
    return matcher.ratio()
