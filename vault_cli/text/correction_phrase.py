"""What a phrase that corrects an agent is. Data only; the phrases stand beside it.

Every pattern is searched in one sentence that was made plain by `corrections`: lower case, without
code and quotations, contractions written out, simplified characters. `{open}` stands for what may
come before a phrase at the beginning of a sentence. Kinds: `rejected` (that is wrong), `standing`
(a rule from now on), `repeated` (said before), `unfixed` (it still fails), `replaced` (this and not
that), `undone`.
"""

from __future__ import annotations

from typing import NamedTuple


class Phrase(NamedTuple):
    """One pattern.

    Args:
        kind: what a person says with it.
        weak: it counts only as an answer to what an agent did, in a short message.
        asks: it counts in a question, too.
        starts: only at the beginning of a sentence, not behind a comma.
        pattern: regular expression.
    """

    kind: str
    pattern: str
    weak: bool = False
    asks: bool = False
    starts: bool = False
