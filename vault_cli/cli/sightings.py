"""Fold what hooks took down into what was seen; propose what repeats. May import all below `cli`.

Reading the spool changes nothing in it, and each event counts once, so this may run at any time,
beside whatever else folds it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_cli.errors import NotFoundError, UsageError, VaultError
from vault_cli.hook import events, spool
from vault_cli.hook.frames import Frame
from vault_cli.store.failures import Given, Hit, Sightings, open_sightings, sightings_path
from vault_cli.store.places import PROJECT_FOLDER, state_folder
from vault_cli.text.halves import without_halves

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.features.failures import Group
    from vault_cli.model.observation import Observation
    from vault_cli.model.sighting import Sighting
    from vault_cli.store.failures import Failure

_TOOL_EVENTS = frozenset({events.POST_TOOL, events.TOOL_FAILURE})
_LARGEST = 1 << 33
"""Seconds that an instant has at most, in the year 2242."""

_OWN_EVENTS = frozenset({spool.HIT, spool.GIVEN})


def fold_spool() -> int:
    """Take in the tool calls and guard hits of the spool; return how many events were new.

    Raises:
        StoreError: the state folder cannot be written.
    """
    paths = spool_files(str(state_folder()))
    if not paths:
        return 0
    with open_sightings() as seen:
        new = sum(take_file(seen, path) for path in paths)
        if new:
            seen.prune()
    return new


def spool_files(state: str) -> list[Path]:
    """Return the spool files there are, also those that were put aside to be folded."""
    found = [Path(path) for path in spool.spools(state)]
    folders = dict.fromkeys([Path(state) / "hook" / spool.NAMES[0], *(p.parent for p in found)])
    for folder in folders:
        with suppress(OSError):
            found += sorted(
                path
                for path in folder.glob("events.*.bin")
                if path.is_file() and not path.is_symlink()
            )
    return list(dict.fromkeys(found))


def take_frames(frames: Sequence[Frame]) -> None:
    """Take in the frames of one spool file, for `store.spool.fold`; twice does no harm.

    Raises:
        StoreError: the state folder cannot be written.
    """
    with open_sightings() as seen:
        for frame, mark in _marked(frames):
            take_frame(seen, frame, mark)
        seen.prune()


def take_file(seen: Sightings, path: Path) -> int:
    """Take in the frames of one spool file; return how many were new."""
    try:
        return sum(take_frame(seen, frame, mark) for frame, mark in _marked(spool.read(str(path))))
    except OSError:
        return 0


def _marked(frames: Iterable[Frame]) -> Iterator[tuple[Frame, str]]:
    """Yield frames with what names each: two alike in one file are two events."""
    counts: Counter[bytes] = Counter()
    for frame in frames:
        head = f"{frame.time}\0{frame.host}\0{frame.event}\0".encode()
        digest = blake2b(head + frame.raw, digest_size=12).digest()
        counts[digest] += 1
        yield frame, f"{digest.hex()}.{counts[digest]}"


def take_frame(seen: Sightings, frame: Frame, mark: str) -> bool:
    """Take in one frame of the spool, if it is about tools; return whether it was new."""
    if frame.event not in _TOOL_EVENTS | _OWN_EVENTS:
        return False
    if seen.is_folded(mark):
        return False
    seen.mark_folded(mark, frame.time)
    try:
        payload = without_halves(json.loads(frame.raw))
    except (ValueError, RecursionError):
        return False
    if not isinstance(payload, dict):
        return False
    if frame.event in _OWN_EVENTS:
        _take_own(seen, payload, frame, mark)
        return True
    from vault_cli.hosts.outcomes import read_sighting

    call = read_sighting(frame.host, frame.event, payload, frame.time, mark)
    return call is not None and seen.note(_masked(call))


def _masked(call: Sighting) -> Sighting:
    """Return a call without the secrets that its input and its error may hold."""
    from vault_cli.text.scan import mask_secrets

    return call._replace(given=mask_secrets(call.given), text=mask_secrets(call.text))


def _take_own(seen: Sightings, payload: dict[str, Any], frame: Frame, mark: str) -> None:
    """Take in what our own hooks took down of what they did."""
    if frame.event == spool.HIT:
        seen.note_hit(_hit(payload, frame, mark))
        return
    for given in _given(payload, frame, mark):
        seen.note_given(given)


def _hit(payload: dict[str, Any], frame: Frame, mark: str) -> Hit:
    """Return a hit, named by its call where that has an id: two hooks may be started for it."""
    from vault_cli.hosts.outcomes import key_of

    said = [events.text_of(payload, name) for name in ("vault", "guard", "action", "session")]
    call = events.text_of(payload, "call")
    name = f"{key_of(frame.host, said[3], call)} {said[0]} {said[1]}" if call and said[3] else mark
    return Hit(name, frame.time, *said)


def _given(payload: dict[str, Any], frame: Frame, mark: str) -> Iterator[Given]:
    """Yield what a session was given, of each vault."""
    vaults, shown = payload.get("vaults"), payload.get("shown")
    if not isinstance(vaults, dict) or not isinstance(shown, list):
        return
    keys = [key for key in shown if isinstance(key, list) and len(key) == 2]  # noqa: PLR2004
    session, receipt = (events.text_of(payload, name) for name in ("session", "receipt"))
    for name, root in vaults.items():
        ids = [str(key[0]) for key in keys if key[1] == name]
        if ids and isinstance(root, str):
            yield Given(mark, frame.time, root, session, receipt, " ".join(ids))


def note_given(inv: Invocation) -> int:
    """Make observations of what hooks gave to sessions of the vaults read here; return how many.

    As `since.note_shown` does for a render: one line a time, nothing is committed.
    """
    from vault_cli.model.observation import MAX_SESSION
    from vault_cli.store.observing import exposure_lines
    from vault_cli.store.own_usage import append_lines

    done = 0
    with open_sightings() as seen:
        for vault in inv.reading.vaults:
            given = seen.unnoted_given(str(vault.root))
            for one in given if vault.config["usage.exposures"] else ():
                if one.session.isprintable() and len(one.session) <= MAX_SESSION:
                    at = _instant(inv, one.at)
                    lines = exposure_lines(
                        vault.root, one.receipt, one.ids.split(), one.session, at
                    )
                    append_lines(vault.root, _named(lines, one.frame), sync=False)
            seen.mark_given(given)
            done += len(given)
    return done


def _instant(inv: Invocation, seconds: int) -> datetime:
    """Return when a hook took something down; never later than now, so that no day lies ahead."""
    return min(datetime.fromtimestamp(seconds, UTC), inv.now.astimezone(UTC))


def _named(lines: Iterable[Observation], frame: str) -> Iterator[Observation]:
    """Yield observations with keys that come from their event: written twice, they count once."""
    for place, line in enumerate(lines):
        key = blake2b(f"{frame}\0{place}".encode(), digest_size=6).hexdigest()
        yield line._replace(key=key)


def note_hits(inv: Invocation) -> int:
    """Make observations of guard hits in the vaults that are read here; return how many.

    The key of an observation comes from its event, so that one that is written twice is one.
    """
    from vault_cli.model.observation import GUARD, HIT, MAX_SESSION, Observation
    from vault_cli.store.observing import observe
    from vault_cli.store.vault import LOCK_WAIT

    done = 0
    vaults = {str(vault.root): vault for vault in inv.reading.vaults}
    with open_sightings() as seen:
        hits = [hit for hit in seen.unnoted_hits() if hit.vault in vaults]
        for root, vault in vaults.items():
            own = [hit for hit in hits if hit.vault == root]
            if not own:
                continue
            lines = [
                Observation(
                    HIT,
                    _instant(inv, hit.at).strftime("%Y-%m-%dT%H:%M:%SZ"),
                    blake2b(hit.frame.encode(), digest_size=6).hexdigest(),
                    (hit.id,),
                    GUARD,
                    session=hit.session[:MAX_SESSION],
                )
                for hit in own
            ]
            every = int(vault.config["render.commit_every"])
            observe(vault, lines, inv.now, every=every, wait=LOCK_WAIT)
            seen.mark_noted(own)
            done += len(own)
    return done


def catch_up(inv: Invocation) -> None:
    """Fold the spool and note the hits of guards as observations of their records.

    Where that cannot be, it is said, and what was counted before counts. A dry run notes nothing.
    """
    try:
        _take_in(inv)
    except VaultError as error:
        inv.out.warn(f"what hooks took down is not counted: {error.message}")


def fold_quietly(inv: Invocation) -> None:
    """As `catch_up`, where counts are an aside."""
    if not inv.options.dry_run:
        with suppress(VaultError):
            _take_in(inv)


def _take_in(inv: Invocation) -> None:
    fold_spool()
    if not inv.options.dry_run and sightings_path().exists():
        note_given(inv)
        note_hits(inv)


def take_lines(inv: Invocation, path: Path) -> int:
    """Take in failures that stand in a file, each line once; return how many were new.

    Raises:
        NotFoundError, UsageError: the file cannot be used. StoreError: nothing can be counted.
    """
    from vault_cli.hook.tools import canonical
    from vault_cli.hosts.outcomes import key_of
    from vault_cli.model.sighting import MAX_GIVEN, MAX_SAID, Sighting

    counts: Counter[str] = Counter()
    new = 0
    with open_sightings() as seen:
        for row in read_lines(path):
            text = json.dumps(row, sort_keys=True)
            counts[text] += 1
            code, at = _number(row.get("exit")), _number(row.get("at"))
            session = str(row.get("session", ""))
            new += seen.note(
                Sighting(
                    key=key_of("", session, str(row.get("id", "")), f"{text}#{counts[text]}"),
                    at=int(inv.now.timestamp()) if at is None else at,
                    host=str(row.get("host", "")),
                    session=session,
                    cwd=str(row.get("cwd", "")),
                    tool=canonical(row["tool"]),
                    given=str(row.get("command", ""))[:MAX_GIVEN],
                    failed=code != 0,
                    exit_code=code,
                    text=str(row.get("error", ""))[:MAX_SAID],
                    interrupted=row.get("interrupted") is True,
                )
            )
    return new


def _number(value: object) -> int | None:
    """Return a number as a file may give it, None for none: one that no clock or system has."""
    return value if type(value) is int and abs(value) < _LARGEST else None


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the JSON objects of a file of lines.

    Raises:
        NotFoundError: there is no such file. UsageError: a line is no object with tool and error.
    """
    if not path.is_file():
        raise NotFoundError(f"no such file: {path}")
    rows = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("tool"), str):
            raise UsageError(
                f"{path.name}: line {number} is no failure",
                hint='Each line is an object: {"tool": "Bash", "exit": 1, "error": "...",'
                ' "command": "...", "session": "...", "at": 1790000000}',
            )
        rows.append(row)
    return rows


def project_folder(inv: Invocation) -> str:
    """Return the folder whose calls count for the vault that is written, "" for all folders."""
    root: Path = inv.root
    return str(root.parent) if root.name == PROJECT_FOLDER else ""


def read_groups(inv: Invocation, failures: Sequence[Failure]) -> list[Group]:
    """Return the failures by kind, as the settings here have it.

    Raises:
        UsageError: `guard.benign` cannot be read.
    """
    from vault_cli.features.failures import group_failures, read_benign

    benign = read_benign(inv.vault.config["guard.benign"])
    return group_failures(failures, benign, below=project_folder(inv))
