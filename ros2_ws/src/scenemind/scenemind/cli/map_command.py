"""`scenemind map`: a recording in, a memory out."""

from __future__ import annotations

import time
from itertools import islice
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from scenemind.cli.detector import choose_detector
from scenemind.cli.memories import new_memory
from scenemind.cli.options import AsJson, ConfigFile, DetectorName, MemoryName, MemoryRoot
from scenemind.cli.output import (
    object_counts,
    object_json,
    print_json,
    print_objects,
    progress_console,
)
from scenemind.config import SceneMindConfig
from scenemind.frames import RecordedSequence, read_sequence
from scenemind.mapping import Mapper, MapperReport, map_all
from scenemind.simulation import open_source

_COUNT_EVERY = 10  # frames: making a snapshot in each would take part of their time


def register(app: typer.Typer) -> None:
    app.command("map", epilog="Example: scenemind map recordings/kitchen --memory kitchen")(_map)


def _map(
    sequence: Annotated[str, typer.Argument(help="Folder, bag, or sim:1, sim:2, ...")],
    memory: MemoryName = "current",
    detector: DetectorName = None,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    replace: Annotated[bool, typer.Option(help="Forget a memory of this name.")] = False,
    extend: Annotated[bool, typer.Option(help="Go on with a memory of this name.")] = False,
    frames: Annotated[int, typer.Option(min=0, help="Stop after so many; 0: all.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Map a recorded sequence into a memory."""
    settings = SceneMindConfig.load(config) if config else SceneMindConfig()
    source = open_source(sequence)
    settings, model = choose_detector(settings, source, detector)
    console = progress_console()
    console.print(f"{source.name}: {len(source)} frames, detector: {model.name}")

    with new_memory(memory, memory_root, settings, extend=extend, replace=replace) as place:
        mapper = Mapper(model, place, settings)
        start = time.perf_counter()
        processed = _process(mapper, source, frames or len(source))
        seconds = time.perf_counter() - start
        snapshot = place.snapshot()
        path = place.path

    stages = {name: round(s.median_ms, 3) for name, s in mapper.timings.stats().items()}
    dropped = dict(source.drops)
    if as_json:
        print_json(
            {
                "sequence": source.name,
                "detector": model.name,
                "memory": str(path),
                "frames": processed,
                "dropped": dropped,
                "failed_detections": mapper.failed_detections,
                "seconds": round(seconds, 3),
                "stages_ms": stages,
                "objects": [object_json(obj) for obj in snapshot.objects.values()],
                "gone": [object_json(obj) for obj in snapshot.gone.values()],
            }
        )
        return
    print_objects(snapshot.objects.values())
    causes = ", ".join(f"{count} {cause}" for cause, count in dropped.items() if count)
    print(f"{processed} frames processed, {sum(dropped.values())} dropped {causes}".rstrip())
    print(f"{object_counts(snapshot)}, {processed / seconds:.1f} frames/s, detector: {model.name}")
    print(f"median ms: {', '.join(f'{name} {ms:.1f}' for name, ms in stages.items())}")
    print(f"saved in {path}")


def _process(mapper: Mapper, source: RecordedSequence, limit: int) -> int:
    """Map up to `limit` frames; returns how many there were."""
    columns = (
        TextColumn("mapping"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.1f} frames/s, {task.fields[objects]} objects"),
        TimeRemainingColumn(),
    )
    start = time.perf_counter()
    count = 0
    with Progress(*columns, console=progress_console(), transient=True) as progress:
        task = progress.add_task("", total=min(limit, len(source)), rate=0.0, objects=0)

        def show(_report: MapperReport) -> None:
            nonlocal count
            count += 1
            progress.update(task, completed=count, rate=count / (time.perf_counter() - start))
            if count % _COUNT_EVERY == 0:
                progress.update(task, objects=len(mapper.memory.snapshot().objects))

        map_all(mapper, islice(read_sequence(source), limit), show)
    return count
