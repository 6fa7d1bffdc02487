"""The result of alignment: success, interactions, and success in novel questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from scenemind.evaluation.alignment.session import Exchange, Session
from scenemind.evaluation.benchmark import evaluation_of_rows
from scenemind.evaluation.result import Evaluation, ScoredRow

INPUT = "simulated persons, errors planted in ground-truth objects"
# SynergAI, tables III and IV: people, GPT-4 turbo, errors of 3D-VisTA. Percent, except the last.
PAPER = {
    "initial_success": {"easy": 8.0, "hard": 0.0, "all": 4.8},
    "success_judged_by_people": {"easy": 91.2, "hard": 72.5, "all": 83.6},
    "success_judged_by_a_model": {"easy": 72.0, "hard": 47.1, "all": 61.9},
    "novel_before": {"easy": 2.6, "hard": 4.8, "all": 3.7},
    "novel_after": {"easy": 43.6, "hard": 47.6, "all": 45.7},
    "interactions": {"easy": 3.38, "hard": 6.45, "all": 4.65},
}
_QUERY_RATIO = re.compile(r"told ([\d.]+) % of the scene graph")


@dataclass(frozen=True, slots=True)
class AlignmentResult:
    """The result of all tasks.

    Attributes:
        tasks: `success` and `initial_success`, by difficulty, category, and both.
        novel: success in novel questions `before` and `after` the alignment.
        interactions: mean number of the person's sentences a task, by the groups of `tasks`.
        corrections_done: share of the corrections that were applied as intended at once, percent;
            None: nobody corrected anything.
        query_ratio: mean share of the scene graph in a model's prompts for an answer, percent;
            None: no model was asked.
    """

    tasks: Evaluation
    novel: Evaluation
    interactions: Mapping[str, float]
    corrections_done: float | None
    query_ratio: float | None

    def as_json(self) -> dict[str, Any]:
        """The result as JSON; percents with two digits. What was not measured is left out."""
        shares = {"corrections_done": self.corrections_done, "query_ratio": self.query_ratio}
        return {
            "input": INPUT,
            "tasks": self.tasks.as_json(),
            "novel": self.novel.as_json(),
            "interactions": {name: round(mean, 2) for name, mean in self.interactions.items()},
            **{name: round(share, 2) for name, share in shares.items() if share is not None},
            "paper": PAPER,
        }


def summarize_sessions(sessions: Sequence[Session], method: str) -> AlignmentResult:
    """The result of all sessions.

    Args:
        sessions: at least one with a novel question.
    """
    exchanges = [exchange for session in sessions for exchange in session.exchanges]
    told = [e.is_good for e in exchanges if not e.is_question]
    counts: dict[str, list[int]] = {"all": [len(s.exchanges) for s in sessions]}
    for session in sessions:
        for group in _groups(session):
            counts.setdefault(group, []).append(len(session.exchanges))
    ratios = [ratio for session in sessions for ratio in query_ratios(session)]
    novel = [row for session in sessions for row in _novel_rows(session)]
    return AlignmentResult(
        evaluation_of_rows("alignment", method, INPUT, [_row(session) for session in sessions]),
        evaluation_of_rows("novel questions", method, INPUT, novel),
        {name: fmean(of_group) for name, of_group in counts.items()},
        100.0 * fmean(told) if told else None,
        fmean(ratios) if ratios else None,
    )


def query_ratios(session: Session) -> list[float]:
    """Share of the scene graph in the prompts of each answer by a model, percent, in order."""
    steps = [step for exchange in session.exchanges for step in exchange.steps]
    return [float(n) for step in steps for n in _QUERY_RATIO.findall(step)]


def session_json(session: Session) -> dict[str, Any]:
    """One session as JSON, to examine errors."""
    task = session.task
    novel = {"before": session.novel_before, "after": session.novel_after}
    return {
        "task": task.task_id,
        "scene": task.scene_id,
        "category": task.category,
        "difficulty": task.difficulty,
        "truth": list(task.wanted.answers),
        "errors": [
            {"kind": e.kind, "object": e.object_id, "noun": e.noun, "wrong": e.wrong}
            for e in task.errors
        ],
        "success": session.succeeded,
        "query_ratios": query_ratios(session),
        "exchanges": [_exchange_json(exchange) for exchange in session.exchanges],
        "novel": {name: _exchange_json(e) for name, e in novel.items() if e is not None},
    }


def _row(session: Session) -> ScoredRow:
    scores = {
        "success": float(session.succeeded),
        "initial_success": float(session.is_right_at_first),
    }
    seconds = sum(exchange.seconds for exchange in session.exchanges)
    failure = session.exchanges[-1].failure
    return ScoredRow(
        session.task.task_id,
        session.task.scene_id,
        scores,
        _groups(session),
        failure,
        seconds,
        session.usage,
    )


def _novel_rows(session: Session) -> list[ScoredRow]:
    before, after = session.novel_before, session.novel_after
    if before is None or after is None:
        return []
    scores = {"before": float(before.is_good), "after": float(after.is_good)}
    task, usage = session.task, before.usage + after.usage
    groups = (task.difficulty,)
    return [
        ScoredRow(task.task_id, task.scene_id, scores, groups, after.failure, after.seconds, usage)
    ]


def _groups(session: Session) -> tuple[str, ...]:
    task = session.task
    return task.difficulty, task.category, f"{task.category}, {task.difficulty}"


def _exchange_json(exchange: Exchange) -> dict[str, Any]:
    return {
        "said": exchange.said,
        "marked": list(exchange.marked),
        "replied": exchange.replied,
        "good": exchange.is_good,
        "failure": exchange.failure,
        "seconds": round(exchange.seconds, 6),
    }
