"""`scenemind keyframes`: the stored frames that help to answer a question."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

import typer

import scenemind as sm
from scenemind.cli.live import run_live
from scenemind.cli.options import QuestionOptions, SelectorName, exit_with, takes
from scenemind.reasoning import Query
from scenemind.reasoning.method import Asking, attempt
from scenemind.reasoning.query import check_sentence
from scenemind.reasoning.stored_frames import Selection
from scenemind.report.replies import Chosen, PictureFolder, show_chosen
from scenemind.report.terminal import with_progress

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class KeyFrameOptions(QuestionOptions):
    """Options of `scenemind keyframes`."""

    question: Annotated[str, typer.Argument(help="In plain words.")]
    frames: Annotated[
        int | None,
        typer.Option(
            min=1, max=32, help="Number of frames; else memtree.frames.", show_default=False
        ),
    ] = None
    selector: SelectorName = ""


@app.command(
    "keyframes",
    epilog='Example: scenemind keyframes "what is on the desk?" --memory kitchen --pictures frames',
)
@takes(KeyFrameOptions)
def _keyframes(options: KeyFrameOptions) -> None:
    """Choose the stored frames that help to answer a question, best first."""
    query = Query(options.question)
    request = options.live_request() if options.live else {}
    settings = options.settings(frames=options.frames)
    if options.live:
        count = settings.memtree.frames
        run_live("key_frames", query.text, selector=options.selector, count=count, **request)
    with sm.open(options.path, read_only=True, config=settings) as scene:
        chosen = with_progress(
            lambda asking: _choose(query, scene, asking, options.selector),
            scene.reasoner.allowance(options.timeout),
        )
        page = PictureFolder(options.pictures, scene.snapshot, scene.memory.trajectory())
    show_chosen(chosen, page, options.as_json)
    exit_with(chosen.failure)


def _choose(query: Query, scene: sm.Scene, asking: Asking, named: str) -> Chosen:
    start = time.perf_counter()
    name = named or scene.reasoner.usual_selector

    def select() -> Selection:
        check_sentence(query)
        selector = scene.reasoner.selector(name)
        return selector.select(query, scene.memory, scene.config.memtree.frames, asking)

    tried = attempt(name, select)
    return Chosen(
        query,
        tried.reply or Selection(()),
        name,
        time.perf_counter() - start,
        asking.allowance.used,
        tried.failure,
    )
