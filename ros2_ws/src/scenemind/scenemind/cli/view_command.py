"""`scenemind view`: a memory in the browser, to look at, ask and correct."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.asking.methods import opened_methods
from scenemind.cli.asking.model_options import (
    Endpoint,
    ModelName,
    Timeout,
    refuse_own_models,
    with_models,
)
from scenemind.cli.memories import open_memory, read_memory
from scenemind.cli.options import ConfigFile, MemoryRoot
from scenemind.cli.output import progress_console
from scenemind.cli.ros_environment import ros_environment
from scenemind.cli.viewing import ViewOptions, show_view
from scenemind.config import SceneMindConfig
from scenemind.memory import Memory, ReadOnlyMemory, SceneMemoryError
from scenemind.reasoning import Asking, Router
from scenemind.reasoning.dialogue import Dialogues

_TO_READ = "it is open to be read: corrections are refused"


def register(app: typer.Typer) -> None:
    app.command("view", epilog="Example: scenemind view kitchen")(_view)


def _view(
    memory: Annotated[str, typer.Argument(help="Name of the memory.")] = "current",
    live: Annotated[
        bool, typer.Option("--live", help="Show what running nodes map, over ROS.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where browsers find it; 0: any that is free.")
    ] = 8080,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on. With another than this machine's own, such as 0.0.0.0, a"
            " token is made that the address names."
        ),
    ] = "127.0.0.1",
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open a browser, where there is a display."),
    ] = True,
    points: Annotated[
        int,
        typer.Option(min=1000, help="Of the cloud at most; fewer where there is no graphics card."),
    ] = 500_000,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Take no corrections; others may read it too.")
    ] = False,
    model: ModelName = "",
    endpoint: Endpoint = "",
    timeout: Timeout = 120.0,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
) -> None:
    """Look at a mapped place in the browser: click a thing, ask, correct, fly to what was seen."""
    options = ViewOptions(host, port, browser, points)
    if live:
        refuse_own_models(model=model, endpoint=endpoint, config=config, read_only=read_only)
        _view_nodes(options, timeout)
    settings = with_models(
        SceneMindConfig.load(config) if config else SceneMindConfig(),
        model=model,
        endpoint=endpoint,
    )
    with (
        _opened(memory, memory_root, settings, read_only=read_only) as place,
        opened_methods(settings) as (models, methods),
    ):
        dialogues = Dialogues(settings.synergai.dialogues, settings.synergai.turns)
        router = Router(place, settings.relations, methods, dialogues=dialogues)
        show_view(
            options,
            f"SceneMind: {memory}",
            place,
            router,
            lambda: Asking(models.allowance(timeout)),
        )


def _opened(
    name: str, root: Path | None, settings: SceneMindConfig, *, read_only: bool
) -> Memory | ReadOnlyMemory:
    """To be corrected where nobody else has it open, else to be read, which is said."""
    if not read_only:
        try:
            return open_memory(name, root, settings)
        except SceneMemoryError as in_use:
            place = read_memory(name, root, settings)  # or the reason why it cannot be read either
            progress_console().print(f"{in_use}; {_TO_READ}", markup=False, soft_wrap=True)
            return place
    return read_memory(name, root, settings)


def _view_nodes(options: ViewOptions, timeout_s: float) -> None:
    """In place of this process one that speaks ROS."""
    request = {**asdict(options), "timeout_s": timeout_s}
    command = [sys.executable, "-m", "scenemind_ros.commands.live_view", json.dumps(request)]
    os.execve(command[0], command, ros_environment())
