"""`scenemind convert`: recordings as bags, ScanNet's annotations as an objects file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from scenemind.cli.convert_labels import convert_labels
from scenemind.cli.errors import CommandError
from scenemind.cli.evaluating.taken_options import was_typed
from scenemind.cli.options import AsJson
from scenemind.cli.output import print_json, progress_console
from scenemind.frames import DepthCalibration, RecordedSequence
from scenemind.frames.bag_writing import (
    BagPlan,
    WriteOptions,
    WrittenBag,
    plan_bag,
    size_text,
    write_planned,
)
from scenemind.frames.bag_writing.options import Storage
from scenemind.simulation import SimulatedSequence, open_source

_OF_LABELS = ("labels", "out", "as_json")
_STORED = {
    "file": "the recording's own files",
    "rgb8": "pixels",
    "png": "PNG",
    "16UC1": "pixels in millimetres",
    "32FC1": "pixels in float metres",
}


def register(app: typer.Typer) -> None:
    app.command(
        "convert",
        epilog="Examples: scenemind convert scans/scene0011_00 bags/scene0011_00 --every 5;"
        " scenemind convert --labels scans --out objects.json.gz",
    )(_convert)


def _convert(
    context: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(
            help="Recording: a .sens file, a folder, a bag, or sim:1, sim:2, ...",
            show_default=False,
        ),
    ] = None,
    bag: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="Folder of the bag.", show_default=False)
    ] = None,
    storage: Annotated[Storage, typer.Option("--format", help="Of the bag's files.")] = "mcap",
    every: Annotated[int, typer.Option(min=1, help="Take every n-th frame.")] = 1,
    first: Annotated[
        int, typer.Option(min=0, help="Begin with this frame; frames with a pose count, from 0.")
    ] = 0,
    last: Annotated[
        int | None,
        typer.Option(min=0, help="End with this frame.", show_default="the last one"),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Store images as pixels even where they are compressed.")
    ] = False,
    frames_per_file: Annotated[
        int, typer.Option(min=1, help="A bag is several files; a kill costs one of them.")
    ] = 300,
    force_disk: Annotated[
        bool, typer.Option("--force-disk", help="Begin even where the disk looks too small.")
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Instead of a bag: ScanNet's annotations of all scans in this folder, as ground"
            " truth for scenemind eval. Needs --out.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="With --labels: objects file, .json or .json.gz.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a recording as a rosbag2 bag, or ScanNet's annotations as an objects file.

    The same command goes on where it was killed. Depth and poses lose nothing; ScanNet's axis
    alignment, from <scene>.txt beside the recording, is applied to poses and boxes.
    """
    if labels is not None:
        if source is not None or out is None:
            raise CommandError("write: scenemind convert --labels SCANS --out objects.json.gz")
        _refuse_options_of_bags(context)
        convert_labels(labels, out, as_json)
        return
    if source is None or bag is None or out is not None:
        raise CommandError("write: scenemind convert SOURCE OUT, or convert --labels SCANS --out")
    sequence = open_source(source)
    names = sequence.class_names if isinstance(sequence, SimulatedSequence) else {}
    options = WriteOptions(
        storage=storage,
        frames=slice(first, None if last is None else last + 1, every),
        is_raw=raw,
        instance_names=names,
        frames_per_file=frames_per_file,
        is_forced=force_disk,
    )
    _write(sequence, plan_bag(sequence, bag, options), as_json)


def _refuse_options_of_bags(context: typer.Context) -> None:
    given = [
        option.opts[0]
        for option in context.command.params
        if option.name and option.name not in _OF_LABELS and was_typed(context, option.name)
    ]
    if given:
        raise CommandError(
            f"--labels makes an objects file, to which {', '.join(given)} would do nothing: leave"
            " that out, or convert the recording itself: scenemind convert SOURCE OUT"
        )


def _write(sequence: RecordedSequence, plan: BagPlan, as_json: bool) -> None:
    color, depth = _STORED[plan.encoding.color], _STORED[plan.encoding.depth]
    console = progress_console()
    console.print(
        f"{sequence.name}: {plan.frames} frames, about {size_text(plan.needed_bytes)};"
        f" colour as {color}, depth as {depth}"
    )
    if plan.resumed:
        console.print(f"going on behind {plan.resumed} frames that are written")
    start = time.perf_counter()
    written = _write_with_progress(plan)
    seconds = time.perf_counter() - start
    if as_json:
        print_json(_result(sequence, written, seconds))
        return
    causes = ", ".join(f"{count} {cause}" for cause, count in written.drops.items() if count)
    print(f"{written.frames} frames in {written.files} files, {size_text(written.size_bytes)}")
    print(f"left out: {causes or 'none'}; depth rounded to millimetres: {written.rounded}")
    print(f"read back as written; {seconds:.1f} s; saved in {written.path}")
    if sequence.depth_calibration is not None:
        print(_registration(sequence.depth_calibration))


def _write_with_progress(plan: BagPlan) -> WrittenBag:
    columns = (
        TextColumn("writing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("frames"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=progress_console(), transient=True) as progress:
        task = progress.add_task("", total=plan.frames, completed=plan.resumed)
        return write_planned(plan, lambda done: progress.update(task, completed=done))


def _result(sequence: RecordedSequence, written: WrittenBag, seconds: float) -> dict[str, object]:
    return {
        "source": str(sequence.path),
        "bag": str(written.path),
        "frames": written.frames,
        "resumed": written.resumed,
        "dropped": dict(written.drops),
        "rounded": written.rounded,
        "files": written.files,
        "bytes": written.size_bytes,
        "color": written.encoding.color,
        "depth": written.encoding.depth,
        "seconds": round(seconds, 3),
    }


def _registration(calibration: DepthCalibration) -> str:
    pose = calibration.color_T_depth
    numbers = [*pose.translation.tolist(), *pose.quaternion_xyzw().tolist()]
    values = ", ".join(f"{number:.6f}" for number in numbers)  # ROS takes no 0 among floats
    return (
        "depth is of a camera of its own: scenemind map registers it; a mapping node that hears"
        f' the bag played needs depth.aligned:=false depth.color_T_depth:="[{values}]"'
    )
