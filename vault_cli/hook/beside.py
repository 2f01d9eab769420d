"""What a prompt brings, from what is ready. Standard library, `hook`, `plain`.

The same search as `recall.search` and the same rule as `cli.hook_prompt`, over columns of numbers:
of the vault only what the answer shows is read. Where it takes more than that (a date, records in
conflict) the answer is None: the full program's.
"""

from __future__ import annotations

from vault_cli.hook import asked, fitting, prompts
from vault_cli.hook.look import Look

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable

    from vault_cli.hook.prompts import Prepared

    Key = tuple[str, str]
    Found = tuple[str, list[Key]]


def find(
    prepared: Prepared, prompt: str, given: set[Key], extra: Callable[[], dict[str, bytes]]
) -> Found | None:
    """Return what a prompt brings, a block with ids and vaults of what it shows.

    Both are empty when nothing fits; None when only the full program can tell.

    Args:
        prepared: what is ready for the place.
        prompt: what was typed.
        given: ids with their vaults of what the session has.
        extra: gives further texts of records, by their tag.

    Raises:
        OSError, ValueError: what is ready cannot be read.
    """
    said = asked.read(fitting.talk_of(prompt))
    if said is None or not prepared.head["unsure"].isdisjoint(said.counts):
        return None
    if " " not in said.text and prepared.row(prompts.NAMED + said.text):
        return None
    look = Look(prepared, said)
    if look.is_too_common():
        return "", []
    entries = look.pick(given)
    if not entries:
        return "", []
    from vault_cli.hook.shown import make_block

    return make_block(prepared, entries, extra)
