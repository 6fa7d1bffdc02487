"""Options of commands that may ask language and vision models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.errors import CommandError
from scenemind.config import SceneMindConfig

ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        help="Language model, which sees pictures too where models.vision names no other; else"
        " models.language.model.",
        show_default=False,
    ),
]
Endpoint = Annotated[
    str,
    typer.Option(
        help="Its server, which speaks OpenAI's protocol, such as http://localhost:11434/v1; else"
        " models.language.endpoint.",
        show_default=False,
    ),
]
Timeout = Annotated[
    float, typer.Option("--timeout", min=0.1, help="Seconds that the whole question may take.")
]
SelectorName = Annotated[
    str,
    typer.Option(
        "--selector",
        help="Who chooses the frames: tree (a language model, MemTree3D's way), objects (those that"
        " the question names, no model); to compare: uniform, retrieval, detector; else"
        " memtree.selector.",
        show_default=False,
    ),
]
Record = Annotated[
    Path | None,
    typer.Option(help="Add every exchange with models to this file.", show_default=False),
]
Replay = Annotated[
    Path | None,
    typer.Option(
        help="Let this recording answer in place of models; no network is used.",
        show_default=False,
    ),
]
Pictures = Annotated[
    Path | None,
    typer.Option(
        help="Write a page of the frames, with boxes, and of where they were taken to this folder.",
        show_default=False,
    ),
]


def with_models(
    settings: SceneMindConfig,
    *,
    model: str = "",
    endpoint: str = "",
    selector: str = "",
    frames: int | None = None,
    record: Path | None = None,
    replay: Path | None = None,
) -> SceneMindConfig:
    """The settings with what was typed; what was not stays as it is.

    Raises:
        ConfigError: an impossible value, such as a selector that does not exist.
        CommandError: an endpoint without a model to ask there.
    """
    if endpoint and not (model or settings.models.language.model):
        raise CommandError(f"no model is named to ask at {endpoint}: say --model NAME")
    typed: dict[tuple[str, ...], dict[str, object]] = {
        ("models", "language"): {"model": model, "endpoint": endpoint},
        ("models",): {"record": str(record or ""), "replay": str(replay or "")},
        ("memtree",): {"selector": selector, "frames": frames},
    }
    tree = settings.model_dump()
    for path, values in typed.items():
        section = tree
        for name in path:
            section = section[name]
        section.update({name: value for name, value in values.items() if value})
    return SceneMindConfig.from_nested(tree, source="the command line")


def refuse_own_models(**typed: object) -> None:
    """With --live.

    Args:
        typed: option -> its value; those that are not empty are refused.

    Raises:
        CommandError: there is one.
    """
    named = [f"--{name}" for name, value in typed.items() if value]
    if named:
        raise CommandError(
            f"running nodes have models of their own: --live takes no {', '.join(named)}; set"
            " models and memtree in the node's parameters"
        )
