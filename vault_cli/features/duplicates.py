"""The former name of `features.likeness`. May import `features.likeness`."""

from vault_cli.features.likeness import find_alike as find_duplicates

__all__ = ["find_duplicates"]
