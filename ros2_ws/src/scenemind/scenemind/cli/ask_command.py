"""`scenemind ask`: a question in, a sentence out."""

from __future__ import annotations

from typing import Annotated

import typer

from scenemind.cli.asking.answers import exit_with, show_answer
from scenemind.cli.asking.methods import opened_methods
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
from scenemind.cli.asking.photographs import (
    DepthModel,
    DetectorOfPhoto,
    Photo,
    ask_photograph,
    refuse_with_photograph,
    refuse_without_photograph,
    with_photograph,
)
from scenemind.cli.asking.progress import with_progress
from scenemind.cli.live import run_live
from scenemind.cli.memories import read_memory
from scenemind.cli.options import AsJson, ConfigFile, Live, MemoryName, MemoryRoot
from scenemind.config import SceneMindConfig
from scenemind.reasoning import Policy, Query, Router
from scenemind.reasoning.method_choice import BUILT_METHODS


def register(app: typer.Typer) -> None:
    app.command(
        "ask", epilog='Example: scenemind ask "how many chairs are there?" --memory kitchen'
    )(_ask)


def _ask(
    question: Annotated[str, typer.Argument(help="In plain words.")],
    memory: MemoryName = "current",
    live: Live = False,
    situation: Annotated[str, typer.Option(help='Such as "I am facing the window".')] = "",
    method: Annotated[
        str,
        typer.Option(
            help=f"Who answers: {', '.join(BUILT_METHODS)}. auto: symbolic, and where that cannot,"
            " llm_tpc or memtree by the question, where a model is named."
        ),
    ] = "auto",
    policy: Annotated[
        Policy,
        typer.Option(
            help="Where nothing that was seen answers it: say what is likely, fail rather than"
            " guess, or guess."
        ),
    ] = "balanced",
    model: ModelName = "",
    endpoint: Endpoint = "",
    selector: SelectorName = "",
    timeout: Timeout = 60.0,
    pictures: Pictures = None,
    photo: Photo = None,
    detector: DetectorOfPhoto = "",
    depth_model: DepthModel = "",
    record: Record = None,
    replay: Replay = None,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Ask about a mapped place, or a photograph. An interrupt (Ctrl-C) takes the question back.

    Keys of models stand in the environment: OPENAI_API_KEY for OpenAI's own, else the variable
    that key_variable names.
    """
    if photo is None:
        refuse_without_photograph(detector=detector, depth_model=depth_model)
    else:
        refuse_with_photograph(selector=selector)
    if live:
        refuse_own_models(
            model=model,
            endpoint=endpoint,
            selector=selector,
            record=record,
            replay=replay,
            photo=photo,
        )
        run_live(
            "ask",
            question,
            situation=situation,
            method=method,
            policy=policy,
            timeout_s=timeout,
            pictures=None if pictures is None else str(pictures.absolute()),
            as_json=as_json,
        )
    settings = with_models(
        SceneMindConfig.load(config) if config else SceneMindConfig(),
        model=model,
        endpoint=endpoint,
        selector=selector,
        record=record,
        replay=replay,
    )
    query = Query(question, situation, policy=policy)
    if photo is not None:
        ask_photograph(
            photo,
            query,
            with_photograph(settings, detector, depth_model),
            method=method,
            timeout_s=timeout,
            pictures=pictures,
            as_json=as_json,
        )
        return
    with (
        read_memory(memory, memory_root, settings) as place,
        opened_methods(settings) as (opened, methods),
    ):
        router = Router(place, settings.relations, methods)
        answer = with_progress(
            lambda asking: router.ask(query, method, asking), opened.allowance(timeout)
        )
        snapshot, path = place.snapshot(), place.trajectory()
    show_answer(answer, snapshot, path, pictures, as_json)
    exit_with(answer.failure)
