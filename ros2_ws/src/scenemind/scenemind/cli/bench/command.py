"""`scenemind bench`: what is measured."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from scenemind.cli.bench import visual_retrieval
from scenemind.cli.bench.result_table import show_result
from scenemind.cli.options import AsJson, DetectorName
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
    "disk",
    "transport",
)
_FRAMES_PER_HOUR = 3600 * 30
_Objects = Annotated[int, typer.Option(min=0, help="How many objects the map knows.")]


def register(app: typer.Typer) -> None:
    visual_retrieval.register(_app)
    app.add_typer(_app, name="bench")


@_app.command("frame", epilog="Example: scenemind bench frame --objects 2000 --json")
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
    show_result("frame", _bench("frame")(objects, frames), as_json)


@_app.command("detect", epilog="Example: scenemind bench detect --json")
def _detect(
    seconds: Annotated[float, typer.Option(min=0.1, help="How long for each model.")] = 3.0,
    as_json: AsJson = False,
) -> None:
    """Detect in simulated 640x480 frames, with every model and runtime that is here.

    Models "with random weights" have the architecture and the speed of trained ones.
    """
    show_result("detect", _bench("detect")(seconds), as_json)


@_app.command("pipeline", epilog="Example: scenemind bench pipeline --detector yoloe-26n-seg")
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
    show_result("pipeline", _bench("pipeline")(detector, seconds), as_json)


@_app.command("disk", epilog="Example: scenemind bench disk --seconds 20")
def _disk(
    seconds: Annotated[
        float, typer.Option(min=1.0, help="Camera time at 30 Hz for each policy.")
    ] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Map simulated 640x480 frames under each policy of which images stay on disk."""
    show_result("disk", _bench("disk")(seconds), as_json)


