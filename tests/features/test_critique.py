"""The adversarial review: what is checked without understanding it."""

from __future__ import annotations

from typing import Any

import pytest

from vault_cli.features.critique import FIELDS, check_critique, write_critique

WHOLE: dict[str, Any] = {
    **dict.fromkeys(FIELDS, "said"),
    "counterexamples": "none",
    "alternatives": "不适用",
    "premises": ["one", "two"],
    "steelman_rounds": [
        {"threatens": "a premise", "argument": "a", "response": "b", "survives": True},
        {"threatens": "the scope", "argument": "c", "response": "d", "survives": "否"},
    ],
    "opposition_residual": "it costs time",
    "validity": {"premise_truth": "partial", "deductive": "valid"},
    "verdict": "holds",
}


def faults(applies_when: str = "", **more: Any) -> str:
    return "\n".join(check_critique({**WHOLE, **more}, applies_when)[1])


def test_a_whole_argument_has_no_fault() -> None:
    critique, found = check_critique(WHOLE, "")
    assert found == []
    assert critique is not None
    assert critique.texts["premises"] == "one; two"


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_answered(name: str) -> None:
    without = {key: value for key, value in WHOLE.items() if key != name}
    assert f"{name} is not answered" in "\n".join(check_critique(without, "")[1])
    assert f"{name} is not answered" in faults(**{name: ""})


def test_nothing_on_purpose_is_told_from_not_written() -> None:
    critique, _ = check_critique({**WHOLE, "unresolved": "Unknown."}, "")
    assert critique is not None
    assert critique.markers == {
        "counterexamples": "none", "alternatives": "不适用", "unresolved": "unknown"}  # fmt: skip
    assert critique.unresolved_keys == ("unresolved",)
    assert "counterexamples" not in critique.texts
    assert "claim cannot be n/a" in faults(claim="n/a")


def test_two_rounds_that_threaten_different_things() -> None:
    rounds = WHOLE["steelman_rounds"]
    assert "at least 2 rounds" in faults(steelman_rounds=rounds[:1])
    assert "at least 2 rounds" in faults(steelman_rounds="none")
    same = [rounds[0], {**rounds[1], "threatens": " A  Premise "}]
    assert "two rounds threaten the same" in faults(steelman_rounds=same)
    assert "round 1 lacks argument" in faults(
        steelman_rounds=[{**rounds[0], "argument": ""}, rounds[1]]
    )
    assert "survives is true or false" in faults(
        steelman_rounds=[{**rounds[0], "survives": "maybe"}, rounds[1]]
    )
    assert "opposition_residual is empty" in faults(opposition_residual=" ")


def test_validity_and_what_is_open() -> None:
    assert "premise_truth is missing" in faults(validity={})
    assert "validity.inductive is one of" in faults(
        validity={"premise_truth": "partial", "inductive": "x"}
    )
    open_truth = {"premise_truth": "unresolved"}
    assert "`unresolved` must say" in faults(validity=open_truth, unresolved="none")
    assert faults(validity=open_truth, unresolved="whether it holds on CI") == ""


def test_the_verdict_fits() -> None:
    assert "verdict is one of" in faults(verdict="maybe")
    assert "narrowed, but applies_when" in faults(verdict="narrowed")
    assert faults("on CI only", verdict="narrowed") == ""
    assert check_critique(None, "")[0] is None


def test_it_is_written_as_a_list() -> None:
    critique, _ = check_critique(WHOLE, "")
    assert critique is not None
    lines = list(write_critique(critique, {"claim": "主张", "round": "异议"}))
    assert lines[0] == "- 主张: said"
    assert "- counterexamples: none" in lines
    assert "- 异议: threatens: a premise; argument: a; response: b; survives: true" in lines
    assert lines[-1] == "- verdict: holds"
