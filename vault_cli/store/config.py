"""Configuration: flags > environment > project vault.toml > user config > defaults.

May import `errors`, `store.settings`, `store.files`; tomllib inside functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from vault_cli.errors import Diagnostic, NotFoundError, UsageError, VaultError
from vault_cli.store.files import read_file
from vault_cli.store.places import user_folder
from vault_cli.store.settings import (
    BY_NAME,
    SCHEMA,
    SETTINGS,
    Setting,
    coerce_value,
    parse_value,
)

__all__ = ["CONFIG_FILE", "SETTINGS", "Config", "Setting", "load_config", "user_config_path"]

CONFIG_FILE: Final = "vault.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """Frozen settings; `config["render.budget"]`, `config.origin("render.budget")`.

    Args:
        values: every setting by its dotted name.
        origins: layer that set it, for those that are not at their default.
        diagnostics: settings that were ignored, and why.
    """

    values: Mapping[str, Any]
    origins: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def origin(self, name: str) -> str:
        """Return `default`, `user`, `vault`, `environment` or `flag`."""
        return self.origins.get(name, "default")


def user_config_path(environ: Mapping[str, str]) -> Path:
    """Return the person's own configuration file: `$MVAULT_CONFIG`, else the platform's place."""
    given = environ.get("MVAULT_CONFIG", "")
    if given:
        return Path(given).expanduser()
    return user_folder("config") / "config.toml"


def load_config(
    root: Path | None, *, environ: Mapping[str, str], flags: Mapping[str, Any] | None = None
) -> Config:
    """Load the configuration of the vault at `root` (None: user configuration and defaults).

    Args:
        root: vault root.
        environ: environment; `MVAULT_RENDER_BUDGET` and the like.
        flags: settings given on the command line, by dotted name; None values do not count.

    Raises:
        UsageError: a file cannot be read as TOML, or a value has the wrong type; names the
            file, the key, and what is allowed. An unknown key is a UsageError with a suggestion.
    """
    loader = _Loader()
    own = user_config_path(environ)
    loader.add_file(read_toml_file(own), str(own), "user", is_own=True)
    if root is not None:
        loader.add_file(_read_vault_file(root), CONFIG_FILE, "vault", is_own=False)
    loader.add_environment(environ)
    for name, value in (flags or {}).items():
        if value is not None:
            loader.set(_find_setting(name, "the command line"), value, "the command line", "flag")
    return loader.build()


class _Loader:
    """Lays one layer over the other."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {s.name: s.default for s in SETTINGS}
        self.origins: dict[str, str] = {}
        self.findings: list[Diagnostic] = []

    def set(self, setting: Setting, value: object, where: str, layer: str) -> None:
        """Take one value, checked."""
        try:
            result = coerce_value(setting, value)
        except ValueError as error:
            raise UsageError(f"{where}: {setting.name}: {error}") from error
        if setting.name == "schema" and result > SCHEMA:
            raise UsageError(
                f"{where}: schema {result} is newer than this mvault, which knows {SCHEMA}",
                hint="Update mvault: pipx upgrade mvault",
            )
        if setting.name == "vault.timezone" and result:
            _check_zone(result, where)
        self.values[setting.name] = result
        self.origins[setting.name] = layer

    def add_file(self, data: bytes | None, where: str, layer: str, *, is_own: bool) -> None:
        """Lay a TOML file over what is there."""
        if data is None:
            return
        for name, value in _flatten(parse_toml(data, where), ""):
            setting = _find_setting(name, where)
            if setting.user_only and not is_own:
                self.ignore(setting, where, _key_line(data, name))
            else:
                self.set(setting, value, where, layer)

    def add_environment(self, environ: Mapping[str, str]) -> None:
        """Lay the `MVAULT_…` variables over what is there."""
        for setting in SETTINGS:
            text = environ.get(setting.variable, "")
            if not text:
                continue
            if setting.user_only:
                self.ignore(setting, f"${setting.variable}", 0)
                continue
            try:
                value = parse_value(setting, text)
            except ValueError as error:
                raise UsageError(f"${setting.variable}: {error}") from error
            self.set(setting, value, f"${setting.variable}", "environment")

    def ignore(self, setting: Setting, where: str, line: int) -> None:
        """Note a setting that this layer may not set."""
        self.findings.append(
            Diagnostic(
                where,
                line,
                "user-only-setting",
                "warning",
                f"{setting.name} is ignored here: a vault cannot grant itself trust",
                f"Set it for yourself: mvault config set --user {setting.name} …",
            )
        )

    def build(self) -> Config:
        """Return the frozen result."""
        return Config(
            MappingProxyType(self.values), MappingProxyType(self.origins), tuple(self.findings)
        )


def parse_toml(data: bytes, where: str) -> dict[str, Any]:
    """Parse TOML bytes (a BOM is passed over).

    Raises:
        UsageError: not UTF-8 or not TOML; the message has the line.
    """
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{where} is not UTF-8 text", hint="Save it as UTF-8.") from error
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        words = str(error) or "nested too deep"
        raise UsageError(
            f"{where} cannot be read as TOML: {words}", hint="Correct the line named."
        ) from error


def _flatten(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and name not in BY_NAME:
            if not value and not _is_table(name):
                yield name, value
            yield from _flatten(value, f"{name}.")
        else:
            yield name, value


def _is_table(name: str) -> bool:
    return any(known.startswith(f"{name}.") for known in BY_NAME)


def _find_setting(name: str, where: str) -> Setting:
    setting = BY_NAME.get(name)
    if setting is not None:
        return setting
    nearest = nearest_setting(name)
    hint = f"Did you mean {nearest}?" if nearest else "`mvault config show` lists all settings."
    raise UsageError(f"{where}: there is no setting {name!r}", hint=hint)


def nearest_setting(name: str) -> str:
    """Return the known setting closest to `name`, or ""."""
    from difflib import get_close_matches

    near = get_close_matches(name, BY_NAME, n=1, cutoff=0.5)
    tails = {known.rpartition(".")[2]: known for known in BY_NAME}
    tail = get_close_matches(name.rpartition(".")[2], tails, n=1, cutoff=0.7)
    if tail and not (near and near[0] == name):
        return tails[tail[0]]
    return near[0] if near else ""


def _check_zone(name: str, where: str) -> None:
    from vault_cli.store.clock import find_zone

    try:
        find_zone(name)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", hint=error.hint) from error


def _read_vault_file(root: Path) -> bytes | None:
    try:
        return read_file(root, CONFIG_FILE)
    except NotFoundError:
        return None
    except VaultError as error:
        raise UsageError(f"{CONFIG_FILE}: {error.message}", hint=error.hint) from error


def read_toml_file(path: Path) -> bytes | None:
    """Return the bytes of a configuration file, None when there is none.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.read_bytes()  # the person's own file may well be a link
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def _key_line(data: bytes, name: str) -> int:
    from vault_cli.store.toml_patch import find_line

    return find_line(data.decode("utf-8-sig", "replace"), name)
