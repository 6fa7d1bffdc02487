"""`scenemind convert`: recordings as bags, ScanNet's annotations as an objects file."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    track,
)

from scenemind.cli.options import (
    AsJson,
    takes,
    was_given,
)
from scenemind.errors import UsageError
from scenemind.exchange import ExchangeError, LabelsFile, read_labels, scene_folders
from scenemind.frames import DepthCalibration, RecordedSequence
from scenemind.frames.bag_writer import (
    BagPlan,
    WriteOptions,
    WrittenBag,
    plan_bag,
    size_text,
    write_bag,
)
from scenemind.frames.bag_writer.messages import Storage
from scenemind.report.terminal import print_json, progress_console
from scenemind.simulation import SimulatedSequence, open_source
from scenemind.untrusted import say

app = typer.Typer()


def convert_labels(scans: Path, out: Path, as_json: bool) -> None:
    """Add the scans of a folder to an objects file; ends with status 1 where one cannot be read.

    Raises:
        ExchangeError: there is no scan, or the file cannot be used or written.
    """
    failures: dict[str, str] = {}
    with LabelsFile(out) as file:
        before = set(file.scenes)
        folders = [f for f in scene_folders(scans) if f.resolve().name not in before]
        for folder in track(folders, "labels", console=progress_console(), transient=True):
            name = folder.resolve().name
            try:
                labelled = read_labels(folder)
            except ExchangeError as error:
                failures[name] = str(error)
            else:
                file.add(name, labelled)
        total = len(file.scenes)
        if total:
            file.finish()
    for scene, why in failures.items():
        say(f"{scene}: {why}", file=sys.stderr)
    if as_json:
        added = total - len(before)
        print_json({"out": str(out), "scenes": total, "added": added, "failed": failures})
    else:
        say(f"{total} scenes in {out}, {len(before)} of them before; {len(failures)} failed")
    if failures:
        raise typer.Exit(1)


_OF_LABELS = ("labels", "out", "as_json")
_STORED = {
    "file": "the recording's own files",
    "rgb8": "pixels",
    "png": "PNG",
    "16UC1": "pixels in millimetres",
    "32FC1": "pixels in float metres",
}


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """Options of `scenemind convert`."""

    context: typer.Context
    source: Annotated[
        str | None,
        typer.Argument(
            help="Recording: a .sens file, a folder, a bag, or sim:1, sim:2, ...",
            show_default=False,
        ),
    ] = None
    bag: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="Folder of the bag.", show_default=False)
    ] = None
    storage: Annotated[Storage, typer.Option("--format", help="Format of the bag.")] = "mcap"
    every: Annotated[int, typer.Option(min=1, help="Take every n-th frame.")] = 1
    first: Annotated[
        int, typer.Option(min=0, help="First frame, counted from 0 among frames with a pose.")
    ] = 0
    last: Annotated[
        int | None,
        typer.Option(min=0, help="Last frame.", show_default="the last one"),
    ] = None
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="Store raw images, even where the recording has compressed ones."
        ),
    ] = False
    frames_per_file: Annotated[
        int, typer.Option(min=1, help="Frames per file; a crash loses at most one file.")
    ] = 300
    force_disk: Annotated[
        bool, typer.Option("--force-disk", help="Start even where the disk seems too small.")
    ] = False
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Instead of a bag: ScanNet's annotations of all scans in this folder, as ground"
            " truth for scenemind eval. Needs --out.",
            show_default=False,
        ),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(help="With --labels: objects file, .json or .json.gz.", show_default=False),
    ] = None
    as_json: AsJson = False


@app.command(
    "convert",
    epilog="Examples: scenemind convert scans/scene0011_00 bags/scene0011_00 --every 5;"
    " scenemind convert --labels scans --out objects.json.gz",
)
@takes(ConvertOptions)
def _convert(options: ConvertOptions) -> None:
    """Write a recording as a rosbag2 bag, or ScanNet's annotations as an objects file.

    The same command goes on where it was killed. Depth and poses lose nothing; ScanNet's axis
    alignment, from <scene>.txt beside the recording, is applied to poses and boxes.
    """
    if options.labels is not None:
        if options.source is not None or options.out is None:
            raise UsageError("write: scenemind convert --labels SCANS --out objects.json.gz")
        _refuse_options_of_bags(options.context)
        convert_labels(options.labels, options.out, options.as_json)
        return
    if options.source is None or options.bag is None or options.out is not None:
        raise UsageError("write: scenemind convert SOURCE OUT, or convert --labels SCANS --out")
    sequence = open_source(options.source)
    names = sequence.class_names if isinstance(sequence, SimulatedSequence) else {}
    end = None if options.last is None else options.last + 1
    stored = WriteOptions(
        storage=options.storage,
        frames=slice(options.first, end, options.every),
        is_raw=options.raw,
        instance_names=names,
        frames_per_file=options.frames_per_file,
        is_forced=options.force_disk,
    )
    _write(sequence, plan_bag(sequence, options.bag, stored), options.as_json)


def _refuse_options_of_bags(context: typer.Context) -> None:
    given = [
        option.opts[0]
        for option in context.command.params
        if option.name and option.name not in _OF_LABELS and was_given(context, option.name)
    ]
    if given:
        raise UsageError(
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
    say(f"{written.frames} frames in {written.files} files, {size_text(written.size_bytes)}")
    say(f"left out: {causes or 'none'}; depth rounded to millimetres: {written.rounded}")
    say(f"read back as written; {seconds:.1f} s; saved in {written.path}")
    if sequence.depth_calibration is not None:
        say(_registration(sequence.depth_calibration))


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
        return write_bag(plan, lambda done: progress.update(task, completed=done))


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
