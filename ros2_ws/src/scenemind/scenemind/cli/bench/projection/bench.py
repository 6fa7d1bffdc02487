"""`scenemind bench projection`: from a mask to a box."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress, TaskID

from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.bench.projection.ablation import Ablation, scores
from scenemind.cli.bench.projection.calibration import bench_calibration
from scenemind.cli.bench.projection.filmed_room import FilmedFrame, FilmedRoom, film_room
from scenemind.cli.bench.projection.recorded import bench_recorded
from scenemind.cli.bench.projection.timings import timings
from scenemind.cli.bench.projection.true_masks import TrueMasks
from scenemind.cli.output import progress_console
from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Box3D, iou_3d
from scenemind.models import Allowance
from scenemind.perception.types import BoxMask
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection import measure
from scenemind.reasoning.vlm_grounder.projection.stored_view import StoredView
from scenemind.reasoning.vlm_grounder.types import Measured, Target
from scenemind.simulation import DepthNoise, SimObject, SimpleDepthNoise, StereoDepthNoise

_FRAMES = 40  # of a drive
_LEAST_PX, _LEAST_VIEWS = 400, 3
_PATIENCE_S = 600.0


def bench_projection(
    targets: int = 300,
    sequence: str | None = None,
    detector: str | None = None,
    pictures: Path | None = None,
    calibrate: Path | None = None,
) -> dict[str, Any]:
    """`bench_rooms`, with a sequence `bench_recorded`, with a file `bench_calibration`."""
    if calibrate is not None:
        result = bench_calibration(targets, calibrate)
    elif sequence is not None:
        result = bench_recorded(sequence, detector, pictures)
    else:
        result = bench_rooms(targets)
    return {**result, "machine": machine(), "versions": versions()}


def bench_rooms(targets: int = 300) -> dict[str, Any]:
    """On simulated rooms, of things with 400 pixels in at least 3 of 40 frames of 640x480, whose
    depth is stored of every second pixel. IoU is with a thing's true box, hidden sides included.

    - `ms_77k`, `ms_553k`: masks to box with 7 views and so many points (`timings`);
    - `mean_iou`, `iou_50`: with exact masks and the simulator's usual depth noise; `stereo_...`:
      with errors as a stereo camera has them, which are alike in neighbouring pixels;
    - `visible_iou`, `visible_iou_50`: of the box around what exact depth shows in the same views;
    - `ablation`: as the paper's Table 5, with noisy masks and a stereo camera's depth.

    Args:
        targets: how many things, of as many rooms as that needs.
    """
    config = VlmGrounderConfig()
    usual, stereo = _Run(config, noisy_masks=False), _Run(config, noisy_masks=False)
    noisy = _Run(config, noisy_masks=True)
    runs: list[tuple[DepthNoise, list[_Run]]] = [
        (SimpleDepthNoise(), [usual]),
        (StereoDepthNoise(), [stereo, noisy]),
    ]
    with Progress(console=progress_console(), transient=True) as progress:
        task = progress.add_task("measuring", total=3 * targets)
        for noise, of_noise in runs:
            for room in _rooms(targets, noise):
                for run in of_noise:
                    run.add(*room, progress, task)
    usual_scores, stereo_scores = scores(usual.ious), scores(stereo.ious)
    visible = scores(usual.visible_ious)
    return {
        **timings(),
        "mean_iou": usual_scores["mean_iou"],
        "iou_50": usual_scores["acc_50"],
        "stereo_mean_iou": stereo_scores["mean_iou"],
        "stereo_iou_50": stereo_scores["acc_50"],
        "visible_iou": visible["mean_iou"],
        "visible_iou_50": visible["acc_50"],
        "ablation": noisy.ablation.rows(),
        "targets": len(usual.ious),
        "views": float(np.mean(usual.view_counts)),
    }


def _rooms(targets: int, noise: DepthNoise) -> Iterator[tuple[FilmedRoom, list[SimObject]]]:
    """Rooms with those of their things that are measured; seeds from 1."""
    seed = 1
    while targets > 0:
        room = film_room(seed, _FRAMES, noise)
        things = [item for item in room.room.objects if _is_seen(item, room)][:targets]
        targets -= len(things)
        seed += 1
        yield room, things


def _is_seen(item: SimObject, room: FilmedRoom) -> bool:
    return sum(_pixels(f, item) >= _LEAST_PX for f in room.frames) >= _LEAST_VIEWS


def _pixels(filmed: FilmedFrame, item: SimObject) -> int:
    mask = filmed.masks.get(item.instance_id)
    return 0 if mask is None else int(np.count_nonzero(mask.bits))


class _Run:
    """All targets under one kind of masks."""

    def __init__(self, config: VlmGrounderConfig, *, noisy_masks: bool) -> None:
        self._config = config
        self._noisy_masks = noisy_masks
        self.ious: list[float] = []
        self.visible_ious: list[float] = []
        self.view_counts: list[int] = []
        self.ablation = Ablation(config)

    def add(
        self, room: FilmedRoom, things: list[SimObject], progress: Progress, task: TaskID
    ) -> None:
        """Measure things of a room, each from the frame that shows most of it."""
        segmenter = TrueMasks(room.masks, "coarse" if self._noisy_masks else "exact")
        for item in things:
            anchor = max(room.frames, key=lambda filmed: _pixels(filmed, item))
            target = Target(anchor.frame, anchor.frame.boxes_px[item.instance_id], item.instance_id)
            measured = _measured(target, room, segmenter, self._config)
            self._count(item, anchor, room, segmenter, measured)
            progress.advance(task)

    def _count(
        self,
        item: SimObject,
        anchor: FilmedFrame,
        room: FilmedRoom,
        segmenter: TrueMasks,
        measured: Measured | None,
    ) -> None:
        numbers = (
            [anchor.frame.frame_number]
            if measured is None
            else [view.frame.frame_number for view in measured.views]
        )
        filmed = [room.frames[number] for number in numbers]
        self.ious.append(0.0 if measured is None else iou_3d(measured.box, item.box))
        self.view_counts.append(len(numbers))
        if not self._noisy_masks:
            visible = _visible_box(filmed, item)
            self.visible_ious.append(iou_3d(visible, item.box))
            return
        masks = [_masked(f, segmenter, item) for f in filmed if item.instance_id in f.masks]
        stored = StoredView(anchor.frame, anchor.depth)
        self.ablation.add(stored, masks, measured, item.box)


def _measured(
    target: Target, room: FilmedRoom, segmenter: TrueMasks, config: VlmGrounderConfig
) -> Measured | None:
    asking = Asking(Allowance(_PATIENCE_S))
    try:
        return measure(target, room, room.frame_index(), segmenter, config, asking)
    except ReasoningError:  # no depth at all: counted as missed
        return None


def _masked(
    filmed: FilmedFrame, segmenter: TrueMasks, item: SimObject
) -> tuple[StoredView, BoxMask]:
    box_px = np.array(filmed.frame.boxes_px[item.instance_id])
    camera = filmed.frame.camera
    mask = segmenter.mask_of(filmed.frame.frame_number, box_px, (camera.width, camera.height))
    assert mask is not None
    return StoredView(filmed.frame, filmed.depth), mask


def _visible_box(views: list[FilmedFrame], item: SimObject) -> Box3D:
    """Around the surface that exact depth shows in the views."""
    clouds = [_exact_points(f, item) for f in views if item.instance_id in f.masks]
    points = np.concatenate(clouds)
    return Box3D.from_bounds(points.min(axis=0), points.max(axis=0))


def _exact_points(filmed: FilmedFrame, item: SimObject) -> NDArray[np.floating]:
    mask, frame = filmed.masks[item.instance_id], filmed.frame
    v, u = np.nonzero(mask.bits)
    u, v = u + mask.x_px, v + mask.y_px
    return frame.world_T_camera.transform(frame.camera.unproject(u, v, filmed.exact_m[v, u]))
