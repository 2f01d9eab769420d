from __future__ import annotations

from typing import Any

import pytest

from vault_cli.features.skills import (
    check_skill,
    description_problem,
    listing_budget,
    listing_notes,
    name_problem,
)


def check(text: Any, name: Any = "x") -> Any:
    data = text if isinstance(text, bytes) else text.encode()
    return check_skill(f"skills/{name}/SKILL.md", data, name)


def codes(text: Any, name: Any = "x") -> Any:
    return [(d.code, d.severity) for d in check(text, name)]


GOOD = "---\nname: x\ndescription: Does x. Use when y.\n---\n\n# X\n\nSteps.\n"


def test_a_good_skill_has_no_findings() -> None:
    assert check(GOOD) == ()
    assert check(GOOD.replace("Does x. Use when y.", "处理 x。适用：y。")) == ()


@pytest.mark.parametrize("name", ["x", "a-b-c", "42", "a" * 64])
def test_good_names(name: Any) -> None:
    assert name_problem(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        "",
        "A",
        "-a",
        "a-",
        "a--b",
        "a_b",
        "发布",
        "é",
        "a" * 65,
        "con",
        "lpt1",
        "claude",
        "my-claude",
        "a\n",
    ],
)
def test_bad_names(name: Any) -> None:
    assert name_problem(name)


def test_descriptions_are_counted_in_characters() -> None:
    assert description_problem("x" * 1024) == ""
    assert description_problem("字" * 1024) == ""
    assert "1025 of 1024" in description_problem("字" * 1025)
    assert description_problem(" ")
    assert "angle" in description_problem("Deploys <env>.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# No block\n", ("skill-front", "error")),
        (GOOD.replace("name: x", "name: y"), ("skill-folder", "error")),
        (GOOD.replace("name: x\n", ""), ("skill-name", "error")),
        (GOOD.replace("name: x", "name: X"), ("skill-name", "error")),
        (GOOD.replace("description: Does x. Use when y.\n", ""), ("skill-description", "error")),
        (GOOD.replace("Does x.", "Does <x>."), ("skill-description", "warning")),
        (GOOD.replace("---\n\n", "hooks: {a: b}\n---\n\n"), ("skill-key", "warning")),
        (
            GOOD.replace("---\n\n", f"compatibility: {'c' * 501}\n---\n\n"),
            ("skill-compatibility", "error"),
        ),
        (GOOD.replace("---\n\n", "metadata: [a]\n---\n\n"), ("skill-metadata", "warning")),
        (GOOD.replace("Does x.", "Does --- x."), ("skill-dashes", "warning")),
        (GOOD + "line\n" * 501, ("skill-long", "warning")),
        (GOOD.replace("name: x", "name: x\ntitel: x\nname: x"), ("skill-key", "warning")),
        ("\ufeff" + GOOD, ("skill-bom", "error")),
        ("---\nname: x\nname: y\n---\n", ("duplicate-key", "error")),
    ],
)
def test_findings(text: Any, expected: Any) -> None:
    assert expected in codes(text)


def test_a_finding_points_at_its_line() -> None:
    found = check(GOOD.replace("Does x.", "Does <x>."))
    assert [(d.line, d.path) for d in found] == [(3, "skills/x/SKILL.md")]
    assert found[0].hint


def test_a_second_block_is_noticed_with_its_line(cases: Any) -> None:
    path = cases / "rf-09-two-blocks-in-one-skill" / "skills" / "agent-coordinator" / "SKILL.md"
    found = check(path.read_bytes(), "agent-coordinator")
    assert [(d.code, d.line) for d in found] == [("second-block", 6)]


def test_the_limit_of_the_acceptance_case(cases: Any) -> None:
    folder = cases / "sk-01-description-over-1024" / "skills"
    found = check((folder / "too-long" / "SKILL.md").read_bytes(), "too-long")
    assert [d.code for d in found] == ["skill-description-long"]
    assert "of 1024" in found[0].message
    assert check((folder / "just-fits" / "SKILL.md").read_bytes(), "just-fits") == ()


def test_the_listing_tells_its_sum_and_the_longest() -> None:
    listing = listing_budget([("a", "x" * 10), ("b", "字" * 30), ("c", "x" * 20)], limit=50)
    assert (listing.total, listing.count, listing.is_over) == (60, 3, True)
    assert listing.longest == (("b", 30), ("c", 20), ("a", 10))
    (note,) = listing_notes(listing)
    assert note.severity == "warning"
    assert "60 of 50" in note.message
    assert "b (30)" in note.message


def test_the_listing_tells_what_one_more_adds() -> None:
    listing = listing_budget([("a", "x" * 10)], adding="y" * 5)
    (note,) = listing_notes(listing)
    assert note.severity == "note"
    assert "adds 5" in note.message
    assert "15 of 6000" in note.message
    assert listing_notes(listing_budget([])) == ()


def test_the_listing_of_the_acceptance_case(cases: Any, make_vault: Any) -> None:
    folder = cases / "sk-05-many-skills-one-listing" / "skills"
    vault = make_vault(
        {f"skills/{p.parent.name}/SKILL.md": p.read_bytes() for p in folder.glob("*/SKILL.md")}
    )
    skills = [(r.path.split("/")[1], r.summary) for r in vault.snapshot().records]
    listing = listing_budget(skills)
    assert listing.count == 40
    assert 15000 < listing.total < 16000
    assert listing.is_over