@_app.command("transport", epilog="Example: scenemind bench transport --seconds 10 --json")
def _transport(
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to send.")] = 60.0,
    rate: Annotated[float, typer.Option(min=0.1, help="Frames a second.")] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Send 640x480 RGB-D and odometry over DDS to a mapping node in another process.

    Milliseconds are from a frame's publication until it is in memory.
    """
    show_result("transport", _bench("transport")(seconds, rate), as_json)


@_app.command("mapping", epilog="Example: scenemind bench mapping --noise --report bench-report")
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
    result = _bench("mapping")(
        rooms,
        noise,
        objects=objects,
        loops=loops,
        odometry_noise=odometry,
        changes=changes,
        report=report,
    )
    show_result("mapping", result, as_json)


@_app.command("tracking", epilog="Example: scenemind bench tracking --rooms 1 --json")
def _tracking(
    rooms: Annotated[int, typer.Option(min=1, help="How many simulated rooms.")] = 3,
    frames: Annotated[int, typer.Option(min=6, help="Frames of each drive.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Track with the camera's motion from poses, optical flow or nothing, and with BoT-SORT.

    Milliseconds are medians of CPU time; identity switches are summed over simulated rooms and
    recordings, where there are any. BoT-SORT is ultralytics', where that is installed.
    """
    show_result("tracking", _bench("tracking")(rooms, frames), as_json)


@_app.command("relations", epilog="Example: scenemind bench relations --json")
def _relations(
    rounds: Annotated[int, typer.Option(min=1, help="How often each thing is measured.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Relate simulated rooms of 200 and 2,000 objects, from scratch and after one change.

    Milliseconds are medians; of lookups by words and of relation queries over 40 objects with 2,000
    points each, the slowest one's.
    """
    show_result("relations", _bench("relations")(rounds), as_json)


@_app.command("programs", epilog="Example: scenemind bench programs --json")
def _programs(
    rounds: Annotated[int, typer.Option(min=1, help="How often each thing is measured.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Run programs as language models write them, and correct them, in a room of 40 objects.

    Milliseconds are medians without any model's own time: of a question by LLM-TPC with a mistake
    in its first program (machinery_llm_tpc_ms), without one (right), and with one that the type
    checker looks at (checked); of a question by VADAR with a mistake in its first program, and with
    a method that is learned for it (learning); and of one program that does nothing in the sandbox.
    """
    show_result("programs", _bench("programs")(rounds), as_json)


@_app.command("grounding", epilog="Example: scenemind bench grounding --json")
def _grounding(
    frames: Annotated[int, typer.Option(min=10, help="Stored frames of 640x480.")] = 1000,
    queries: Annotated[int, typer.Option(min=1, help="How many things are looked for.")] = 24,
    as_json: AsJson = False,
) -> None:
    """Ground phrases in the stored frames of a simulated drive, as VLM-Grounder does.

    Milliseconds are medians for a phrase, in all and by stage, without any model's own time, and
    without the segmenter's; "images" were shown on its sheets, and "views" measured.
    """
    show_result("grounding", _bench("grounding")(frames, queries), as_json)


@_app.command("keyframes", epilog="Example: scenemind bench keyframes --picture times.svg")
def _keyframes(
    questions: Annotated[int, typer.Option(min=1, help="About objects of the rooms.")] = 200,
    rooms: Annotated[int, typer.Option(min=1, help="How many simulated rooms.")] = 8,
    noise: Annotated[bool, typer.Option("--noise", help="Let the detector err.")] = False,
    detector_ms: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help="What a detector takes for a frame, to compare with.",
            show_default="measured where weights are here, else 40",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="SVG file for the times as curves.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Choose frames for questions: how long that takes after an hour, and what they show.

    Milliseconds are without any model's own time. Rates are of questions about single objects of
    simulated rooms, with an oracle in place of the language model.
    """
    result = _bench("keyframes")(
        questions, rooms, noise=noise, detector_ms=detector_ms, picture=picture
    )
    show_result("keyframes", result, as_json)


@_app.command("segment", epilog="Example: scenemind bench segment --segmenter mobile_sam.pt")
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
    show_result("segment", _bench("segment")(segmenter, rooms, frames), as_json)


@_app.command("stitching", epilog="Example: scenemind bench stitching --json")
def _stitching(
    rounds: Annotated[int, typer.Option(min=1, help="How often each thing is measured.")] = 15,
    as_json: AsJson = False,
) -> None:
    """Draw 84 pictures on six sheets with their ids, and read the ids back.

    Seconds are medians, from JPEG files to JPEG files.
    """
    show_result("stitching", _bench("stitching")(rounds), as_json)


@_app.command("projection", epilog="Example: scenemind bench projection --targets 60 --json")
def _projection(
    targets: Annotated[int, typer.Option(min=1, help="Things in simulated rooms.")] = 300,
    sequence: Annotated[
        str | None,
        typer.Option(help="Measure the things of a recording instead.", show_default=False),
    ] = None,
    detector: DetectorName = None,
    pictures: Annotated[
        Path | None,
        typer.Option(help="Folder for pictures of the recording's things.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure boxes from masks: how long it takes, and how near they are to the true ones.

    IoU is with true boxes, hidden sides included: its mean, and the share above 0.5 (iou_50). Masks
    are exact; "stereo" has a depth camera that errs like one, "visible" is the best that can be
    seen, and "ablation" has coarse masks and adds one operation after the other (paper, Table 5).

    Of a recording: boxes made from every second stored frame, against what is detected in others:
    the IoU of a detection with the box as it is seen there (of the map's box: map_iou), and the
    share of it that the box covers. Things that are hidden in part lower both IoUs.
    """
    result = _bench("projection")(targets, sequence, detector, pictures)
    show_result("projection", result, as_json)


@_app.command("all", epilog="Example: scenemind bench all --json")
def _all(as_json: AsJson = False) -> None:
    """Run every benchmark with its defaults; one JSON object by name with --json."""
    results = {}
    for name in _ALL:
        progress_console().print(f"measuring {name} ...")
        results[name] = _bench(name)()
        if not as_json:
            show_result(name, results[name], as_json=False)
    if as_json:
        print_json(results)


def _bench(name: str) -> Callable[..., dict[str, Any]]:
    """`bench_NAME` of the module of that name, imported now: some of them import for seconds."""
    module = importlib.import_module(f"scenemind.cli.bench.{name}")
    measure: Callable[..., dict[str, Any]] = getattr(module, f"bench_{name}")
    return measure
