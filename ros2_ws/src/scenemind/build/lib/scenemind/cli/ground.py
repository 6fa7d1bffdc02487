"""`scenemind ground`: the objects that a phrase describes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

import scenemind as sm
from scenemind.cli.live import run_live
from scenemind.cli.options import By, MethodName, PolicyName, QuestionOptions, exit_with, takes
from scenemind.cli.suggestions import Yes, asked
from scenemind.composition import user_name
from scenemind.reasoning import Grounding, Query
from scenemind.report.replies import PictureFolder, show_grounding
from scenemind.report.terminal import with_progress

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class GroundOptions(QuestionOptions):
    """Options of `scenemind ground`."""

    phrase: Annotated[str, typer.Argument(help="What to find, in plain words.")]
    situation: Annotated[str, typer.Option(help='Such as "I am facing the window".')] = ""
    method: MethodName = "auto"
    policy: PolicyName = "balanced"
    by: By = ""
    yes: Yes = False


EXAMPLES = (
    "the small black chair left of the door",
    "the second chair from the right",
    "the lamp between the bed and the window",
    "the chair closest to me",
    "the cup that is not red",
    "object 12",
)


@app.command(
    "ground",
    epilog='Example: scenemind ground "the chair next to the desk" --memory kitchen. Read without a'
    f" model, among others: {'; '.join(EXAMPLES)}.",
)
@takes(GroundOptions)
def _ground(options: GroundOptions) -> None:
    """Find the objects that a phrase describes, best first.

    The column "meant" is the confidence that each of them is meant, from 0 to 1. The method
    vlm_grounder lets a vision model look at key frames, and measures new boxes.
    """
    query = Query(
        options.phrase,
        options.situation,
        policy=options.policy,
        by=options.by.strip() or user_name(),
    )
    if options.live:
        request: dict[str, Any] = {
            "situation": query.situation,
            "method": options.method,
            "policy": query.policy,
            "by": query.by,
        }
        request |= options.live_request() | {"yes": options.yes}
        run_live("ground", query.text, **request)
    with sm.open(options.path, read_only=True, config=options.settings()) as scene:

        def ground(text: str) -> Grounding:
            said = replace(query, text=text)
            return with_progress(
                lambda asking: scene.ground(said, method=options.method, asking=asking),
                scene.reasoner.allowance(options.timeout),
            )

        found = asked(ground, query.text, yes=options.yes, as_json=options.as_json)
        page = PictureFolder(options.pictures, scene.snapshot, scene.memory.trajectory())
    show_grounding(found, page, options.as_json)
    exit_with(found.failure)
