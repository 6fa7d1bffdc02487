"""The command, and what is typed with it."""

from __future__ import annotations

from typing import Annotated

import typer

from scenemind.cli.bench.named import bench_named
from scenemind.cli.bench.result_table import show_result
from scenemind.cli.options import AsJson


def register(app: typer.Typer) -> None:
    app.command("view", epilog="Example: scenemind bench view --no-browser --json")(_view)


def _view(
    objects: Annotated[int, typer.Option(min=1, help="Things in a simulated building.")] = 500,
    points: Annotated[int, typer.Option(min=1, help="Of the cloud.")] = 500_000,
    rounds: Annotated[int, typer.Option(min=1, help="How often each thing is measured.")] = 10,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Measure in Chromium too, where one is here."),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Look at a simulated building as `scenemind view` shows it.

    Milliseconds are medians. "server": until a client without a browser has everything (client_s,
    client_mb), the name of what is marked, the new name that somebody said, and one that others
    gave, for which the memory is looked at twice a second. "browser": in a headless Chromium, which
    draws without a graphics card.
    """
    measured = bench_named("view")(objects, points, rounds, in_browser=browser)
    show_result("view", measured, as_json)
