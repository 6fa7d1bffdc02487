"""The command `scenemind`. Each command is imported when it is used, so that help is quick."""

from __future__ import annotations

import logging
import sys
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from scenemind.errors import SceneMindError
from scenemind.garbage import exempt_from_collection


class _Entry(NamedTuple):
    """One line of `scenemind --help`: its panel, the module with the command, and its summary."""

    panel: str
    module: str
    summary: str


_COMMANDS = {
    "map": _Entry("Map", "map", "Map a recording into a memory."),
    "convert": _Entry("Map", "convert", "Write a recording as a rosbag2 bag."),
    "memory": _Entry("Map", "memory", "List, copy, check, repair and delete memories."),
    "ask": _Entry("Ask", "ask", "Ask about a mapped place, or a photograph."),
    "ground": _Entry("Ask", "ground", "Find the objects that a phrase describes."),
    "approach": _Entry("Robot", "approach", "Find where to stand to look at a thing, or reach it."),
    "find": _Entry("Ask", "find", "Find objects by label, synonym, attribute or spelling."),
    "keyframes": _Entry("Ask", "keyframes", "Choose the stored frames that answer a question."),
    "graph": _Entry("Ask", "graph", "Show the scene graph, draw it, or export it."),
    "changes": _Entry("Ask", "changes", "Show what differs between two moments or memories."),
    "mesh": _Entry("Ask", "mesh", "Write the surface of a place as PLY or GLB."),
    "view": _Entry("Ask", "view", "Look at a memory in the browser, ask and correct."),
    "align": _Entry("Correct", "align", "Correct a memory in plain words."),
    "corrections": _Entry("Correct", "corrections", "List, undo, move and repeat corrections."),
    "demo": _Entry("Robot", "demo", "Run the nodes on a recording, and write a report."),
    "up": _Entry("Robot", "nodes", "Start the mapping and reasoning nodes."),
    "play": _Entry("Robot", "nodes", "Publish a recording on the camera topics."),
    "doctor": _Entry("Robot", "doctor", "Check a recording or the running camera."),
    "vocabulary": _Entry("Models", "detectors", "Show and set the words that detectors look for."),
    "detector": _Entry("Models", "detectors", "Export detectors to run without torch."),
    "segmenter": _Entry("Models", "detectors", "Export segmenters to run without torch."),
    "models": _Entry("Models", "models", "Show language and vision models, and check them."),
    "describe": _Entry("Models", "describe", "Let a vision model describe a memory's objects."),
    "inventory": _Entry("Models", "inventory", "Let a vision model name what has no object yet."),
    "learn": _Entry("Models", "learn", "Let a model write methods for the programs of answers."),
    "bench": _Entry("Measure", "bench", "Measure how fast mapping is on this machine."),
    "eval": _Entry("Measure", "eval", "Score a method on a benchmark."),
}


class SentenceErrors(TyperGroup):
    """Commands whose errors, where a person can mend them, are one sentence on standard error."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (SceneMindError, PermissionError) as error:
            from scenemind.untrusted import entry, say

            say(entry(f"scenemind: {error}"), file=sys.stderr)
            raise typer.Exit(1) from error
        except Exception as error:
            # The class of Typer's errors of usage is not public.
            message = getattr(error, "message", "")
            if getattr(getattr(error, "param", None), "name", "") == "memory" and not message:
                error.message = "Memories are named by --memory NAME."  # type: ignore[attr-defined]
            if "unexpected extra argument" in message:
                error.message = (  # type: ignore[attr-defined]
                    f"{message}. Memories are named by --memory; a question stands in quotes."
                )
            raise


class _Commands(SentenceErrors):
    """The commands by name; those that are only listed are not imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = {
            name: TyperCommand(name, help=entry.summary, rich_help_panel=entry.panel)
            for name, entry in _COMMANDS.items()
        }

    def resolve_command(self, ctx: Any, args: Any) -> Any:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, None if listed is None else _imported(listed.name), rest


@cache
def _imported(name: str) -> Any:
    """The command itself: `app` of its module has it under its name."""
    with exempt_from_collection():
        module = import_module(f"scenemind.cli.{_COMMANDS[name].module}")
    return get_group(module.app).commands[name]


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        print(f"scenemind {version('scenemind')}")
        raise typer.Exit


app = typer.Typer(
    cls=_Commands,
    help="Map places with an RGB-D camera, remember them, and ask about them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _set_up(
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log more, on standard error.")
    ] = False,
    version: Annotated[  # noqa: ARG001 - `_print_version` does it, before any command is looked at
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    from scenemind.untrusted import PrintableFormatter  # a list of commands needs nothing

    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.WARNING,
        stream=sys.stderr,
    )
    for handler in logging.getLogger().handlers:
        handler.setFormatter(PrintableFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.getLogger("openai").setLevel(logging.INFO)  # below, it prints whole images


def main() -> None:
    app()


if __name__ == "__main__":
    main()
