from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vault_cli.errors import RefusedError
from vault_cli.features.drafts import needed_paths, plan_approve
from vault_cli.features.undo import UndoFile, plan_undo
from vault_cli.model.change import Move, Put, Remove
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Status


@pytest.fixture
def approve(now: Any, random_int: Any) -> Any:
    def run(vault: Any, *ids: Any) -> Any:
        shot = vault.snapshot()
        records = [shot.by_id[record_id] for record_id in ids]
        texts = {path: vault.files[path] for path in needed_paths(shot, records)}
        planned = plan_approve(
            shot, records, texts,
            now=now, actor=Actor.PERSON, how="terminal", random_int=random_int,
        )  # fmt: skip
        return vault.apply(planned.change)

    return run


def undo(vault: Any, changed: Any, later: Any = ()) -> Any:
    """Undo a commit given as (path, before, after); return what the undo itself changed."""
    files = [
        UndoFile(path, before, after, vault.files.get(path), tuple(later))
        for path, before, after in changed
    ]
    change = plan_undo(
        files, commit="abc1234def567890", subject="approve(fact): T", actor=Actor.PERSON
    )
    return change, vault.apply(change)


def test_undo_brings_back_the_exact_bytes_and_undoing_it_the_approval(
    make_vault: Any, note: Any, approve: Any
) -> None:
    vault = make_vault(
        {
            "memories/old.md": note(
                "旧。\r\n", id="f-1", kind="fact", status="active", title="技术栈"
            ).encode(),
            "drafts/2026-12/new.md": note(id="f-2", kind="fact", title="T", supersedes="[f-1]"),
        }
    )
    before = dict(vault.files)
    changed = approve(vault, "f-2")
    after = dict(vault.files)
    change, back = undo(vault, changed)
    assert vault.files == before
    assert change.verb == "undo"
    assert change.subject == ": approve(fact): T"
    assert change.extra == (("Vault-Undoes", "abc1234def567890"),)
    assert any(isinstance(edit, Move) for edit in change.edits)
    undo(vault, back)
    assert vault.files == after


