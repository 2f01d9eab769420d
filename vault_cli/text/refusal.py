"""The refusal of a text that holds a secret or personal data. May import `errors`, `text.*`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vault_cli.errors import Diagnostic, RefusedError
from vault_cli.text.codes import show
from vault_cli.text.scan import NOT_SHOWN, PERSONAL, SECRET, mask_secrets

NEVER_WRITTEN: Final = frozenset({SECRET, PERSONAL})
"""Codes of findings with which a text is not even kept in quarantine."""

_KEY_HINT: Final = (
    "Nothing was written. Leave the value out and say where the key is kept; if others could"
    " have seen it, change the key."
)
_PERSONAL_HINT: Final = "Nothing was written. Leave the number out"


def refuse_values(place: str, found: Sequence[Diagnostic], *, how: str = "") -> RefusedError:
    """Return the refusal of a text; it names field, line and kind of each value and shows none.

    Args:
        place: what holds them: a path, or words such as `the request`.
        found: their findings.
        how: how a person can let them pass, when there is a way.
    """
    kinds = ", ".join(dict.fromkeys(item.message.replace(NOT_SHOWN, "") for item in found))
    is_secret = any(item.code == SECRET for item in found)
    what = "a secret" if is_secret else "personal data"
    hint = _KEY_HINT if is_secret else f"{_PERSONAL_HINT}."
    shown = tuple(item._replace(path=mask_secrets(item.path)) for item in found)
    message = f"{mask_secrets(show(place))} holds {what}, which is not written: {kinds}"
    return RefusedError(message, hint=f"{hint} {how}".strip(), diagnostics=shown)
