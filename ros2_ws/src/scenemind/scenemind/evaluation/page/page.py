"""The page as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from scenemind.evaluation.page.cases import worst_cases
from scenemind.evaluation.page.comparison import comparisons
from scenemind.evaluation.page.figures import (
    breakdown_bars,
    named,
    scene_bars,
    score_text,
    time_and_cost,
    time_text,
)
from scenemind.evaluation.page.pictures import with_pictures
from scenemind.evaluation.page.published import published_of
from scenemind.evaluation.page.truth import Truth
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.scene_source import SceneSource
from scenemind.report.templating import render_of

PAGE = "index.html"
_CASES = 12
_SCENES = 8


def write_report(
    folder: Path,
    evaluation: Evaluation,
    predictions: Sequence[Prediction],
    source: SceneSource | None = None,
    truth: Truth | None = None,
    settings: Mapping[str, str] | None = None,
    images: Path | None = None,
) -> Path:
    """Write the page into a folder, which is made; returns the page's path.

    Args:
        predictions: of the evaluation's rows.
        source: what the method knew of the scenes: for pictures of the worst cases.
        truth: the scenes' true objects, for the same.
        settings: name -> value: what else the run was made with, for people.
        images: folder of the photographs that questions are about.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    has_true_ids = source is not None and source.has_true_ids
    cases = worst_cases(evaluation, predictions, _CASES)
    text = render_of(
        "scenemind.evaluation.page",
        "evaluation.html.j2",
        evaluation=evaluation,
        primary=evaluation.scores[evaluation.primary],
        is_simulated="simulated" in evaluation.source,
        is_oracle=has_true_ids,
        comparisons=list(comparisons(evaluation, published_of(evaluation.benchmark))),
        bars=list(breakdown_bars(evaluation)),
        scenes=scene_bars(evaluation, _SCENES),
        times=time_and_cost(evaluation),
        cases=list(with_pictures(cases, source, truth, images)),
        settings=settings or {},
        named=named,
        score_text=score_text,
        time_text=time_text,
    )
    page.write_text(str(text), encoding="utf-8")
    return page
