"""A record that fits a prompt and is too long to be given: it is named, once, with how to read it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import make_vault
from hook_answers import context_of
from hook_runs import LESSON, hook, state_of

FILLER = {
    f"memories/f-{n}.md": LESSON.format(title=f"Plain {n}", body="Nothing of note. " * 40).replace(
        "l-0000002", f"l-00001{n:02}"
    )
    for n in range(40)
}


@pytest.mark.parametrize(
    ("title", "line", "prompt"),
    [
        (
            "Zeppelin docking",
            "Tie the mooring rope twice around the mast. ",
            "dock the zeppelin at the mast",
        ),
        ("飞艇停靠流程", "先把缆绳在桅杆上绕两圈。", "飞艇停靠流程里，缆绳在桅杆上怎么绕？"),
    ],
)
def test_it_is_named_once_with_how_to_read_it(
    tmp_path: Path, home: Path, title: str, line: str, prompt: str
) -> None:
    long = LESSON.format(title=title, body=line * 1000).replace("l-0000002", "l-0000009")
    root = make_vault(tmp_path, {**FILLER, "memories/long.md": long})
    state = state_of(home)

    def say(event: str, session: str, **more: str) -> str:
        call = {"hook_event_name": event, "session_id": session, "cwd": str(root), **more}
        return context_of(json.loads(hook("claude-code", event, call, state))) or ""

    for session in ("s-1", "s-2"):  # the second one finds made ready what there is
        say("SessionStart", session, source="startup")
        said = say("UserPromptSubmit", session, prompt=prompt)
        assert f"[l-0000009] {title}" in said
        assert "mvault show" in said
        assert len(said) < 1000
        assert say("UserPromptSubmit", session, prompt=prompt) == ""
