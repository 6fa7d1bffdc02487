"""`scenemind describe`: ask a vision-language model about the objects of a stored memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from scenemind.cli.asking.model_options import Record, Replay
from scenemind.cli.errors import CommandError
from scenemind.cli.memories import open_memory
from scenemind.cli.options import AsJson, ConfigFile, MemoryRoot
from scenemind.cli.output import print_json, print_table, progress_console
from scenemind.config import DescriptionsConfig, ModelsConfig, SceneMindConfig, Settings
from scenemind.describing import Describer, Embedder, NoteMaker, Tally, seeing_only
from scenemind.memory import Description, Memory, MemorySnapshot
from scenemind.models import open_models
from scenemind.perception.text import make_image_text_encoder

Section = TypeVar("Section", bound=Settings)

# Failures that the next object would meet as well.
_HOPELESS = frozenset(
    (
        "unreachable",
        "rejected",
        "overloaded",
        "over_budget",
        "resting",
        "encoder_failed",
        "disk_failed",
    )
)


def register(app: typer.Typer) -> None:
    app.command(
        "describe",
        epilog="Example: scenemind describe kitchen --endpoint http://localhost:11434/v1"
        " --model qwen2.5vl",
    )(_describe)


def _describe(
    memory: Annotated[str, typer.Argument(help="Name of the memory.")] = "current",
    model: Annotated[str, typer.Option(help="One that sees pictures; else models.vision.")] = "",
    endpoint: Annotated[
        str,
        typer.Option(help="Of a server that speaks OpenAI's protocol; else models.vision's."),
    ] = "",
    per_minute: Annotated[
        float, typer.Option(min=0.0, help="Most questions; 0: descriptions.per_minute.")
    ] = 0.0,
    limit: Annotated[int, typer.Option(min=0, help="Stop after so many objects; 0: all.")] = 0,
    again: Annotated[bool, typer.Option(help="Ask about objects that are described.")] = False,
    record: Record = None,
    replay: Replay = None,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Ask a model that sees images what objects are made of, what state they are in, what they
    are for; and make their image vectors where descriptions.image_encoder is set.

    The key stands in the environment: OPENAI_API_KEY for OpenAI's own model, else the variable
    that models.vision.key_variable names.
    """
    settings = SceneMindConfig.load(config) if config else SceneMindConfig()
    told: dict[str, object] = {"model": model, "endpoint": endpoint}
    files: dict[str, object] = {"record": str(record or ""), "replay": str(replay or "")}
    models = _with(seeing_only(settings.models), files)
    models = _with(models, {"vision": _with(models.vision, told)})
    asked = _with(settings.descriptions, {"per_minute": per_minute})
    if not (models.vision.model or models.replay or asked.image_encoder):
        raise CommandError(
            "no model is named: say --model, or set models.vision.model or"
            " descriptions.image_encoder in the --config file"
        )
    with open_memory(memory, memory_root, settings) as place:
        results = {}
        with _makers(place, asked, models) as makers:
            for what, (maker, every_s) in makers.items():
                results[what] = _make_notes(place, maker, every_s, limit, again)
        place.flush()
        snapshot, descriptions = place.snapshot(), place.descriptions()
    if as_json:
        print_json({"memory": memory, **results, "objects": _objects(snapshot, descriptions)})
    else:
        _print(snapshot, descriptions)
        for what, result in results.items():
            print(f"{what}: {', '.join(f'{count} {name}' for name, count in result.items())}")
    if any(map(_came_to_nothing, results.values())):
        raise typer.Exit(1)


def _with(section: Section, told: Mapping[str, object]) -> Section:
    """With what was typed; what was not stays as it is."""
    return section.model_copy(update={name: value for name, value in told.items() if value})


def _came_to_nothing(result: Mapping[str, int]) -> bool:
    """Some failed, and none was made."""
    failed = {name for name, count in result.items() if count} - {"made", "no_views", "left"}
    return bool(failed) and not result["made"]


@contextmanager
def _makers(
    memory: Memory, config: DescriptionsConfig, models: ModelsConfig
) -> Iterator[dict[str, tuple[NoteMaker, float]]]:
    """What is to be made -> its maker, and the seconds between two questions.

    Raises:
        ModelError: a key is missing.
    """
    with open_models(models) as opened:
        opened.check_keys()
        makers: dict[str, tuple[NoteMaker, float]] = {}
        if opened.vision is not None:
            describer = Describer(memory, opened.vision, config, opened.allowance)
            every_s = 0.0 if models.replay else 60.0 / config.per_minute
            makers["descriptions"] = describer, every_s
        if config.image_encoder:
            encoder = make_image_text_encoder(config.image_encoder)
            makers["embeddings"] = Embedder(memory, encoder, config.views), 0.0
        yield makers


def _make_notes(
    memory: Memory, maker: NoteMaker, every_s: float, limit: int, again: bool
) -> dict[str, int]:
    """Make the notes that are due, with a bar; what became of them."""
    objects = memory.snapshot().objects
    due = maker.due(objects.values())
    if again:
        due = [objects[i] for i in sorted(memory.perceived_ids() & objects.keys())]
    due = due[: limit or None]
    tally = Tally(maker)
    left = len(due)
    name = TextColumn("{task.description}", markup=False)
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=progress_console(), transient=True) as progress:
        for thing in progress.track(due, description=maker.name):
            start_s = time.monotonic()
            outcome = tally.try_one(thing, objects)
            left -= 1
            if outcome in _HOPELESS:
                break
            if left and outcome != "no_views":
                time.sleep(max(0.0, every_s - (time.monotonic() - start_s)))
    counts = tally.counts
    return {"made": counts.made, "no_views": counts.no_views, **counts.failed, "left": left}


def _objects(
    snapshot: MemorySnapshot, descriptions: dict[int, Description]
) -> list[dict[str, Any]]:
    return [
        {"id": i, "label": thing.label, "attributes": dict(descriptions[i].attributes)}
        for i, thing in snapshot.objects.items()
        if i in descriptions
    ]


def _print(snapshot: MemorySnapshot, descriptions: dict[int, Description]) -> None:
    table = Table("id", "label", "material", "state", "caption", box=SIMPLE_HEAD)
    for found in _objects(snapshot, descriptions):
        said = found["attributes"]
        words = (said.get(name, "") for name in ("material", "state", "caption"))
        table.add_row(str(found["id"]), escape(found["label"]), *map(escape, words))
    if table.rows:
        print_table(table)
