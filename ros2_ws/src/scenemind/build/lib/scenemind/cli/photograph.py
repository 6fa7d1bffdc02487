"""Questions about a photograph, which need no memory: `scenemind ask --photo`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scenemind.cli.options import QuestionOptions, exit_with
from scenemind.composition import Reasoner
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.perception.backends.depth_estimator import MonocularDepth
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.shared_models import SharedDetector, open_detector
from scenemind.reasoning.vadar import Vadar
from scenemind.reasoning.vadar.vadar import AskedView, ask_about_view
from scenemind.reasoning.vadar.views import BoxPx, View, view_of_photograph
from scenemind.report.question_page import write_photograph_page
from scenemind.report.replies import answer_json, print_answer, print_page, writing_to
from scenemind.report.terminal import print_json, with_progress


def ask_photograph(
    photo: Path, query: Query, settings: SceneMindConfig, options: QuestionOptions
) -> None:
    """Ask, and show the answer.

    Raises:
        UsageError: no such picture, or no model is named.
        PerceptionError: no open-vocabulary detector, or no such depth model.
        Exit: there is no answer.
    """
    detector = open_detector(settings.detector)
    named = settings.vadar.depth_model
    estimator = MonocularDepth(named) if named else None
    view = _view(photo, detector, estimator)
    with Reasoner(settings) as reasoner:
        vadar = reasoner.methods.get("vadar")
        if not isinstance(vadar, Vadar):
            raise UsageError(
                "a question about a photograph needs models, one of which sees pictures: name one"
                " (models.vision.model and models.language.model in --config, or --model)"
            )
        # Missing files are reported, and large ones fetched, before a model is paid.
        detector.open()
        if estimator is not None:
            estimator.fetch()
        asked = with_progress(
            lambda asking: ask_about_view(vadar, query, view, asking),
            reasoner.allowance(options.timeout),
        )
    if options.as_json:
        print_json(_as_json(asked, photo))
    else:
        print_answer(asked.answer)
    if options.pictures is not None:
        with writing_to(options.pictures):
            print_page(write_photograph_page(asked, options.pictures))
    exit_with(asked.answer.failure)


def _view(photo: Path, detector: SharedDetector, estimator: MonocularDepth | None) -> View:
    try:
        return view_of_photograph(photo, detector, estimator)
    except ReasoningError as error:
        raise UsageError(error.failure.text.rstrip(".")) from error


def _as_json(asked: AskedView, photo: Path) -> dict[str, Any]:
    """JSON of an answer in the form of `answer_json`, with boxes in pixels of `size_px`, the size
    of the reduced photograph."""
    found = {words: [_edges(box) for box in boxes] for words, boxes in asked.found.items()}
    return {
        **answer_json(asked.answer),
        "photo": str(photo),
        "size_px": [asked.view.width, asked.view.height],
        "boxes_px": [_edges(box) for box in asked.boxes_px],
        "found_px": found,
    }


def _edges(box_px: BoxPx) -> list[float]:
    return [round(edge, 1) for edge in box_px]
