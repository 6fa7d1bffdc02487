"""The command `scenemind`."""

from __future__ import annotations

import logging
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from scenemind.cli import (
    align_command,
    ask_command,
    demo_command,
    describe_command,
    detector_command,
    eval_command,
    find_command,
    ground_command,
    keyframes_command,
    map_command,
    memory_command,
    models_command,
    play_command,
    segmenter_command,
    up_command,
    view_command,
    vocabulary_command,
)
from scenemind.cli.bench import command as bench_command
from scenemind.cli.changes import command as changes_command
from scenemind.cli.corrections import command as corrections_command
from scenemind.cli.doctor import command as doctor_command
from scenemind.cli.errors import USER_ERRORS
from scenemind.cli.graph import command as graph_command
from scenemind.cli.learning import command as learn_command


class _Commands(TyperGroup):
    """Errors that a person can mend become one sentence on standard error."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except USER_ERRORS as error:
            print(f"scenemind: {error}", file=sys.stderr)
            raise typer.Exit(1) from error


app = typer.Typer(
    cls=_Commands,
    help="Map places with an RGB-D camera, remember them, and ask about them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _module in (
    demo_command,
    map_command,
    memory_command,
    ask_command,
    ground_command,
    keyframes_command,
    find_command,
    changes_command,
    align_command,
    graph_command,
    view_command,
    corrections_command,
    up_command,
    play_command,
    vocabulary_command,
    detector_command,
    segmenter_command,
    models_command,
    describe_command,
    learn_command,
    doctor_command,
    bench_command,
    eval_command,
):
    _module.register(app)


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
