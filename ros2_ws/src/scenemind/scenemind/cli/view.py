"""`scenemind view`: a memory in the browser, to look at, ask and correct."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from scenemind.cli.options import (
    ConfigFile,
    Endpoint,
    MemoryName,
    MemoryRoot,
    ModelName,
    Timeout,
    load_settings,
    refuse_with_live,
    stored_path,
    takes,
)
from scenemind.composition import Reasoner
from scenemind.memory import SharedMemory
from scenemind.reasoning import Asking, make_ready
from scenemind.reasoning.dialogue import Dialogues
from scenemind.ros_environment import ros_environment
from scenemind.viewer.browser_view import ViewOptions, show_view

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class ViewCommandOptions:
    """Options of `scenemind view`."""

    memory: MemoryName = "current"
    live: Annotated[
        bool, typer.Option("--live", help="Show the memory of running nodes, over ROS.")
    ] = False
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the view; 0: any free one.")
    ] = 8080
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on. With another than this machine's own, such as 0.0.0.0,"
            " --link is always on."
        ),
    ] = "127.0.0.1"
    link: Annotated[
        bool,
        typer.Option(
            "--link",
            help="Each printed address lets one browser in; else all users of this machine may"
            " look and correct.",
        ),
    ] = False
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open a browser, where there is a display."),
    ] = True
    points: Annotated[
        int,
        typer.Option(
            min=1000,
            help="Most points, or triangles of the surface; take fewer without a graphics card.",
        ),
    ] = 500_000
    surface: Annotated[
        bool,
        typer.Option(
            "--surface/--no-surface",
            help="Draw the place as a surface, where Open3D is installed; else as points.",
        ),
    ] = True
    read_only: Annotated[
        bool,
        typer.Option("--read-only", help="Refuse corrections."),
    ] = False
    model: ModelName = ""
    endpoint: Endpoint = ""
    timeout: Timeout = 120.0
    config: ConfigFile = None
    memory_root: MemoryRoot = None


@app.command("view", epilog="Example: scenemind view --memory kitchen")
@takes(ViewCommandOptions)
def _view(options: ViewCommandOptions) -> None:
    """Look at a memory in the browser: click on objects, ask, and correct."""
    shown = ViewOptions(
        options.host,
        options.port,
        options.browser,
        options.points,
        needs_link=options.link,
        surface=options.surface,
    )
    if options.live:
        refuse_with_live(
            model=options.model,
            endpoint=options.endpoint,
            config=options.config,
            read_only=options.read_only,
        )
        _view_nodes(shown, options.timeout)
    settings = load_settings(options.config, model=options.model, endpoint=options.endpoint)
    folder = stored_path(options.memory, options.memory_root)
    with (
        SharedMemory(folder, settings, read_only=options.read_only) as memory,
        closing(Reasoner(settings)) as reasoner,
    ):
        make_ready()
        dialogues = Dialogues(settings.synergai.dialogues, settings.synergai.turns)
        show_view(
            shown,
            f"SceneMind: {options.memory}",
            memory,
            reasoner.router(memory, dialogues=dialogues),
            lambda: Asking(reasoner.allowance(options.timeout)),
        )


def _view_nodes(options: ViewOptions, timeout_s: float) -> None:
    """Replace this process by one in the ROS environment."""
    request = {**asdict(options), "timeout_s": timeout_s}
    command = [sys.executable, "-m", "scenemind_ros.commands.live_view", json.dumps(request)]
    os.execve(command[0], command, ros_environment())
