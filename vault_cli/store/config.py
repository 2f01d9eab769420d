"""Configuration: flags > environment > project vault.toml > user config > defaults.

One table of settings drives loading, `mvault config show --explain` and the README table.
May import `errors`; tomllib inside functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: dotted name, type, default, one line of help, allowed values or None."""

    name: str
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    user_only: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """Frozen settings; `config["render.budget"]`, `config.origin("render.budget")`."""

    values: Mapping[str, Any]
    origins: Mapping[str, str]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def origin(self, name: str) -> str:
        """Return `default`, `user`, `vault`, `environment` or `flag`."""
        return self.origins.get(name, "default")


def load_config(
    root: Path | None, *, environ: Mapping[str, str], flags: Mapping[str, Any] | None = None
) -> Config:
    """Load the configuration of the vault at `root` (None: user configuration and defaults).

    Raises:
        UsageError: a file cannot be read as TOML, or a value has the wrong type; names the
            file, the key, and what is allowed. An unknown key is a UsageError with a suggestion.
    """
    raise NotImplementedError
