"""`scenemind bench`: what is measured."""

from __future__ import annotations

import typer

from scenemind.cli.bench import mapping_commands, question_commands, visual_retrieval
from scenemind.cli.bench.named import bench_named
from scenemind.cli.bench.result_table import show_result
from scenemind.cli.bench.view import command as view_command
from scenemind.cli.options import AsJson
from scenemind.cli.output import print_json, progress_console

_app = typer.Typer(no_args_is_help=True, help="Measure how fast things are on this machine.")
_ALL = (
    "frame",
    "detect",
    "pipeline",
    "tracking",
    "mapping",
    "relations",
    "keyframes",
    "programs",
    "segment",
    "stitching",
    "grounding",
    "view",
    "disk",
    "transport",
)


def register(app: typer.Typer) -> None:
    for part in (mapping_commands, question_commands):
        _app.add_typer(part.app)
    view_command.register(_app)
    visual_retrieval.register(_app)
    app.add_typer(_app, name="bench")


@_app.command("all", epilog="Example: scenemind bench all --json")
def _all(as_json: AsJson = False) -> None:
    """Run every benchmark with its defaults; one JSON object by name with --json."""
    results = {}
    for name in _ALL:
        progress_console().print(f"measuring {name} ...")
        results[name] = bench_named(name)()
        if not as_json:
            show_result(name, results[name], as_json=False)
    if as_json:
        print_json(results)
