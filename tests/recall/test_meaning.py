"""What nearness in meaning adds to a search."""

from __future__ import annotations

import pytest

from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.recall.meaning import Meaning, weigh_meaning
from vault_cli.recall.search import search


def record(number: int, title: str, body: str = "", **more: object) -> Record:
    return Record(
        f"n-{number}", Kind.NOTE, f"m/{number}.md", f"{number:064}", Status.ACTIVE, title, body, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def test_only_what_stands_out_is_found_alone() -> None:
    digests = [f"d{n}" for n in range(9)]
    found = weigh_meaning(digests, [0.80, 0.79, 0.81, 0.80, 0.80, 0.80, 0.83, 0.86, 0.9])
    assert found.alone == found.nearest == {"d7", "d8"}
    assert found.above == pytest.approx({"d2": 0.01, "d6": 0.03, "d7": 0.06, "d8": 0.1})


def test_texts_are_measured_against_those_of_their_own_script() -> None:
    digests = [f"{script}{n}" for script in "oh" for n in range(20)]
    cosines = [*[0.75] * 19, 0.82, *[0.84] * 19, 0.9]
    scripts = [digest[0] for digest in digests]
    found = weigh_meaning(digests, cosines, scripts)
    assert found.alone == {"o19", "h19"}
    assert found.above == pytest.approx({"o19": 0.07, "h19": 0.06})
    few = weigh_meaning([*digests[:20], "h0"], [*cosines[:20], 0.84], [*scripts[:20], "h"])
    assert few.alone == {"o19", "h0"}  # one alone has no usual of its own


@pytest.mark.parametrize("cosines", [[], [0.9], [0.9, 0.9, 0.9]])
def test_nothing_stands_out_of_nothing(cosines: list[float]) -> None:
    found = weigh_meaning([f"d{n}" for n in range(len(cosines))], cosines)
    assert (dict(found.above), found.alone) == ({}, frozenset())


def test_a_weight_grows_with_the_best_fit_and_is_there_without_one() -> None:
    nothing = Meaning({}, frozenset())
    assert 0 < nothing.weight(0) < nothing.weight(0.9)


def test_a_near_record_is_found_without_a_word_of_the_question_and_says_why() -> None:
    near = record(1, "流水线超时", "把等待时间加倍")
    other = record(2, "Lunch", "at noon")
    worded = record(3, "Build", "the pipeline")
    records = (near, other, worded)
    meaning = Meaning({near.digest: 0.08, worded.digest: 0.01}, frozenset({near.digest}))
    found = search(Snapshot(records), "pipeline is slow", meaning=meaning)
    assert {hit.record.id for hit in found.hits} == {"n-1", "n-3"}
    by_id = {hit.record.id: hit for hit in found.hits}
    assert by_id["n-1"].parts["meaning"] > by_id["n-3"].parts["meaning"] > 0
    assert by_id["n-1"].parts["words"] == 0
    for hit in found.hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-5)
    assert [hit.record.id for hit in search(Snapshot(records), "pipeline").hits] == ["n-3"]


def test_meaning_decides_between_records_that_fit_the_words_alike() -> None:
    records = tuple(record(n, "Retry the upload") for n in range(1, 40))
    best = records[30]
    meaning = Meaning({best.digest: 0.05}, frozenset())
    found = search(Snapshot(records), "upload", limit=3, meaning=meaning)
    assert found.hits[0].record == best


def test_the_nearest_are_found_where_nothing_has_a_word_of_the_question() -> None:
    far, other = record(1, "流水线超时"), record(2, "Lunch", "at noon")
    meaning = weigh_meaning([far.digest, *"abcdefg", other.digest], [0.84, *[0.8] * 7, 0.79])
    assert (meaning.alone, meaning.nearest) == (frozenset(), {far.digest})
    records = Snapshot((far, other))
    assert [hit.record.id for hit in search(records, "pipeline", meaning=meaning).hits] == ["n-1"]
    assert [hit.record.id for hit in search(records, "lunch", meaning=meaning).hits] == ["n-2"]


def test_what_is_not_there_any_more_means_nothing() -> None:
    meaning = Meaning({"f" * 64: 0.2}, frozenset({"f" * 64}))
    assert search(Snapshot((record(1, "Lunch"),)), "supper", meaning=meaning).hits == ()