def test_undo_of_one_approval_among_later_changes(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault(
        {
            "m-3901.md": note(
                "Delete.\n", id="m-3901", kind="lesson", status="candidate", title="A"
            ),
            "m-3902.md": note(
                "Rebuild nightly.\n", id="m-3902", kind="lesson", status="candidate", title="B"
            ),
        }
    )
    changed = approve(vault, "m-3901", "m-3902")
    vault.files["m-3902.md"] = vault.files["m-3902.md"].replace(b"nightly", b"weekly")
    edited = dict(vault.files)
    _, back = undo(vault, changed, ["B: hand edit"])
    assert vault.record("m-3901").status is Status.CANDIDATE
    assert vault.record("m-3902").status is Status.CANDIDATE
    assert b"weekly" in vault.files["m-3902.md"]
    undo(vault, back)
    assert vault.files == edited


def test_a_moved_file_that_was_edited_since_goes_back_with_the_edit(
    make_vault: Any, note: Any, approve: Any
) -> None:
    vault = make_vault(
        {"drafts/2026-12/a.md": note("一。\n", id="f-1", kind="fact", status="candidate")}
    )
    changed = approve(vault, "f-1")
    path = "memories/2026-12/a.md"
    vault.files[path] = vault.files[path].replace("一。".encode(), "二。".encode())
    undo(vault, changed)
    assert list(vault.files) == ["drafts/2026-12/a.md"]
    assert "二。" in vault.text("drafts/2026-12/a.md")
    assert "status: candidate" in vault.text("drafts/2026-12/a.md")


def test_a_note_adopted_on_approval_is_paired(make_vault: Any, approve: Any) -> None:
    vault = make_vault({"drafts/2026-12/手写.md": "# 手写\n\n内容。\n"})
    before = dict(vault.files)
    change, _ = undo(vault, approve(vault, "手写"))
    assert len(change.edits) == 1
    assert vault.files == before


KEYS = "---\nid: f-1\nstatus: active\nimportance: 5\ntitle: T\n---\nText.\n"


@pytest.mark.parametrize(
    ("current", "words"),
    [
        (KEYS.replace("active", "disputed").replace("importance: 5", "importance: 9"), "status"),
        (KEYS.replace("Text.", "Other."), None),
        (KEYS.replace("---\nid", "---\nid: f-2\nid", 1), "cannot be read"),
        (None, "not there any more"),
    ],
)
def test_what_changed_again_stops_the_whole_undo(make_vault: Any, current: Any, words: Any) -> None:
    before = KEYS.replace("active", "candidate").encode()
    other = b"---\nid: f-9\nstatus: candidate\n---\nX.\n"
    vault = make_vault({"b.md": other.replace(b"candidate", b"active")})
    if current is not None:
        vault.files["a.md"] = current.encode()
    files_before = dict(vault.files)
    changed = [("a.md", before, KEYS.encode()), ("b.md", other, vault.files["b.md"])]
    if words is None:
        undo(vault, changed)
        assert b"candidate" in vault.files["a.md"]
        assert b"Other." in vault.files["a.md"]
        return
    with pytest.raises(RefusedError) as caught:
        undo(vault, changed, ["1a2b3c4 B: hand edit"])
    assert "a.md" in caught.value.message
    assert "1a2b3c4 B: hand edit" in caught.value.message
    assert words in caught.value.diagnostics[0].message
    assert vault.files == files_before


def test_the_text_goes_back_only_when_it_is_still_the_commits(make_vault: Any) -> None:
    before, after = KEYS.encode(), KEYS.replace("Text.", "New.").encode()
    later = after.replace(b"importance: 5", b"importance: 6")
    vault = make_vault({"a.md": later})
    undo(vault, [("a.md", before, after)])
    assert vault.files["a.md"] == before.replace(b"importance: 5", b"importance: 6")
    vault = make_vault({"a.md": later.replace(b"New.", b"Newer.")})
    with pytest.raises(RefusedError) as caught:
        undo(vault, [("a.md", before, after)])
    assert "text was changed" in caught.value.diagnostics[0].message


def test_added_and_removed_files(make_vault: Any) -> None:
    vault = make_vault({"added.md": "x\n", "same.md": "b\n"})
    changed = [("added.md", None, b"x\n"), ("gone.md", b"old\n", None), ("same.md", b"b\n", b"c\n")]
    change, _ = undo(vault, changed)
    assert {type(edit) for edit in change.edits} == {Remove, Put}
    assert vault.files == {"same.md": b"b\n", "gone.md": b"old\n"}


@pytest.mark.parametrize(
    "changed",
    [
        [("a.md", None, b"x\n")],  # added by the commit, edited since
        [("a.md", b"old\n", None)],  # removed by the commit, written again since
        [("vault.toml", b"1\n", b"2\n")],  # not Markdown, edited since
    ],
)
def test_files_that_cannot_be_taken_back(make_vault: Any, changed: Any) -> None:
    vault = make_vault({"a.md": "edited\n", "vault.toml": "3\n"})
    with pytest.raises(RefusedError):
        undo(vault, changed)


def test_a_draft_written_again_at_the_old_place(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault({"drafts/2026-12/a.md": note(id="f-1", kind="fact", status="candidate")})
    changed = approve(vault, "f-1")
    vault.files["drafts/2026-12/a.md"] = b"new\n"
    with pytest.raises(RefusedError) as caught:
        undo(vault, changed)
    assert "drafts/2026-12/a.md" in caught.value.message
    del vault.files["drafts/2026-12/a.md"]
    del vault.files["memories/2026-12/a.md"]
    with pytest.raises(RefusedError):
        undo(vault, changed)


def test_undoing_twice_is_nothing_to_do(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault({"drafts/2026-12/a.md": note(id="f-1", kind="fact", status="candidate")})
    changed = approve(vault, "f-1")
    undo(vault, changed)
    assert undo(vault, changed)[0].is_empty


def test_an_agent_does_not_undo() -> None:
    with pytest.raises(RefusedError):
        plan_undo([], commit="a", subject="s", actor=Actor.AGENT)


keys = st.dictionaries(
    st.sampled_from(["status", "importance", "title", "适用"]),
    st.sampled_from(["active", "candidate", "5", "标题"]),
)


def text_of(front: Any, body: Any) -> Any:
    lines = "".join(f"{key}: {value}\n" for key, value in front.items())
    return f"---\nid: f-1\n{lines}---\n{body}\n".encode()


@settings(max_examples=150, deadline=None)
@given(keys, keys, keys, st.sampled_from(["A", "B"]), st.sampled_from(["A", "B", "C"]))
def test_an_undo_is_clean_or_refused_and_keeps_later_work(
    old: Any, new: Any, now_: Any, old_body: Any, now_body: Any
) -> None:
    before, after, current = text_of(old, old_body), text_of(new, "B"), text_of(now_, now_body)
    try:
        change = plan_undo(
            [UndoFile("a.md", before, after, current)], commit="c", subject="s", actor=Actor.PERSON
        )
    except RefusedError:
        return
    result = change.edits[0].data if change.edits else current
    if current == after:
        assert result == before
    from vault_cli.text.document import parse_document

    front = parse_document(result, "a.md").front
    for key in {*old, *new, *now_}:
        kept = now_.get(key) if old.get(key) == new.get(key) else old.get(key)
        assert front.get(key) == kept


def test_a_removed_and_an_added_file_that_are_not_one_record(make_vault: Any, note: Any) -> None:
    old, new = note(id="f-1", title="A").encode(), note(id="f-2", title="B").encode()
    vault = make_vault({"b.md": new, "c.txt": "c"})
    changed = [
        ("a.md", old, None),
        ("b.md", None, new),
        ("c.txt", None, b"c"),
        ("d.txt", b"d", None),
    ]
    undo(vault, changed)
    assert vault.files == {"a.md": old, "d.txt": b"d"}


def test_a_moved_file_changed_in_the_same_key(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault({"drafts/2026-12/a.md": note(id="f-1", kind="fact", status="candidate")})
    changed = approve(vault, "f-1")
    path = "memories/2026-12/a.md"
    vault.files[path] = vault.files[path].replace(b"status: active", b"status: disputed")
    with pytest.raises(RefusedError) as caught:
        undo(vault, changed)
    assert caught.value.diagnostics[0].message.startswith("status was changed")


def test_keys_that_cannot_be_patched_stop_the_undo(make_vault: Any) -> None:
    before = b"---\nid: f-1\nlist: [a]\n---\nT\n"
    after = b"---\nid: f-1\nlist: [b]\n---\nT\n"
    current = b"---\n{id: f-1, list: [b], own: 1}\n---\nT\n"
    vault = make_vault({"a.md": current})
    with pytest.raises(RefusedError) as caught:
        undo(vault, [("a.md", before, after)])
    assert caught.value.diagnostics
    assert vault.files["a.md"] == current
