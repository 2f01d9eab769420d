"""What is made ready for prompts says what the full program says, or leaves it to it."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from helpers import make_vault, run
from hook_answers import context_of
from hook_runs import LESSON, NOTHING_DUE, hook, state_of
from prompt_vaults import ENGLISH, prompts, vault_files

from vault_cli.hook import answer, asked, look, ready, turns
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
def place(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, at_once: None) -> Asked:
    """A folder that becomes a vault."""
    return Asked(tmp_path, state_of(home), monkeypatch)


@pytest.mark.parametrize(
    ("seed", "both", "worth"), [(1, False, 0), (2, False, 1 << 30), (3, True, 0), (4, True, 0)]
)
def test_what_is_ready_says_what_the_full_program_says(
    seed: int,
    both: bool,
    worth: int,
    place: Asked,
    tmp_path: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where records with common words only are passed over, which small vaults never do."""
    monkeypatch.setattr(look, "_WORTH_IT", worth)
    rng = random.Random(seed)
    if both:
        make_vault(home / "data", vault_files(rng, 60, "b"), name="mvault")
    place.folder = make_vault(tmp_path, vault_files(rng, 150) | NOTHING_DUE, name=".mvault").parent
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
    assert counts["ready"] > 3 * counts["left to the full program"], counts
    assert counts["brought"] > 30


def _given(state: Path, session: str) -> object:
    return json.loads((state / "hook" / "sessions" / session).read_bytes())["given"]


NOTE = """---
id: f-0000007
kind: fact
title: Zeppelin hangars need brass valves
status: active
scope: global
source: user
importance: 1
created: "2026-11-01"
---
Order them in {place}.

REST
""".replace("REST", "They come in crates of twelve. " * 60)
QUESTION = "where do the zeppelin hangars get their brass valves?"


def note_vault(place: Asked, tmp_path: Path) -> Path:
    """A vault in which one note answers `QUESTION` and the block shows nothing of it."""
    files = {
        f"memories/n-{number:07d}.md": LESSON.format(
            title=f"Fact {number} about the {ENGLISH[number]}", body="x" * 900
        )
        .replace("l-0000002", f"l-{number:07d}")
        .replace("kind: lesson", "kind: fact\nimportance: 9")
        for number in range(40)
    }
    files["memories/f-0000007.md"] = NOTE.format(place="Ghent")
    place.folder = make_vault(tmp_path, files)
    place.start("s")
    place.full.clear()
    return place.folder / "memories" / "f-0000007.md"


def test_a_prompt_is_answered_without_the_full_program(place: Asked, tmp_path: Path) -> None:
    note_vault(place, tmp_path)

    assert "Ghent" in place.fast("s", QUESTION)
    assert place.fast("s", QUESTION) == ""  # it is in the conversation
    assert place.fast("s", "please make the button blue and round") == ""
    assert place.full == []


