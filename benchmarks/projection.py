"""Speed and quality of boxes measured from masks."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress, TaskID

from benchmarks.box_calibration import bench_calibration
from benchmarks.filmed_room import FilmedFrame, FilmedRoom, TrueMasks, film_room
from benchmarks.projection_recordings import bench_recorded
from scenemind.bench.machine import machine, versions
from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Box3D, PinholeCamera, Pose, iou_3d
from scenemind.memory import DepthImage, KeyFrame
from scenemind.models import Allowance
from scenemind.perception.types import BoxMask, cut_mask
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection import measure
from scenemind.reasoning.vlm_grounder.projection.ensemble_projection import box_of_views
from scenemind.reasoning.vlm_grounder.projection.fusion import box_around, statistical_inliers
from scenemind.reasoning.vlm_grounder.projection.surface import cleaned, find_surface, mask_points
from scenemind.reasoning.vlm_grounder.projection.target_view import StoredView, TakenView, find_view
from scenemind.reasoning.vlm_grounder.targets import Measured, StoredScene, Target
from scenemind.report.terminal import progress_console
from scenemind.simulation import (
    DepthNoise,
    SimObject,
    SimpleDepthNoise,
    StereoDepthNoise,
    make_room,
)
from scenemind.simulation.renderer import Renderer
from scenemind.simulation.trajectory import look

BASELINE, MORPHOLOGY, FILTERING = "baseline", "+ morphology", "+ point filtering"
MULTI_VIEW, AS_PAPER = "+ multi-view", "paper's own operations, multi-view"


class Ablation:
    """IoU with the true box by operation; 0 if there is no box."""

    def __init__(self, config: VlmGrounderConfig) -> None:
        self._config = config
        self._ious: dict[str, list[float]] = defaultdict(list)

    def add(
        self,
        anchor: StoredView,
        masks: Sequence[tuple[StoredView, BoxMask]],
        measured: Measured | None,
        truth: Box3D,
    ) -> None:
        """Add one target.

        Args:
            masks: those of the measured views, from the segmenter; the anchor's first.
            measured: result of all operations; None: the measurement failed.
        """
        config, mask = self._config, masks[0][1]
        pose = anchor.frame.world_T_camera
        self._count(BASELINE, _bounds(mask_points(mask, anchor.depth, pose)), truth)
        width = anchor.frame.camera.width
        clean = cleaned(mask, width, config.erosion_px, config.components)
        surface = find_surface(clean, anchor.depth, pose)
        self._count(MORPHOLOGY, None if surface is None else box_around(surface), truth)
        if surface is not None:
            inliers = statistical_inliers(
                surface.points, config.outlier_neighbors, config.outlier_deviations
            )
            surface = surface.select(inliers)
        has_points = surface is not None and len(surface) > 0
        self._count(FILTERING, box_around(surface) if surface and has_points else None, truth)
        self._count(MULTI_VIEW, None if measured is None else measured.box, truth)
        self._count(AS_PAPER, self._as_the_paper(masks), truth)

    def rows(self) -> dict[str, Mapping[str, float]]:
        """Scores by operation; each operation adds to those above it."""
        return {name: scores(ious) for name, ious in self._ious.items()}

    def _as_the_paper(self, masks: Sequence[tuple[StoredView, BoxMask]]) -> Box3D | None:
        """Box of the eroded masks themselves, projected, with the union filtered."""
        config = self._config
        clouds = []
        for stored, mask in masks:
            clean = cleaned(
                mask, stored.frame.camera.width, config.erosion_px, config.components, 0.0
            )
            core = BoxMask(mask.x_px, mask.y_px, clean.core)
            clouds.append(mask_points(core, stored.depth, stored.frame.world_T_camera))
        union = np.concatenate(clouds)
        inliers = statistical_inliers(union, config.outlier_neighbors, config.outlier_deviations)
        return _bounds(union[inliers])

    def _count(self, name: str, box: Box3D | None, truth: Box3D) -> None:
        self._ious[name].append(0.0 if box is None else iou_3d(box, truth))


def scores(ious: Sequence[float]) -> dict[str, Any]:
    """Mean IoU with the true boxes, and shares above limits."""
    values = np.asarray(ious)
    return {
        "acc_25": float((values > 0.25).mean()),
        "acc_50": float((values > 0.5).mean()),
        "mean_iou": float(values.mean()),
    }


def _bounds(points: NDArray[np.float32]) -> Box3D | None:
    if len(points) == 0:
        return None
    return Box3D.from_bounds(points.min(axis=0), points.max(axis=0))


_VIEWS = 7
_SIZES = (("77k", 77_000, 640, 480), ("553k", 553_000, 1296, 968))
_SEED, _LABEL = 1, "couch"
_DISTANCE_M, _HEIGHT_M, _STEP_RAD = 1.9, 1.3, np.deg2rad(18.0)
_BOX_PX = (0.0, 0.0, 0.0, 0.0)  # noise of the detector; not used here
_ZOOMS = 3  # to come close to the number of pixels
_WARM_UP, _ROUNDS = 2, 11


class _MaskedView(NamedTuple):
    stored: StoredView
    mask: BoxMask

    @property
    def pose(self) -> Pose:
        return self.stored.frame.world_T_camera


def timings() -> dict[str, Any]:
    """Times of a measurement: `ms_77k` and `ms_553k` are medians from 7 masks, depth images and
    poses in memory to the box of a couch: morphology, projection, Chamfer distances of each view to
    all before it, union, outliers, box. Every pixel has depth; `points_...` is the number of mask
    pixels with depth."""
    result: dict[str, Any] = {}
    config = VlmGrounderConfig()
    for name, points, width, height in _SIZES:
        views = _views(points // _VIEWS, width, height)
        for _ in range(_WARM_UP):
            _box(views, config)
        rounds = []
        for _ in range(_ROUNDS):
            start = time.perf_counter()
            _box(views, config)
            rounds.append(1e3 * (time.perf_counter() - start))
        result[f"ms_{name}"] = median(rounds)
        result[f"points_{name}"] = sum(
            len(mask_points(view.mask, view.stored.depth, view.pose)) for view in views
        )
    return result


def _box(views: Sequence[_MaskedView], config: VlmGrounderConfig) -> Box3D:
    """The steps of `measure`, without reading and segmenting."""
    taken: list[TakenView] = []
    for stored, mask in views:
        view = find_view(stored, _BOX_PX, mask, stored.frame.world_T_camera, config)
        assert view is not None
        taken.append(view.beside(taken) if taken else view)
    return box_of_views(taken, config).box


def _views(pixels: int, width: int, height: int) -> list[_MaskedView]:
    """Views of a couch from an arc in front of it, zoomed to about that many pixels in each."""
    room = make_room(_SEED)
    couch = next(item for item in room.objects if item.label == _LABEL)
    x, y, z = couch.box.center
    toward = np.arctan2(-y, -x)
    pitch = -np.arctan2(_HEIGHT_M - z, _DISTANCE_M)
    views = []
    for place in range(_VIEWS):
        turn = float(toward + (place - _VIEWS // 2) * _STEP_RAD)
        eye_x, eye_y = x + _DISTANCE_M * np.cos(turn), y + _DISTANCE_M * np.sin(turn)
        pose = look(float(eye_x), float(eye_y), _HEIGHT_M, turn + np.pi, float(pitch))
        camera = PinholeCamera(width, height, width, width, (width - 1) / 2, (height - 1) / 2)
        for _ in range(_ZOOMS):
            rendering = Renderer(room, camera).render(pose)
            shown = max(1, int(np.count_nonzero(rendering.instances == couch.instance_id)))
            focal = camera.fx * np.sqrt(pixels / shown)
            camera = PinholeCamera(width, height, focal, focal, camera.cx, camera.cy)
        rendering = Renderer(room, camera).render(pose)
        depth_m = SimpleDepthNoise().measure(rendering, camera, np.random.default_rng(place))
        mask = cut_mask(rendering.instances == couch.instance_id)
        assert mask is not None
        frame = KeyFrame(place, place, 0, camera, pose, b"")
        views.append(_MaskedView(StoredView(frame, DepthImage(depth_m, 1, camera)), mask))
    return views


_FRAMES = 40  # frames of a drive
_LEAST_PX, _LEAST_VIEWS = 400, 3
_PATIENCE_S = 600.0


def bench_projection(
    targets: int = 300,
    sequence: str | None = None,
    detector: str | None = None,
    pictures: Path | None = None,
    truth: Path | None = None,
    calibrate: Path | None = None,
    right_iou: float = 0.5,
) -> dict[str, Any]:
    """Run `bench_rooms`, with a sequence `bench_recorded`, with a file `bench_calibration`."""
    if calibrate is not None:
        result = bench_calibration(targets, calibrate, right_iou)
    elif sequence is not None:
        result = bench_recorded(sequence, detector, pictures, truth)
    else:
        result = bench_rooms(targets)
    return {**result, "machine": machine(), "versions": versions()}


def bench_rooms(targets: int = 300) -> dict[str, Any]:
    """Results on simulated rooms, for objects with 400 pixels in 3 or more of 40 frames of 640x480;
    every second pixel has stored depth. IoU is with the true box, hidden sides included.

    - `ms_77k`, `ms_553k`: from masks to box with 7 views and that many points (`timings`);
    - `mean_iou`, `iou_50`: with exact masks and the simulator's usual depth noise; `stereo_...`:
      with the errors of a stereo camera, which are correlated in neighbouring pixels;
    - `visible_iou`, `visible_iou_50`: box around the exact visible surface of the same views;
    - `ablation`: the paper's Table 5, with noisy masks and a stereo camera's depth.

    Args:
        targets: number of objects, from as many rooms as necessary.
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
    """Rooms with the measured objects of each; seeds from 1."""
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
    """Results of all targets under one kind of masks."""

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
        """Add the objects of a room, each from the frame that shows most of it."""
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
        return measure(target, StoredScene.of(room), segmenter, config, asking)
    except ReasoningError:  # no depth at all: counts as missed
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
    """Box around the surface that exact depth shows in the views."""
    clouds = [_exact_points(f, item) for f in views if item.instance_id in f.masks]
    points = np.concatenate(clouds)
    return Box3D.from_bounds(points.min(axis=0), points.max(axis=0))


def _exact_points(filmed: FilmedFrame, item: SimObject) -> NDArray[np.floating]:
    mask, frame = filmed.masks[item.instance_id], filmed.frame
    v, u = np.nonzero(mask.bits)
    u, v = u + mask.x_px, v + mask.y_px
    return frame.world_T_camera.transform(frame.camera.unproject(u, v, filmed.exact_m[v, u]))
