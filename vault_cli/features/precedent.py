"""Precedent: what became of the tasks that had a record before them. May import `model`.

A join of the tasks in the vault and what each of them was shown when it began. The counts prove
nothing: records in force together share their tasks, and a record that is always shown collects
successes by being there. So the rate beside it is told, too: how tasks went that did not have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from vault_cli.features.task_records import Task

SUCCEEDED, FAILED = "succeeded", "failed"


_WORDS: Final = {
    "en": (
        "no finished task had it",
        "of the tasks that had it {} succeeded, {} failed",
        "; no task was without it, so this compares with nothing",
        " ({}); without it {} of {}",
    ),
    "zh": (
        "没有已结束的任务见过它",
        "在 {} 个成功、{} 个失败的任务中出现过",
        "；没有任务是没见过它的，所以无从比较",
        "（成功 {}）；没见过它的任务成功 {}（共 {} 个）",
    ),
}


class Precedent(NamedTuple):
    """What the tasks say about a record.

    Args:
        succeeded, failed: tasks that were shown it, by how they ended.
        other_ends: of those, abandoned and aborted ones.
        exposures: renders that showed it, from the observations.
        without_succeeded, without_failed: tasks that were not shown it and began since it was
            first shown.
        repeats: reflections that met it again.
    """

    succeeded: int = 0
    failed: int = 0
    other_ends: int = 0
    exposures: int = 0
    without_succeeded: int = 0
    without_failed: int = 0
    repeats: int = 0

    @property
    def is_proven(self) -> bool:
        """Whether a task succeeded with it before its eyes: a weak proof, and more than none."""
        return self.succeeded > 0

    @property
    def rate(self) -> float | None:
        """Share of succeeded among its tasks that succeeded or failed, None without any."""
        return _share(self.succeeded, self.failed)

    @property
    def rate_without(self) -> float | None:
        """As `rate`, of the tasks without it: the only thing it can be compared with."""
        return _share(self.without_succeeded, self.without_failed)

    def describe(self, language: str = "en") -> str:
        """Return the counts in words that claim no more than they can carry.

        Args:
            language: `en` or `zh`.
        """
        none, here, alone, beside = _WORDS["zh" if language == "zh" else "en"]
        if not (self.succeeded or self.failed):
            return none
        words = here.format(self.succeeded, self.failed)
        if self.rate is None or self.rate_without is None:
            return words + alone
        tasks = self.without_succeeded + self.without_failed
        return words + beside.format(f"{self.rate:.0%}", f"{self.rate_without:.0%}", tasks)

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        return {
            **self._asdict(),
            "rate": self.rate,
            "rate_without": self.rate_without,
            "words": self.describe(),
        }


def _share(good: int, bad: int) -> float | None:
    return good / (good + bad) if good + bad else None


def precedent_of(
    record_id: str, tasks: Sequence[Task], *, exposures: int = 0, repeats: int = 0
) -> Precedent:
    """Count what became of the tasks with a record, and of those without it.

    Args:
        record_id: which record.
        tasks: all tasks of the vault.
        exposures: renders that showed it.
        repeats: reflections that met it again.
    """
    having = [task for task in tasks if record_id in task.environment and not task.is_open]
    first = min((task.started for task in having if task.started), default="")
    without = [
        task
        for task in tasks
        if record_id not in task.environment and not task.is_open and task.started >= first
    ]
    succeeded, failed = _count(having, SUCCEEDED), _count(having, FAILED)
    return Precedent(
        succeeded,
        failed,
        len(having) - succeeded - failed,
        exposures,
        _count(without, SUCCEEDED) if having else 0,
        _count(without, FAILED) if having else 0,
        repeats,
    )


def _count(tasks: Iterable[Task], state: str) -> int:
    return sum(task.state == state for task in tasks)


class Objection(NamedTuple):
    """Why the precedent gate does not let a revision pass: a code and a sentence."""

    code: str
    message: str


def judge_revision(
    old: str, evidence: Sequence[str], tasks: Sequence[Task], *, override: str = ""
) -> list[Objection]:
    """Ask three things of a revision of a record that has a precedent; all can be read off files.

    Each named task exists and is closed; it did not succeed; it had the challenged record before
    it when it began. Whether it fits the condition of the record is for the person who reviews.

    Args:
        old: id of the record that is challenged.
        evidence: ids of the tasks that are said to speak against it.
        tasks: all tasks of the vault.
        override: a reason for revising it all the same, "" for none.

    Returns:
        What stands against it; nothing when the record has no precedent, or with an override.
    """
    precedent = precedent_of(old, tasks)
    if not precedent.is_proven or override.strip():
        return []
    if not evidence:
        words = precedent.describe()
        return [Objection("no-evidence", f"{old} {words}; name the tasks that speak against it")]
    known = {task.id: task for task in tasks}
    return [found for name in evidence if (found := _object(old, name, known.get(name)))]


def _object(old: str, name: str, task: Task | None) -> Objection | None:
    if task is None:
        return Objection("no-task", f"{name} is no task of this vault")
    if task.is_open:
        return Objection("task-open", f"{name} is still open: how it ends is not known")
    if task.state == SUCCEEDED:
        return Objection("task-succeeded", f"{name} succeeded: it does not speak against {old}")
    if old not in task.environment:
        return Objection("not-shown", f"{name} was not shown {old} when it began")
    return None
