"""`scenemind map`: map a recording into a memory."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from math import degrees
from typing import Annotated

import typer

import scenemind as sm
from scenemind.cli.options import (
    AsJson,
    ConfigFile,
    DetectorName,
    MemoryName,
    MemoryRoot,
    load_settings,
    memory_path,
    named_detector,
    same_memory,
    takes,
)
from scenemind.composition import is_memory
from scenemind.errors import SceneMemoryError, UsageError
from scenemind.memory.frame_corrections import yaw_of
from scenemind.report.terminal import (
    mapping_progress,
    object_counts,
    object_json,
    print_json,
    print_objects,
    progress_console,
)
from scenemind.simulation import open_source
from scenemind.untrusted import say

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class MapOptions:
    """Options of `scenemind map`."""

    recording: Annotated[str, typer.Argument(help="Folder, bag, or sim:1, sim:2, ...")]
    memory: MemoryName = "current"
    detector: DetectorName = None
    config: ConfigFile = None
    memory_root: MemoryRoot = None
    replace: Annotated[bool, typer.Option(help="Delete a memory of this name first.")] = False
    extend: Annotated[bool, typer.Option(help="Add to a memory of this name.")] = False
    relocate: Annotated[
        bool,
        typer.Option(help="With --extend: poses have another origin; find the place first."),
    ] = False
    shift_clock: Annotated[
        bool,
        typer.Option(
            "--shift-clock",
            help="With --extend: if its clock began anew, take it to begin ten minutes after the"
            " last frame that is mapped.",
        ),
    ] = False
    frames: Annotated[int, typer.Option(min=0, help="Number of frames; 0: all.")] = 0
    as_json: AsJson = False


@app.command(
    "map",
    epilog="Example: scenemind map recordings/kitchen --detector yolox_s.onnx --memory kitchen",
)
@takes(MapOptions)
def _map(options: MapOptions) -> None:
    """Map a recording into a memory."""
    settings = load_settings(options.config)
    source = open_source(options.recording)
    settings, model = named_detector(settings, source, options.detector)
    progress_console().print(f"{source.name}: {len(source)} frames")

    folder = memory_path(options.memory, options.memory_root)
    if is_memory(folder) and not (options.replace or options.extend):
        raise UsageError(
            f"there is a memory {folder.name} in {folder.parent} already: choose another --memory,"
            " or say --replace to forget it, or --extend to go on with it"
        )
    if options.relocate and not (is_memory(folder) and options.extend):
        raise UsageError("--relocate looks for the place in a memory that is there: say --extend")
    if is_memory(folder) and options.extend:
        opened = sm.open(folder, detector=model, config=settings, relocate=options.relocate)
    else:
        opened = sm.create(folder, detector=model, config=settings, replace=options.replace)
    with opened as scene:
        limit = options.frames or len(source)
        total = min(limit, len(source))
        with mapping_progress(total, lambda: len(scene.objects)) as on_frame:
            mapped = scene.map(
                source, frames=limit, on_frame=on_frame, shift_clock=options.shift_clock
            )
        snapshot, loops = scene.snapshot, scene.loops
        if not scene.is_located:
            raise SceneMemoryError(
                f"{folder.name} is as it was, since the place of {source.name} in it was not found:"
                f" {scene.why_not_located}. Map it into a memory of its own, without --extend"
            )
        if scene.world_T_poses is not None:
            x, y, _ = scene.world_T_poses.translation.tolist()
            progress_console().print(
                f"located: the origin of {source.name} lies at x {x:.2f}, y {y:.2f} m, turned by"
                f" {degrees(yaw_of(scene.world_T_poses.matrix())):.0f} degrees"
            )

    stages = {name: round(ms, 3) for name, ms in mapped.stage_ms.items()}
    if options.as_json:
        print_json(
            {
                "recording": source.name,
                "detector": model.name,
                "memory": str(folder),
                "frames": mapped.frames,
                "dropped": mapped.dropped,
                "failed_detections": mapped.failed_detections,
                "seconds": round(mapped.seconds, 3),
                "stages_ms": stages,
                "loops": None if loops is None else asdict(loops),
                "objects": [object_json(obj) for obj in snapshot.objects.values()],
                "gone": [object_json(obj) for obj in snapshot.gone.values()],
            }
        )
        return
    print_objects(snapshot.objects.values())
    causes = ", ".join(f"{count} {cause}" for cause, count in mapped.dropped.items() if count)
    dropped = sum(mapped.dropped.values())
    say(f"{mapped.frames} frames processed, {dropped} dropped {causes}".rstrip())
    rate = mapped.frames / mapped.seconds
    say(f"{object_counts(snapshot)}, {rate:.1f} frames/s, detector: {model.name}")
    if loops is not None and loops.applied:
        say(
            f"{loops.found} loops closed: poses moved by up to {loops.largest_m:.2f} m and"
            f" {loops.largest_deg:.1f} degrees"
        )
    say(f"median ms: {', '.join(f'{name} {ms:.1f}' for name, ms in stages.items())}")
    say(f"saved in {folder}")
    again = same_memory(options.memory, options.memory_root)
    if not snapshot.objects:
        least = settings.object_map.confirm_observations
        say(
            f"no object is in the map: one is, once {least} frames show it whole"
            " (object_map.confirm_observations). Map more frames, or ask scenemind doctor"
            f" {options.recording} what is wrong with the recording",
            file=sys.stderr,
        )
        return
    say(f'next: scenemind ask "what do you see?" {again}; scenemind view {again}', file=sys.stderr)
