"""`scenemind bench`: from a camera into memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.bench.named import bench_named
from scenemind.cli.bench.result_table import show_result
from scenemind.cli.options import AsJson

app = typer.Typer()
_FRAMES_PER_HOUR = 3600 * 30
_Objects = Annotated[int, typer.Option(min=0, help="How many objects the map knows.")]


@app.command("frame", epilog="Example: scenemind bench frame --objects 2000 --json")
def _frame(
    objects: _Objects = 200,
    frames: Annotated[int, typer.Option(min=1, help="How many frames to map.")] = 600,
    hours: Annotated[
        float | None,
        typer.Option(min=0.0, help="Camera time at 30 Hz instead of frames.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Map simulated 640x480 frames with about 20 detections, on one core.

    Milliseconds are medians of everything but the detector.
    """
    if hours is not None:
        frames = max(1, round(hours * _FRAMES_PER_HOUR))
    show_result("frame", bench_named("frame")(objects, frames), as_json)


@app.command("detect", epilog="Example: scenemind bench detect --json")
def _detect(
    seconds: Annotated[float, typer.Option(min=0.1, help="How long for each model.")] = 3.0,
    as_json: AsJson = False,
) -> None:
    """Detect in simulated 640x480 frames, with every model and runtime that is here.

    Models "with random weights" have the architecture and the speed of trained ones.
    """
    show_result("detect", bench_named("detect")(seconds), as_json)


@app.command("pipeline", epilog="Example: scenemind bench pipeline --detector yoloe-26n-seg")
def _pipeline(
    detector: Annotated[
        str,
        typer.Option(
            help="yoloe-26n-seg or yolo-world-s (random weights), simulated, or an ONNX file.",
            show_default="yoloe-26n-seg where it can run, else simulated",
        ),
    ] = "",
    seconds: Annotated[float, typer.Option(min=0.1, help="How long at each speed.")] = 20.0,
    as_json: AsJson = False,
) -> None:
    """Detect and map simulated 640x480 frames: first as many as go, then 30 a second.

    Milliseconds are from a frame's arrival until it is in memory, at 30 a second.
    """
    show_result("pipeline", bench_named("pipeline")(detector, seconds), as_json)


@app.command("disk", epilog="Example: scenemind bench disk --seconds 20")
def _disk(
    seconds: Annotated[
        float, typer.Option(min=1.0, help="Camera time at 30 Hz for each policy.")
    ] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Map simulated 640x480 frames under each policy of which images stay on disk."""
    show_result("disk", bench_named("disk")(seconds), as_json)


@app.command("transport", epilog="Example: scenemind bench transport --seconds 10 --json")
def _transport(
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to send.")] = 60.0,
    rate: Annotated[float, typer.Option(min=0.1, help="Frames a second.")] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Send 640x480 RGB-D and odometry over DDS to a mapping node in another process.

    Milliseconds are from a frame's publication until it is in memory.
    """
    show_result("transport", bench_named("transport")(seconds, rate), as_json)


@app.command("mapping", epilog="Example: scenemind bench mapping --noise --report bench-report")
def _mapping(
    rooms: Annotated[int, typer.Option(min=1, help="How many simulated rooms to map.")] = 10,
    noise: Annotated[bool, typer.Option("--noise", help="Let the detector err.")] = False,
    objects: Annotated[
        int | None, typer.Option(min=20, max=60, help="Objects in a room.", show_default="33 or so")
    ] = None,
    loops: Annotated[int, typer.Option(min=1, help="Rounds that the robot drives.")] = 1,
    odometry: Annotated[
        float, typer.Option(min=0.0, help="Noise of the odometry; 1: a good one, 0: none.")
    ] = 0.0,
    changes: Annotated[
        int, typer.Option(min=0, help="Things moved or taken away between the rounds.")
    ] = 0,
    report: Annotated[
        Path | None,
        typer.Option(help="Folder for pictures, of recordings too.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Map simulated rooms and compare each map with its room.

    Of what was seen in 5 frames at 400 pixels: shares found and right at a 3D IoU of 0.25.
    """
    result = bench_named("mapping")(
        rooms,
        noise,
        objects=objects,
        loops=loops,
        odometry_noise=odometry,
        changes=changes,
        report=report,
    )
    show_result("mapping", result, as_json)


@app.command("tracking", epilog="Example: scenemind bench tracking --rooms 1 --json")
def _tracking(
    rooms: Annotated[int, typer.Option(min=1, help="How many simulated rooms.")] = 3,
    frames: Annotated[int, typer.Option(min=6, help="Frames of each drive.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Track with the camera's motion from poses, optical flow or nothing, and with BoT-SORT.

    Milliseconds are medians of CPU time; identity switches are summed over simulated rooms and
    recordings, where there are any. BoT-SORT is ultralytics', where that is installed.
    """
    show_result("tracking", bench_named("tracking")(rooms, frames), as_json)


@app.command("segment", epilog="Example: scenemind bench segment --segmenter mobile_sam.pt")
def _segment(
    segmenter: Annotated[
        str,
        typer.Option(
            help="Weights of SAM; mobile_sam.yaml or sam_vit_b.yaml has random ones, for speed.",
            show_default="depth and colour, without a model",
        ),
    ] = "",
    rooms: Annotated[int, typer.Option(min=1, help="How many simulated rooms.")] = 3,
    frames: Annotated[int, typer.Option(min=1, help="Of the drive through each.")] = 12,
    as_json: AsJson = False,
) -> None:
    """Cut all that is visible out of simulated 640x480 frames, by its true box.

    Milliseconds are medians for a frame with all its boxes.
    """
    show_result("segment", bench_named("segment")(segmenter, rooms, frames), as_json)
