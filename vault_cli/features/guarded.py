"""What a guard asks of who puts it in force. May import `model`, `errors`; every approval does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vault_cli.errors import RefusedError
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Record

KEY: Final = "guard"
DENY: Final = "deny"
_HINT: Final = "A person does this in a terminal. With `action: warn` a policy may."


def require_person_for_deny(record: Record, actor: Actor) -> None:
    """Refuse to let anybody but a person put a guard in force that denies.

    Raises:
        RefusedError: the record has one.
    """
    value = record.fields.get(KEY)
    if actor is Actor.PERSON or not isinstance(value, Mapping):
        return
    if value.get("action") == DENY:
        raise RefusedError(
            f"{record.id} has a guard that denies: a person has to approve it", hint=_HINT
        )