@pytest.mark.parametrize("many", [False, True])
def test_what_a_person_changes_counts_at_once(
    many: bool, place: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where there are too many files to look at each: what is brought is looked at."""
    if many:
        monkeypatch.setattr(kept, "EXACT", 0)
    path = note_vault(place, tmp_path)
    text = path.read_text("utf-8")
    path.write_text(text.replace("status: active", "status: deprecated"), encoding="utf-8")
    assert place.fast("s", QUESTION) == ""
    path.write_text(text.replace("Ghent", "Bruges"), encoding="utf-8")
    assert "Bruges" in place.fast("s", QUESTION)
    for session, change in (("t", path.unlink), ("u", lambda: path.write_text(text, "utf-8"))):
        place.start(session)
        change()
        assert bool(place.fast(session, QUESTION)) is path.exists()
    assert len(place.full) >= 4


def test_a_command_that_retires_a_record_counts_at_once(
    place: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "EXACT", 0)
    note_vault(place, tmp_path)
    place.start("other")
    assert "Ghent" in place.fast("other", QUESTION)
    run("--vault", place.folder, "deprecate", "f-0000007", "--reason", "sold", "--yes").ok()

    assert place.fast("s", QUESTION) == ""


def test_a_setting_of_trust_counts_at_once(place: Asked, tmp_path: Path) -> None:
    note_vault(place, tmp_path)
    settings = place.folder / "vault.toml"
    text = settings.read_text("utf-8") if settings.exists() else ""
    settings.write_text(f'{text}\n[render]\nmode = "off"\n', encoding="utf-8")

    assert place.fast("s", QUESTION) == ""


@pytest.mark.parametrize("group", ["incoming", "trust", "made", "signed", "signatures"])
def test_what_is_trusted_counts_at_once_however_many_files_there_are(
    group: str, place: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a person withdrew is not in the vault: the records' files stay as they are."""
    monkeypatch.setattr(kept, "EXACT", 0)
    note_vault(place, tmp_path)
    (place.state / group).mkdir(exist_ok=True)
    (place.state / group / "another").write_text("{}")
    place.fast("s", QUESTION)

    assert place.full == ["prompt"]


def test_a_day_that_ends_counts(
    place: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MVAULT_NOW")
    note_vault(place, tmp_path)
    with monkeypatch.context() as later:
        later.setattr(ready.time, "time", lambda: 1e11)
        place.fast("s", QUESTION)
    assert place.full == ["prompt"]


def test_what_is_damaged_is_left_to_the_full_program(place: Asked, tmp_path: Path) -> None:
    note_vault(place, tmp_path)
    (file,) = (place.state / "hook" / "prompts").iterdir()
    whole = file.read_bytes()
    rng = random.Random(5)
    for number in range(40):
        place.start(f"d{number}")
        damaged = bytearray(whole)
        if number % 4:
            at = rng.randrange(len(whole))
            damaged[at] ^= 1 << rng.randrange(8)
        else:
            del damaged[rng.randrange(len(whole)) :]
        file.write_bytes(damaged)
        assert "Ghent" in place.fast(f"d{number}", QUESTION)


def test_what_is_sealed_elsewhere_is_not_believed(place: Asked, tmp_path: Path) -> None:
    note_vault(place, tmp_path)
    (place.state / "cache-token").write_bytes(bytes(32))

    assert "Ghent" in place.fast("s", QUESTION)
    assert place.full == ["prompt"]


def test_texts_that_were_not_made_in_time_are_learned(
    place: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vault_cli.cli.hook_ready.TEXT_SECONDS", -1.0)
    note_vault(place, tmp_path)
    first = place.fast("s", QUESTION)
    assert place.full == ["prompt"]
    place.start("t")
    place.full.clear()

    assert "Ghent" in first
    assert place.fast("t", QUESTION) == first
    assert place.full == []


def test_a_large_vault_is_made_ready_again_with_the_second_prompt(
    place: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vault_cli.cli.hook_prompt._SMALL", 1)
    path = note_vault(place, tmp_path)
    path.write_text(NOTE.format(place="Bruges"), encoding="utf-8")
    texts = [place.fast(session, QUESTION) for session in ("s", "s", "s")]

    assert "Bruges" in texts[0]
    assert place.full == ["prompt", "prompt"]


def test_inflected_words_are_counted_by_their_stems(place: Asked, tmp_path: Path) -> None:
    """In how many records a word stands was looked up by the word as it is written there."""
    files = {
        f"memories/n-{number:07d}.md": LESSON.format(
            title=f"Something {number}", body="It happens now and then. " * 30
        )
        .replace("l-0000002", f"l-{number:07d}")
        .replace("kind: lesson", "kind: fact\nimportance: 9")
        for number in range(60)
    }
    note = NOTE.replace("Zeppelin hangars need brass valves", "Retrying failed migrations")
    note = note.format(place="Ghent")
    place.folder = make_vault(tmp_path, files | {"memories/f-0000007.md": note})
    place.start("s")

    said = "why are the failing migrations retried?"
    assert "f-0000007" in place.slow("s", said)


@pytest.mark.parametrize("seed", range(4))
def test_a_prompt_is_read_as_a_query_is(seed: int) -> None:
    """Or not at all: what cannot be seen, days, and what says nothing."""
    rng = random.Random(seed)
    pieces = [*ENGLISH[:20], *PIECES, *map(chr, rng.sample(range(0xFFFF), 60))]
    read = 0
    for _ in range(3000):
        text = "".join(rng.choices(pieces, k=rng.randint(1, 9)))
        text = text.encode("utf-8", "ignore").decode()
        found = asked.read(text)
        if found is None:
            continue
        read += 1
        query = read_query(text)
        assert list(query.counts.items()) == list(found.counts.items()), text
        assert (query.text, query.days, query.stops) == (found.text, (), False), text
    assert read > 500


PIECES = (
    *("maxRetryCount", "snake_case_name", "HTTPServer", "_x_", "__", "索引", "重试的", "什么时候"),
    *("，", "。", "ＡＢＣ", "é", "Ünïcode", "привет", "ПриветМир", "2026-11-30", "3.11", "11月"),
    *("may 5", "了", "a", "the", "资料庫", "臺灣", "한국어", "カタカナ", "😀", "\u200d", "ﬁ", "ſ"),
    *("Jan. 3", "三月", "上个月", "x" * 70, "١٢", "№", "²", "x²", "foo²Bar", "STRASSE", "½", "Ⅷ"),
    *(" ", " ", " ", " ", "\n", "/", "-", "don't", "ไทย", "\u0301", "\x07", "i̇", "İ", "㈠"),
)
"""What is hard to split."""
