"""The command `scenemind`."""

from __future__ import annotations

import logging
import sys
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from scenemind.errors import SceneMindError

# By name, in the order of --help: the module whose `register` adds it. One is imported when it is
# asked for: all together they take two seconds.
_MODULES = {
    "demo": "demo_command",
    "convert": "convert_command",
    "map": "map_command",
    "memory": "memory_command",
    "ask": "ask_command",
    "ground": "ground_command",
    "keyframes": "keyframes_command",
    "find": "find_command",
    "changes": "changes.command",
    "align": "align_command",
    "graph": "graph.command",
    "view": "view_command",
    "corrections": "corrections.command",
    "up": "up_command",
    "play": "play_command",
    "vocabulary": "vocabulary_command",
    "detector": "detector_command",
    "segmenter": "segmenter_command",
    "models": "models_command",
    "describe": "describe_command",
    "learn": "learning.command",
    "doctor": "doctor.command",
    "bench": "bench.command",
    "eval": "evaluating.command",
}


class _Commands(TyperGroup):
    """Errors that a person can mend become one sentence on standard error."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = dict.fromkeys(_MODULES)  # names, for --help and "did you mean"

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        del ctx
        return _loaded(cmd_name) if cmd_name in _MODULES else None

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (SceneMindError, PermissionError) as error:
            print(f"scenemind: {error}", file=sys.stderr)
            raise typer.Exit(1) from error


@cache
def _loaded(name: str) -> Any:
    """The command of that name."""
    alone = typer.Typer()
    import_module(f"scenemind.cli.{_MODULES[name]}").register(alone)
    return get_group(alone).commands[name]


app = typer.Typer(
    cls=_Commands,
    help="Map places with an RGB-D camera, remember them, and ask about them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _configure_logging(
    verbose: bool = typer.Option(False, "--verbose", "-v", help="Log more, on standard error."),
) -> None:
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.WARNING,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    logging.getLogger("openai").setLevel(logging.INFO)  # below, it prints whole images


def main() -> None:
    app()


if __name__ == "__main__":
    main()
