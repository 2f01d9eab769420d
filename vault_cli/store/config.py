"""Configuration: flags > environment > user config for this vault > vault.toml > user config.

The person's file may hold a table `[vaults."/path/of/a/vault"]` with settings for that one vault.

May import `errors` and of `store` what reads files and knows the settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vault_cli.errors import Diagnostic, NotFoundError, UsageError, VaultError
from vault_cli.store.files import read_file
from vault_cli.store.places import expand_home, user_folder
from vault_cli.store.setting_values import check_value, hides_others, why_own
from vault_cli.store.settings import BY_NAME, SETTINGS, Setting, find_setting, nearest_setting
from vault_cli.store.toml_read import (
    CONFIG_FILE,
    VAULTS,
    TomlError,
    flatten,
    line_of,
    parse_toml,
    read_toml_file,
)

__all__ = [
    "CONFIG_FILE",
    "SETTINGS",
    "Config",
    "Setting",
    "load_config",
    "nearest_setting",
    "read_toml_file",
    "user_config_path",
]


@dataclass(frozen=True, slots=True)
class Config:
    """Frozen settings; `config["render.budget"]`, `config.origin("render.budget")`.

    Args:
        values: every setting by its dotted name.
        origins: layer that set it, for those that are not at their default.
        diagnostics: settings that were ignored, and why.
        named: whether `$MVAULT` names the vault (`--vault` is put there): the person chose it.
    """

    values: Mapping[str, Any]
    origins: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...] = ()
    named: bool = False

    @property
    def gates(self) -> frozenset[str]:
        """The gates of admission that are on."""
        return frozenset(self["admission.gates"])

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def origin(self, name: str) -> str:
        """Return `default`, `user`, `vault`, `user-here`, `environment` or `flag`."""
        return self.origins.get(name, "default")


def user_config_path(environ: Mapping[str, str]) -> Path:
    """Return the person's own configuration file: `$MVAULT_CONFIG`, else the platform's place."""
    given = environ.get("MVAULT_CONFIG", "")
    if given:
        return expand_home(given)
    return user_folder("config") / "config.toml"


def load_config(
    root: Path | None,
    *,
    environ: Mapping[str, str],
    flags: Mapping[str, Any] | None = None,
    lenient: bool = False,
    vault_file: bytes | None = None,
) -> Config:
    """Load the configuration of the vault at `root` (None: user configuration and defaults).

    Args:
        root: vault root.
        environ: environment; `MVAULT_RENDER_BUDGET` and the like.
        flags: settings given on the command line, by dotted name; None values do not count.
        lenient: a file or a variable that cannot be used becomes an error in
            `Config.diagnostics`, and what the layers below say counts. For commands that look
            at a vault or repair its settings; what acts on a vault takes them strictly.
        vault_file: bytes that count in place of the vault's own file.

    Raises:
        UsageError: a file cannot be read as TOML, or a value has the wrong type; names the
            file, the key, and what is allowed. An unknown key is a UsageError with a suggestion.
            Values of `flags` are never taken leniently.
    """
    loader = _Loader(lenient=lenient)
    own = user_config_path(environ)
    loader.add_file(lambda: read_toml_file(own), str(own), "user")
    here = loader.take_vaults(root)
    if root is not None:
        given = vault_file
        loader.add_file(
            lambda: _read_vault_file(root) if given is None else given, CONFIG_FILE, "vault"
        )
    loader.add_here(here, str(own))
    loader.add_environment(environ)
    for name, value in (flags or {}).items():
        if value is not None:
            loader.add_flag(name, value)
    return loader.build(named=_is_named(root, environ))


class _Loader:
    """Lays one layer over the other."""

    def __init__(self, *, lenient: bool) -> None:
        self.lenient = lenient
        self.values: dict[str, Any] = {s.name: s.default for s in SETTINGS}
        self.origins: dict[str, str] = {}
        self.findings: list[Diagnostic] = []
        self.vaults: Mapping[str, Any] = {}

    def take_vaults(self, root: Path | None) -> Mapping[str, Any]:
        """Return what the person's file sets for the vault at `root` alone, by dotted names."""
        if root is None or not self.vaults:
            return {}
        from vault_cli.store.here import settings_for

        return settings_for(self.vaults, root)

    def add_here(self, table: Mapping[str, Any], where: str) -> None:
        """Lay the person's settings for this vault over what is there."""
        for name, value in table.items():
            try:
                self.take(find_setting(name), value, "user-here")
            except UsageError as error:
                code = "config-value" if name in BY_NAME else "config-key"
                hint = error.hint or f"Set it again: mvault config set --user --here {name} …"
                self._report(_at(where, error, hint), where, 0, code, error.message)

    def add_file(self, read: Callable[[], bytes | None], where: str, layer: str) -> None:
        """Lay a TOML file over what is there."""
        try:
            data = read() or b""
            table = parse_toml(data, where)
        except TomlError as error:
            self._report(error, where, error.line, "config-toml", error.words)
            return
        except UsageError as error:
            self._report(error, where, 0, "config-unreadable", error.message)
            return
        if layer == "user" and isinstance(table.get(VAULTS), Mapping):
            self.vaults = table.pop(VAULTS)
        for name, value in flatten(table):
            try:
                setting = find_setting(name)
                own = setting.user_only and layer != "user"
                if own or (layer == "vault" and hides_others(setting, value)):
                    self.ignore(setting, where, line_of(data, name))
                else:
                    self.take(setting, value, layer)
            except UsageError as error:
                code = "config-value" if name in BY_NAME else "config-key"
                option = "--user " if layer == "user" else ""
                hint = error.hint or f"Set it again: mvault config set {option}{name} …"
                self._report(
                    _at(where, error, hint), where, line_of(data, name), code, error.message
                )

    def add_environment(self, environ: Mapping[str, str]) -> None:
        """Lay the `MVAULT_…` variables over what is there."""
        for setting in SETTINGS:
            text = environ.get(setting.variable, "")
            if not text:
                continue
            where = f"${setting.variable}"
            if setting.user_only:
                self.ignore(setting, where, 0)
                continue
            try:
                self.take(setting, text, "environment", typed=True)
            except UsageError as error:
                full = _at(where, error, error.hint or "Correct the variable, or unset it.")
                self._report(full, where, 0, "config-value", error.message)

    def add_flag(self, name: str, value: object) -> None:
        """Lay a value of the command line over what is there."""
        try:
            self.take(find_setting(name), value, "flag")
        except UsageError as error:
            raise _at("the command line", error, error.hint) from error

    def take(self, setting: Setting, value: object, layer: str, *, typed: bool = False) -> None:
        """Let a value count, once it is checked."""
        self.values[setting.name] = check_value(setting, value, typed=typed)
        self.origins[setting.name] = layer

    def _report(self, error: UsageError, where: str, line: int, code: str, words: str) -> None:
        """Raise the error; leniently, note what it says instead."""
        if not self.lenient:
            raise error
        self.findings.append(Diagnostic(where, line, code, "error", words, error.hint))

    def ignore(self, setting: Setting, where: str, line: int) -> None:
        """Note a setting that this layer may not set."""
        self.findings.append(
            Diagnostic(
                where,
                line,
                "user-only-setting",
                "warning",
                f"{setting.name} is ignored here: {why_own(setting)}",
                f"Set it for yourself: mvault config set --user {setting.name} …",
            )
        )

    def build(self, *, named: bool) -> Config:
        """Return the frozen result."""
        return Config(
            MappingProxyType(self.values),
            MappingProxyType(self.origins),
            tuple(self.findings),
            named,
        )


def _is_named(root: Path | None, environ: Mapping[str, str]) -> bool:
    given = environ.get("MVAULT", "")
    if root is None or not given:
        return False
    return os.path.realpath(expand_home(given)) == os.path.realpath(root)


def _at(where: str, error: UsageError, hint: str) -> UsageError:
    return UsageError(f"{where}: {error.message}", hint=hint)


def _read_vault_file(root: Path) -> bytes | None:
    try:
        return read_file(root, CONFIG_FILE)
    except NotFoundError:
        return None
    except VaultError as error:
        raise UsageError(error.message, hint=error.hint) from error
