"""`scenemind approach`: where a robot may stand to look at a thing, or to reach it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

import scenemind as sm
from scenemind.cli.graph import write_picture
from scenemind.cli.live import fetch_live
from scenemind.cli.options import AsJson, Live, MemoryName, MemoryRoot, stored_path
from scenemind.errors import UsageError
from scenemind.memory.occupancy.approach import PURPOSES, ApproachPose, Purpose
from scenemind.report.drawing import colors_of, standalone_svg
from scenemind.report.terminal import make_table, print_json, print_table
from scenemind.report.topdown import MapLayers, render_top_down

app = typer.Typer()


@app.command(
    "approach",
    epilog='Example: scenemind approach "the chair next to the desk" --memory kitchen'
    " --picture stand.svg",
)
def _approach(
    thing: Annotated[str, typer.Argument(help='A phrase, such as "the red chair", or an id.')],
    memory: MemoryName = "current",
    live: Live = False,
    purpose: Annotated[
        str, typer.Option("--for", help=f"What the robot stands there for: {', '.join(PURPOSES)}.")
    ] = "look",
    stand_off: Annotated[
        float | None,
        typer.Option(
            help="Metres from the edge of the robot to the thing; else .8 to look, .05 to reach.",
            show_default=False,
        ),
    ] = None,
    radius: Annotated[float, typer.Option(help="Of the robot's footprint, metres.")] = 0.25,
    robot: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="Where the robot stands, x y in metres: only poses that it can get to.",
            show_default="the newest camera pose with --live, else anywhere",
        ),
    ] = None,
    anywhere: Annotated[
        bool, typer.Option("--anywhere", help="Poses that the robot has no known way to, too.")
    ] = False,
    count: Annotated[int, typer.Option(min=1, help="Largest number of poses.")] = 5,
    picture: Annotated[
        Path | None,
        typer.Option(help="File of a drawing from above, .svg or .png.", show_default=False),
    ] = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Find poses on floor that the camera saw to be free, facing a thing, best first.

    Nothing known stands between the pose and the thing. Each is x, y in metres and the heading in
    radians in the map's frame.
    """
    if purpose not in PURPOSES:
        raise UsageError(f"--for takes {' or '.join(PURPOSES)}, not {purpose!r}")
    if anywhere and robot is not None:
        raise UsageError("--anywhere asks for no way from --robot: leave one of them out")
    wanted: int | str = int(thing) if thing.isdigit() else thing
    if live:
        if picture is not None:
            raise UsageError("--picture draws a saved memory: leave --live out")
        poses = _of_nodes(wanted, purpose, stand_off, radius, robot, anywhere, count)
    else:
        with sm.open(stored_path(memory, memory_root), read_only=True) as scene:
            for_what: Purpose = "look" if purpose == "look" else "reach"
            poses = scene.approach_poses(wanted, stand_off, for_what, radius, count, robot=robot)
            if picture is not None:
                write_picture(_drawing(scene, poses), picture)
    if as_json:
        print_json({"thing": wanted, "purpose": purpose, "poses": [asdict(one) for one in poses]})
    else:
        _print(poses)


def _of_nodes(
    thing: int | str,
    purpose: str,
    stand_off_m: float | None,
    radius_m: float,
    robot: tuple[float, float] | None,
    anywhere: bool,
    count: int,
) -> tuple[ApproachPose, ...]:
    reply = fetch_live(
        "approach",
        thing=thing,
        purpose=purpose,
        stand_off_m=stand_off_m or 0.0,
        robot_radius_m=radius_m,
        robot=robot,
        anywhere=anywhere,
        count=count,
    )
    return tuple(ApproachPose(**pose) for pose in reply["poses"])


def _drawing(scene: sm.Scene, poses: tuple[ApproachPose, ...]) -> str:
    snapshot = scene.snapshot
    labels = [thing.label for thing in (*snapshot.objects.values(), *snapshot.gone.values())]
    layers = MapLayers(floor=scene.occupancy(), stands=poses)
    return standalone_svg(render_top_down(snapshot, colors_of(labels), layers))


_MEANS = {
    "heading rad": "where the robot faces, counter-clockwise from the x axis",
    "stand-off m": "from the edge of the robot to the thing",
    "seen": "share of the thing that can be seen from there",
    "score": "1 is best",
}


def _print(poses: tuple[ApproachPose, ...]) -> None:
    headings = ("pose", "x m", "y m", "heading rad", "stand-off m", "seen", "score")
    table = make_table(*headings, whole=("pose",), right=",".join(headings))
    for rank, pose in enumerate(poses, 1):
        values: tuple[Any, ...] = (pose.x, pose.y, pose.yaw, pose.stand_off_m)
        table.add_row(
            str(rank),
            *(f"{value:.2f}" for value in values),
            f"{pose.visible:.0%}",
            f"{pose.score:.2f}",
        )
    print_table(table, means=_MEANS)
