"""What a switch of scopes hides, and how to take it back. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli.cli.output import inline
from vault_cli.errors import UsageError, VaultError
from vault_cli.model.record import Record, Snapshot

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation

SCOPES: Final = frozenset({"read_scopes", "render.scopes"})
"""Settings whose change is explained."""

_NAMED: Final = 3


class Effect(NamedTuple):
    """What a change of a setting does: for people, and for `--json`."""

    lines: Sequence[str]
    data: dict[str, Any]


class _Layer(NamedTuple):
    name: str
    records: Sequence[Record]


def describe_effect(inv: Invocation, key: str, value: str, *, user: bool) -> Effect:
    """Say which layer a switch hides or shows again, how many records, and how to undo it.

    Only what is read changes: no record is moved, and switching back shows them again.

    Args:
        inv: the run.
        key: `read_scopes` or `render.scopes`.
        value: as typed.
        user: set in the person's own configuration, not in the vault's.

    Raises:
        UsageError: the value is not allowed.
    """
    from vault_cli.store.config import load_config
    from vault_cli.store.setting_values import check_value
    from vault_cli.store.settings import find_setting

    try:
        root: Path | None = inv.root
    except UsageError:  # no vault here: the setting can be set all the same
        root = None
    config = load_config(root, environ=inv.environ, lenient=True)
    old = tuple(config[key])
    new = tuple(check_value(find_setting(key), value, typed=True))
    lines: list[str] = []
    data: dict[str, Any] = {"hides": [], "shows": []}
    wins = config.origin(key)
    above = ("environment", "vault") if user else ("environment",)
    if wins in above:
        lines.append(f"no effect here: {key} is set by the {wins}, which counts before it")
        new = old
    elif key == "read_scopes" and root is not None and _is_alone(inv):
        lines.append("no effect here: this vault is read alone; it counts in projects with a vault")
        return Effect(lines, {"hides": [], "shows": [], "undo": _undo(key, old, user=user)})
    for word, levels in (("hides", old), ("shows", new)):
        gone = [level for level in levels if level not in (new if word == "hides" else old)]
        for level in gone:
            layer = _layer(inv, key, level, root)
            lines.append(_sentence(word, layer))
            names = [f"{record.id} {record.title}" for record in layer.records[:_NAMED]]
            data[word].append({"layer": layer.name, "records": len(layer.records), "some": names})
    data["undo"] = _undo(key, old, user=user)
    if data["hides"] or data["shows"]:
        lines.append(f"to undo it: {data['undo']}")
    return Effect(lines, data)


def _undo(key: str, old: Sequence[str], *, user: bool) -> str:
    option = "--user " if user else ""
    return f"mvault config set {option}{key} {','.join(old)}"


def _is_alone(inv: Invocation) -> bool:
    """Tell whether the vault is neither a project's nor the user vault: nothing is beside it."""
    from vault_cli.store.layers import find_user_vault, is_same_folder

    layers = inv.layers
    if layers.both or layers.is_project:
        return False
    user = find_user_vault()
    return user is None or not is_same_folder(user, layers.home)


def _sentence(word: str, layer: _Layer) -> str:
    count = len(layer.records)
    names = "; ".join(f"{record.id} {inline(record.title)}" for record in layer.records[:_NAMED])
    more = f"; and {count - _NAMED} more" if count > _NAMED else ""
    shown = f": {names}{more}" if names else ""
    records = "1 record" if count == 1 else f"{count} records"
    return f"{word} {layer.name}: {records} in force{shown}"


def _layer(inv: Invocation, key: str, level: str, root: Path | None) -> _Layer:
    """Return the records in force that belong to a level of a setting."""
    if root is None:
        return _Layer(level, ())
    if key == "read_scopes":
        name = "the user vault" if level == "global" else "the project vault"
        return _Layer(name, _in_force(_vault_records(inv, level)))
    records = (r for r in inv.reading.snapshot().records if r.scope.level == level)
    return _Layer(f"scope {level}", [record for record in records if record.in_force])


def _vault_records(inv: Invocation, level: str) -> Snapshot:
    """Return what the project vault or the user vault (level `global`) holds."""
    from vault_cli.store.vault import Vault

    layers = inv.layers
    other = layers.beside or layers.hidden
    is_home = layers.is_project == (level == "project")
    place = layers.home if is_home else other
    if place is None:
        return Snapshot()
    try:
        return Vault.open(place, environ=inv.environ, lenient=True).snapshot(whole=False)
    except VaultError:
        return Snapshot()


def _in_force(snapshot: Snapshot) -> list[Record]:
    return [record for record in snapshot.records if record.in_force]
