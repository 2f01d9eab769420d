"""Made-up secrets, put together at run time so that no committed file holds one."""

from __future__ import annotations

import base64
import json
from random import Random
from string import ascii_letters, ascii_uppercase, digits

_PICK = Random("shapes")


def letters(number: int, alphabet: str = ascii_letters + digits) -> str:
    """Random characters, the same in every run."""
    return "".join(_PICK.choice(alphabet) for _ in range(number))


def _part(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")


def card_number() -> str:
    """Sixteen digits that pass the checksum of bank cards."""
    head = "4" + letters(14, digits)
    total = 0
    for place, digit in enumerate(reversed(head)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return head + str(-total % 10)


_PASSWORD = "Tr0ub4dor" + "&3xyz"

SHAPES: dict[str, tuple[str, str]] = {}
"""By name: a text that holds the secret, and the part that must not appear anywhere."""


def _add(name: str, secret: str, text: str = "{}") -> None:
    SHAPES[name] = text.format(secret), secret.splitlines()[1] if "\n" in secret else secret


_add("github", "gh" + "p_" + letters(36))
_add("github-fine", "github" + "_pat_" + letters(22) + "_" + letters(59))
_add("aws", "AK" + "IA" + letters(16, ascii_uppercase + digits))
_add("slack", "xo" + "xb-" + letters(12, digits) + "-" + letters(12, digits) + "-" + letters(24))
_add("google", "AI" + "za" + letters(35))
_add("stripe", "sk" + "_live_" + letters(24))
_add("model", "sk" + "-" + letters(48))
_add(
    "pem",
    "-----BEGIN RSA PRIV"
    "ATE KEY-----\n"
    + "\n".join(letters(64) for _ in range(3))
    + "\n-----END RSA PRIV"
    + "ATE KEY-----",
)
_add("jwt", ".".join((_part({"alg": "HS256", "typ": "JWT"}), _part({"sub": "42"}), letters(43))))
_add("url", _PASSWORD.replace("&", ""), "postgres" + "://user:{}@db.example.org/app")
_add("assignment", _PASSWORD, "pass" + 'word = "{}"')
_add("chinese", _PASSWORD, "密" + "码是 {}")
_add("card", card_number())
