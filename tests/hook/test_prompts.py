"""What is made ready for prompts says what the full program says, or leaves it to it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import make_vault, run
from hook_answers import context_of
from hook_runs import LESSON, hook, state_of
from prompt_vaults import ENGLISH, prompts, vault_files

from vault_cli.hook import answer, asked, ready, turns
from vault_cli.hook import prompts as kept
from vault_cli.hook.call import Call
from vault_cli.recall.query import read_query


class Asked:
    """Sessions of one place: with what is ready, and without."""

    def __init__(self, folder: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.state = state
        self._monkeypatch = monkeypatch
        self.full: list[str] = []
        real = answer._full
        monkeypatch.setattr(answer, "_full", lambda call: self._note(real, call))

    def _note(self, real: object, call: Call) -> dict[str, str]:
        self.full.append(call.event)
        return real(call)  # type: ignore[operator,no-any-return]

    def start(self, session: str) -> str:
        return self._say("SessionStart", session)

    def fast(self, session: str, prompt: str) -> str:
        return self._say("UserPromptSubmit", session, prompt=prompt)

    def slow(self, session: str, prompt: str) -> str:
        with self._monkeypatch.context() as patch:
            patch.setattr(turns, "_beside", lambda *_: None)
            return self._say("UserPromptSubmit", session, prompt=prompt)

    def _say(self, event: str, session: str, **more: str) -> str:
        payload = {"hook_event_name": event, "cwd": str(self.folder), "session_id": session}
        return context_of(json.loads(hook("codex", event, payload | more, self.state))) or ""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep answers ready at once."""
    monkeypatch.setattr(ready, "SETTLED", -(1 << 62))


@pytest.fixture
def place(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> Iterator[Asked]:
    """A folder that becomes a vault."""
    yield Asked(tmp_path, state_of(home), monkeypatch)


@pytest.mark.parametrize(("seed", "both"), [(1, False), (2, False), (3, True)])
def test_what_is_ready_says_what_the_full_program_says(
    seed: int, both: bool, place: Asked, tmp_path: Path, home: Path
) -> None:
    rng = random.Random(seed)
    if both:
        make_vault(home / "data", vault_files(rng, 60, "b"), name="mvault")
    place.folder = make_vault(tmp_path, vault_files(rng, 150), name=".mvault").parent
    counts: Counter[str] = Counter()
    for turn, prompt in enumerate(prompts(rng, 90)):
        if turn % 6 == 0:
            one, other = f"fast{turn}", f"slow{turn}"
            assert place.start(one) == place.start(other)
        place.full.clear()
        said = place.fast(one, prompt)
        counts["left to the full program" if place.full else "ready"] += 1
        counts["brought"] += bool(said and not place.full)
        counts["brought by full"] += bool(said and place.full)
        assert said == place.slow(other, prompt), prompt
        assert _given(place.state, one) == _given(place.state, other), prompt
    assert counts["ready"] > 5 * counts["left to the full program"], counts
    assert counts["brought"] > 30


def _given(state: Path, session: str) -> object:
    return json.loads((state / "hook" / "sessions" / session).read_bytes())["given"]
