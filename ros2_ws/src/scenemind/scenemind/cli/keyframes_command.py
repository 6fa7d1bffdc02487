"""`scenemind keyframes`: the stored frames that help to answer a question."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from scenemind.cli.asking.answers import exit_with
from scenemind.cli.asking.chosen_frames import Chosen, show_chosen
from scenemind.cli.asking.model_options import (
    Endpoint,
    ModelName,
    Pictures,
    Record,
    Replay,
    SelectorName,
    Timeout,
    refuse_own_models,
    with_models,
)
from scenemind.cli.asking.progress import with_progress
from scenemind.cli.live import run_live
from scenemind.cli.memories import read_memory
from scenemind.cli.options import AsJson, ConfigFile, Live, MemoryName, MemoryRoot
from scenemind.config import SceneMindConfig
from scenemind.memory import MemoryAccess
from scenemind.models import Models, open_models
from scenemind.reasoning import Query
from scenemind.reasoning.attempt import attempt
from scenemind.reasoning.detecting import open_detector
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.method import Asking
from scenemind.reasoning.open_methods import open_selector
from scenemind.reasoning.sentence import check_sentence

_NOTHING = Selection(())


def register(app: typer.Typer) -> None:
    app.command(
        "keyframes",
        epilog='Example: scenemind keyframes "what is on the desk?" --memory kitchen'
        " --selector objects --pictures frames",
    )(_keyframes)


def _keyframes(
    question: Annotated[str, typer.Argument(help="In plain words.")],
    memory: MemoryName = "current",
    live: Live = False,
    frames: Annotated[
        int | None,
        typer.Option(min=1, max=32, help="How many; else memtree.frames.", show_default=False),
    ] = None,
    selector: SelectorName = "",
    model: ModelName = "",
    endpoint: Endpoint = "",
    timeout: Timeout = 60.0,
    pictures: Pictures = None,
    record: Record = None,
    replay: Replay = None,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Choose the stored frames that help to answer a question, best first."""
    if live:
        refuse_own_models(model=model, endpoint=endpoint, record=record, replay=replay)
    settings = with_models(
        SceneMindConfig.load(config) if config else SceneMindConfig(),
        model=model,
        endpoint=endpoint,
        selector=selector,
        frames=frames,
        record=record,
        replay=replay,
    )
    if live:
        run_live(
            "key_frames",
            question,
            selector=selector,
            count=settings.memtree.frames,
            timeout_s=timeout,
            pictures=None if pictures is None else str(pictures.absolute()),
            as_json=as_json,
        )
    query = Query(question)
    with (
        read_memory(memory, memory_root, settings) as place,
        open_models(settings.models) as opened,
    ):
        chosen = with_progress(
            lambda asking: _choose(query, place, opened, settings, asking),
            opened.allowance(timeout),
        )
        snapshot, path = place.snapshot(), place.trajectory()
    show_chosen(chosen, snapshot, path, pictures, as_json)
    exit_with(chosen.failure)


def _choose(
    query: Query, memory: MemoryAccess, models: Models, settings: SceneMindConfig, asking: Asking
) -> Chosen:
    start = time.perf_counter()
    memtree = settings.memtree

    def select() -> Selection:
        check_sentence(query)
        detector = open_detector(settings.detector)
        selector = open_selector(memtree.selector, models, memtree, detector)
        return selector.select(query, memory, memtree.frames, asking)

    tried = attempt(memtree.selector, select)
    return Chosen(
        query,
        tried.reply or _NOTHING,
        memtree.selector,
        time.perf_counter() - start,
        asking.allowance.used,
        tried.failure,
    )
