"""Questions about a plain photograph, which need no memory: `scenemind ask --photo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from scenemind.cli.asking.answers import answer_json, exit_with, print_answer
from scenemind.cli.asking.methods import opened_methods
from scenemind.cli.asking.pictures import say_where, writing_to
from scenemind.cli.asking.progress import with_progress
from scenemind.cli.errors import CommandError
from scenemind.cli.output import print_json
from scenemind.config import SceneMindConfig
from scenemind.perception.backends.depth_estimator import MonocularDepth
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.detecting import SharedDetector, open_detector
from scenemind.reasoning.vadar import Vadar
from scenemind.reasoning.vadar.asked_view import AskedView, ask_about_view
from scenemind.reasoning.vadar.photograph import view_of_photograph
from scenemind.reasoning.vadar.view import BoxPx, View
from scenemind.report import write_photograph

Photo = Annotated[
    Path | None,
    typer.Option(
        "--photo",
        help="Ask about this picture instead of a memory, with method vadar: it needs models, and a"
        " detector that takes words.",
        show_default=False,
    ),
]
DetectorOfPhoto = Annotated[
    str,
    typer.Option(
        "--detector",
        help="Finds things in the photograph by words, such as yoloe-26n-seg; else"
        " detector.weights, else $SCENEMIND_WEIGHTS.",
        show_default=False,
    ),
]
DepthModel = Annotated[
    str,
    typer.Option(
        "--depth-model",
        help="Tells metres in the photograph (extra depth): a folder, or a name of the Hugging Face"
        " hub; else vadar.depth_model, else nobody does.",
        show_default=False,
    ),
]
_METHODS = ("auto", "vadar")


def with_photograph(settings: SceneMindConfig, detector: str, depth_model: str) -> SceneMindConfig:
    """The settings with what was typed; what was not stays as it is."""
    tree = settings.model_dump()
    if detector:
        tree["detector"] |= {"weights": detector, "backend": "auto"}
    if depth_model:
        tree["vadar"]["depth_model"] = depth_model
    return SceneMindConfig.from_nested(tree, source="the command line")


def refuse_without_photograph(**typed: str) -> None:
    """
    Raises:
        CommandError: something was typed that is for photographs.
    """
    if named := [f"--{name.replace('_', '-')}" for name, value in typed.items() if value]:
        raise CommandError(f"without --photo FILE nobody looks at one: leave out {named[0]}")


def refuse_with_photograph(**typed: str) -> None:
    """
    Raises:
        CommandError: something was typed that is for memories.
    """
    if named := [f"--{name}" for name, value in typed.items() if value]:
        raise CommandError(f"a photograph is no memory: leave out {named[0]}")


def ask_photograph(
    photo: Path,
    query: Query,
    settings: SceneMindConfig,
    *,
    method: str,
    timeout_s: float,
    pictures: Path | None,
    as_json: bool,
) -> None:
    """Ask, and show the answer.

    Raises:
        CommandError: no such picture, another method, or no model is named.
        PerceptionError: no detector that takes words, or no such depth model.
        Exit: there is no answer.
    """
    if method not in _METHODS:
        raise CommandError(f"photographs are for method vadar, not {method}: leave --method out")
    detector = open_detector(settings.detector)
    named = settings.vadar.depth_model
    estimator = MonocularDepth(named) if named else None
    view = _view(photo, detector, estimator)
    with opened_methods(settings) as (models, methods):
        vadar = methods.get("vadar")
        if not isinstance(vadar, Vadar):
            raise CommandError(
                "a question about a photograph needs models, one of which sees pictures: name one"
                " (models.vision.model and models.language.model in --config, or --model)"
            )
        # What cannot be had, or takes minutes to come, is better known before models are paid.
        detector.open()
        if estimator is not None:
            estimator.fetch()
        asked = with_progress(
            lambda asking: ask_about_view(vadar, query, view, asking), models.allowance(timeout_s)
        )
    if as_json:
        print_json(_as_json(asked, photo))
    else:
        print_answer(asked.answer)
    if pictures is not None:
        with writing_to(pictures):
            say_where(write_photograph(asked, pictures))
    exit_with(asked.answer.failure)


def _view(photo: Path, detector: SharedDetector, estimator: MonocularDepth | None) -> View:
    try:
        return view_of_photograph(photo, detector, estimator)
    except ReasoningError as error:
        raise CommandError(error.failure.text.rstrip(".")) from error


def _as_json(asked: AskedView, photo: Path) -> dict[str, Any]:
    """As of a memory, with boxes in pixels of `size_px`: a large photograph is made smaller."""
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
