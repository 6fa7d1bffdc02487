"""The benchmark: layouts by numbers of sheets, some trials each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, median

import numpy as np

from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.visual_retrieval.cards import MOST_CARDS, Card, deal_cards
from scenemind.evaluation.visual_retrieval.retrieval import compare, retrieve
from scenemind.models import Allowance, ChatModel, ModelError, Usage
from scenemind.models.errors import FailureKind
from scenemind.reasoning.vlm_grounder.stitching import Layout, LayoutScore, SheetPlan, draw_sheets

HOPELESS: frozenset[FailureKind] = frozenset(
    ("no_key", "unreachable", "over_budget", "resting", "not_recorded", "cancelled", "closed")
)
"""Failures that have nothing to do with what was asked."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request.

    Attributes:
        sheets: in it: the paper's visual length.
        trial: from 0; another one has other pictures, ids, colours and places.
    """

    layout: Layout
    sheets: int
    trial: int

    @property
    def pictures(self) -> int:
        return self.layout.cells * self.sheets


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a request.

    Attributes:
        recalled: pictures of it that were read right.
        wrong: pairs of id and colour that are not true.
        seconds: until the answer, without drawing; retries and a repair of its form included.
        failure: why there is no answer; None: there is one.
        message: the same as a person should read it.
        rest_s: for which the server is to be left alone.
    """

    step: Step
    recalled: int
    wrong: int
    seconds: float
    usage: Usage
    failure: FailureKind | None = None
    message: str = ""
    rest_s: float = 0.0


def steps_of(layouts: Sequence[Layout], lengths: Sequence[int], trials: int) -> tuple[Step, ...]:
    """Trial by trial, so that a run that ends early has something of each.

    Raises:
        EvaluationError: a request would have more than `MOST_CARDS` pictures.
    """
    layout, sheets = max(layouts, key=lambda layout: layout.cells), max(lengths)
    if layout.cells * sheets > MOST_CARDS:
        raise EvaluationError(
            f"{sheets} sheets of {layout} would have {layout.cells * sheets} pictures, and there"
            f" are {MOST_CARDS} ids: fewer sheets, or smaller layouts"
        )
    return tuple(
        Step(layout, sheets, trial)
        for trial, layout, sheets in product(range(trials), layouts, lengths)
    )


class VisualRetrieval:
    """Asks for the ids and colours on stitched sheets (VLM-Grounder, section 4.3, supplement B)."""

    def __init__(
        self,
        model: ChatModel,
        pictures: Sequence[bytes],
        longest_px: int,
        seed: int,
        allow: Callable[[], Allowance],
    ) -> None:
        """
        Args:
            pictures: files that `decode_picture` reads; at least one.
            longest_px: longer side of a sheet.
            allow: for each request.
        """
        self._model = model
        self._pictures = pictures
        self._longest_px = longest_px
        self._seed = seed
        self._allow = allow

    def ask(self, step: Step) -> Outcome:
        """One request; the same again for the same step. While the server is left alone, it waits.

        Raises:
            EvaluationError: a picture cannot be used, or there are fewer ids than pictures.
        """
        rng = np.random.default_rng((self._seed, step.trial, *step.layout, step.sheets))
        cards = deal_cards(self._pictures, step.pictures, rng)
        cells = step.layout.cells
        plans = [SheetPlan(step.layout, sheet * cells, cells) for sheet in range(step.sheets)]
        jpegs, ids = [card.jpeg for card in cards], [card.card_id for card in cards]
        sheets = draw_sheets(jpegs, ids, plans, self._longest_px)
        asked = self._asked(step, cards, sheets)
        if asked.failure == "resting" and asked.rest_s:
            time.sleep(asked.rest_s)
            asked = self._asked(step, cards, sheets)
        return asked

    def _asked(self, step: Step, cards: Sequence[Card], sheets: Sequence[bytes]) -> Outcome:
        allowance, started = self._allow(), time.perf_counter()
        try:
            said = retrieve(self._model, sheets, allowance)
        except ModelError as error:
            seconds, rest_s = time.perf_counter() - started, error.retry_after_s or 0.0
            return Outcome(step, 0, 0, seconds, allowance.used, error.kind, str(error), rest_s)
        seconds = time.perf_counter() - started
        recalled, wrong = compare(cards, said)
        return Outcome(step, recalled, wrong, seconds, allowance.used)


def scores_of(outcomes: Iterable[Outcome]) -> list[LayoutScore]:
    """By layout and number of sheets, in the order in which they first came. Failed requests are
    counted by their cause, and lower no recall."""
    groups: dict[tuple[Layout, int], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.step.layout, outcome.step.sheets), []).append(outcome)
    return [_score(group) for group in groups.values()]


def _score(group: Sequence[Outcome]) -> LayoutScore:
    answered = [outcome for outcome in group if outcome.failure is None]
    step = group[0].step
    return LayoutScore(
        rows=step.layout.rows,
        columns=step.layout.columns,
        sheets=step.sheets,
        requests=len(group),
        failed=Counter(outcome.failure for outcome in group if outcome.failure),
        pictures=step.pictures * len(answered),
        recalled=sum(outcome.recalled for outcome in answered),
        wrong=sum(outcome.wrong for outcome in answered),
        seconds=median(outcome.seconds for outcome in answered) if answered else None,
        prompt_tokens=fmean(o.usage.prompt_tokens for o in answered) if answered else 0.0,
    )
