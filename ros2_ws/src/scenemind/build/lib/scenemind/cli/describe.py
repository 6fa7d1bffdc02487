"""`scenemind describe`: ask a vision-language model about the objects of a stored memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import scenemind as sm
from scenemind.cli.options import (
    AsJson,
    ConfigFile,
    MemoryName,
    MemoryRoot,
    Record,
    Replay,
    load_settings,
    stored_path,
    takes,
)
from scenemind.config import DescriptionsConfig, ModelsConfig, Settings
from scenemind.describing import Annotator, Describer, Embedder, OutcomeCounter, vision_only
from scenemind.errors import UsageError
from scenemind.memory import Description, Memory, MemorySnapshot
from scenemind.models import open_models
from scenemind.perception.text import make_image_text_encoder
from scenemind.report.terminal import make_table, print_json, print_table, progress_console
from scenemind.untrusted import say

app = typer.Typer()

Section = TypeVar("Section", bound=Settings)
# Failures that would repeat for the next object.
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


@dataclass(frozen=True, kw_only=True)
class DescribeOptions:
    """Options of `scenemind describe`."""

    memory: MemoryName = "current"
    model: Annotated[str, typer.Option(help="Vision model; else models.vision.")] = ""
    endpoint: Annotated[
        str,
        typer.Option(
            help="Server of the model, with OpenAI's protocol; else that of models.vision."
        ),
    ] = ""
    per_minute: Annotated[
        float, typer.Option(min=0.0, help="Questions a minute at most; 0: descriptions.per_minute.")
    ] = 0.0
    limit: Annotated[int, typer.Option(min=0, help="Number of objects; 0: all.")] = 0
    again: Annotated[bool, typer.Option(help="Ask again about described objects.")] = False
    record: Record = None
    replay: Replay = None
    config: ConfigFile = None
    memory_root: MemoryRoot = None
    as_json: AsJson = False


@app.command(
    "describe",
    epilog="Example: scenemind describe --memory kitchen --endpoint http://localhost:11434/v1"
    " --model qwen2.5vl",
)
@takes(DescribeOptions)
def _describe(options: DescribeOptions) -> None:
    """Ask a vision model for the material, state and use of objects.

    Where descriptions.image_encoder is set, image vectors are made too. The key of the model is
    read from the environment: OPENAI_API_KEY for OpenAI's server, else the variable that
    models.vision.key_variable names.
    """
    settings = load_settings(options.config)
    told: dict[str, object] = {"model": options.model, "endpoint": options.endpoint}
    files: dict[str, object] = {
        "record": str(options.record or ""),
        "replay": str(options.replay or ""),
    }
    models = _with(vision_only(settings.models), files)
    models = _with(models, {"vision": _with(models.vision, told)})
    asked = _with(settings.descriptions, {"per_minute": options.per_minute})
    if not (models.vision.model or models.replay or asked.image_encoder):
        raise UsageError(
            "no model is named: say --model, or set models.vision.model or"
            " descriptions.image_encoder in the --config file"
        )
    with sm.open(stored_path(options.memory, options.memory_root), config=settings) as scene:
        place = scene.writable_memory
        results = {}
        with _makers(place, asked, models) as makers:
            for what, (maker, every_s) in makers.items():
                results[what] = _make_notes(place, maker, every_s, options)
        place.flush()
        snapshot, descriptions = place.snapshot(), place.descriptions()
    if options.as_json:
        objects = _objects(snapshot, descriptions)
        print_json({"memory": options.memory, **results, "objects": objects})
    else:
        _print(snapshot, descriptions)
        for what, result in results.items():
            say(f"{what}: {', '.join(f'{count} {name}' for name, count in result.items())}")
    if any(map(_came_to_nothing, results.values())):
        raise typer.Exit(1)


def _with(section: Section, told: Mapping[str, object]) -> Section:
    """The section with the values that are not empty."""
    return section.model_copy(update={name: value for name, value in told.items() if value})


def _came_to_nothing(result: Mapping[str, int]) -> bool:
    """Whether some failed, and none was made."""
    failed = {name for name, count in result.items() if count} - {"made", "no_views", "left"}
    return bool(failed) and not result["made"]


@contextmanager
def _makers(
    memory: Memory, config: DescriptionsConfig, models: ModelsConfig
) -> Iterator[dict[str, tuple[Annotator, float]]]:
    """Makers of notes by name, each with the seconds between two questions.

    Raises:
        ModelError: a key is missing.
    """
    with open_models(models) as opened:
        opened.check_keys()
        makers: dict[str, tuple[Annotator, float]] = {}
        if opened.vision is not None:
            describer = Describer(memory, opened.vision, config, opened.allowance)
            every_s = 0.0 if models.replay else 60.0 / config.per_minute
            makers["descriptions"] = describer, every_s
        if config.image_encoder:
            encoder = make_image_text_encoder(config.image_encoder)
            makers["embeddings"] = Embedder(memory, encoder, config.views), 0.0
        yield makers


def _make_notes(
    memory: Memory, maker: Annotator, every_s: float, options: DescribeOptions
) -> dict[str, int]:
    """Make the notes that are due, with a progress bar; returns counts by outcome."""
    objects = memory.snapshot().objects
    due = maker.due(objects.values())
    if options.again:
        due = [objects[i] for i in sorted(memory.perceived_ids() & objects.keys())]
    due = due[: options.limit or None]
    tally = OutcomeCounter(maker)
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
    table = make_table("id", "label", "material", "state", "caption", right="id")
    for found in _objects(snapshot, descriptions):
        said = found["attributes"]
        words = (said.get(name, "") for name in ("material", "state", "caption"))
        table.add_row(str(found["id"]), escape(found["label"]), *map(escape, words))
    if table.rows:
        print_table(table)
