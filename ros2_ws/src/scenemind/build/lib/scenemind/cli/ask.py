"""`scenemind ask`: a question about a memory or a photograph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

import scenemind as sm
from scenemind.cli.live import run_live
from scenemind.cli.options import (
    By,
    DepthModel,
    DetectorOfPhoto,
    MethodName,
    PolicyName,
    QuestionOptions,
    SelectorName,
    exit_with,
    takes,
)
from scenemind.cli.suggestions import Yes, asked
from scenemind.composition import user_name
from scenemind.errors import UsageError
from scenemind.reasoning import Answer, Query
from scenemind.report.replies import PictureFolder, show_answer
from scenemind.report.terminal import with_progress

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class AskOptions(QuestionOptions):
    """Options of `scenemind ask`."""

    question: Annotated[str, typer.Argument(help="In plain words.")]
    situation: Annotated[str, typer.Option(help='Such as "I am facing the window".')] = ""
    method: MethodName = "auto"
    policy: PolicyName = "balanced"
    by: By = ""
    yes: Yes = False
    selector: SelectorName = ""
    photo: Annotated[
        Path | None,
        typer.Option(
            "--photo",
            help="Ask about this picture instead of a memory. Needs models and an open-vocabulary"
            " detector; the method is vadar.",
            show_default=False,
        ),
    ] = None
    detector: DetectorOfPhoto = ""
    depth_model: DepthModel = ""


EXAMPLES = (
    "is there a red chair next to the table?",
    "how many chairs are there?",
    "where is the cup?",
    "what colour is the sofa?",
    "is the cup on the table?",
    "what is on the table?",
    "which chair is closest to the door?",
    "what is the black object on the table?",
    "is the sofa longer than the table?",
    "how far is the cup from the door?",
    "how big is the table?",
    "what is within reach?",
    "which bottle is empty?",
    "describe the chair",
    "where was the cup 5 minutes ago?",
    "what was moved since 10:05?",
)


@app.command(
    "ask",
    epilog='Example: scenemind ask "how many chairs are there?" --memory kitchen. Read without a'
    f" model, among others: {' '.join(EXAMPLES)}",
)
@takes(AskOptions)
def _ask(options: AskOptions) -> None:
    """Ask about a mapped place, or a photograph. An interrupt (Ctrl-C) cancels the question.

    Keys of models are read from the environment: OPENAI_API_KEY for OpenAI's server, else the
    variable that key_variable names.
    """
    _check_photograph(options)
    query = Query(
        options.question,
        options.situation,
        policy=options.policy,
        by=options.by.strip() or user_name(),
    )
    if options.live:
        run_live(
            "ask",
            query.text,
            situation=query.situation,
            method=options.method,
            policy=query.policy,
            by=query.by,
            yes=options.yes,
            **options.live_request(selector=options.selector, photo=options.photo),
        )
    settings = options.settings(
        selector=options.selector, detector=options.detector, depth_model=options.depth_model
    )
    if options.photo is not None:
        from scenemind.cli.photograph import ask_photograph

        ask_photograph(options.photo, query, settings, options)
        return
    with sm.open(options.path, read_only=True, config=settings) as scene:

        def ask(text: str) -> Answer:
            said = replace(query, text=text)
            return with_progress(
                lambda asking: scene.ask(said, method=options.method, asking=asking),
                scene.reasoner.allowance(options.timeout),
            )

        answer = asked(ask, query.text, yes=options.yes, as_json=options.as_json)
        page = PictureFolder(options.pictures, scene.snapshot, scene.memory.trajectory())
    show_answer(answer, page, options.as_json)
    exit_with(answer.failure)


def _check_photograph(options: AskOptions) -> None:
    """
    Raises:
        UsageError: an option of photographs without one, or an option of memories with one.
    """
    if options.photo is not None and options.selector:
        raise UsageError("a photograph is no memory: leave out --selector")
    if options.photo is not None and options.method not in ("auto", "vadar"):
        raise UsageError(
            f"photographs are for method vadar, not {options.method}: leave --method out"
        )
    of_photographs = {"--detector": options.detector, "--depth-model": options.depth_model}
    for name, value in of_photographs.items():
        if options.photo is None and value:
            raise UsageError(f"no photograph is named (--photo FILE): leave out {name}")
