"""How long it takes from masks to a box."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.extent import box_around
from scenemind.reasoning.vlm_grounder.projection.fusion import SurfaceView, fused
from scenemind.reasoning.vlm_grounder.projection.morphology import cleaned
from scenemind.reasoning.vlm_grounder.projection.other_views import apart_m
from scenemind.reasoning.vlm_grounder.projection.outliers import without_outliers
from scenemind.reasoning.vlm_grounder.projection.surface import find_surface, mask_points
from scenemind.simulation import SimpleDepthNoise, make_room
from scenemind.simulation.renderer import Renderer
from scenemind.simulation.trajectory import look

_VIEWS = 7
_SIZES = (("77k", 77_000, 640, 480), ("553k", 553_000, 1296, 968))
_SEED, _LABEL = 1, "couch"
_DISTANCE_M, _HEIGHT_M, _STEP_RAD = 1.9, 1.3, np.deg2rad(18.0)
_ZOOMS = 3  # to come near to the number of pixels
_WARM_UP, _ROUNDS = 2, 11


@dataclass(frozen=True, slots=True, eq=False)
class _MaskedView:
    mask: BoxMask
    depth: DepthImage
    world_T_camera: Pose


def timings() -> dict[str, Any]:
    """`ms_77k`, `ms_553k`: medians from 7 masks, depth images and poses in memory to the box of a
    couch: morphology, projection, Chamfer distances, union, outliers, box. Depth of every pixel;
    `points_...` are the pixels in the masks that have one."""
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
            len(mask_points(v.mask, v.depth, v.world_T_camera)) for v in views
        )
    return result


def _box(views: Sequence[_MaskedView], config: VlmGrounderConfig) -> Box3D:
    """As `measure`, without reading and segmenting."""
    surfaces = []
    for view in views:
        width = view.depth.camera.width * view.depth.every_px
        clean = cleaned(view.mask, width, config.erosion_px, config.components)
        surface = find_surface(clean, view.depth, view.world_T_camera)
        assert surface is not None
        surfaces.append(SurfaceView(view.depth, view.world_T_camera, clean.mask, surface))
    for surface_view in surfaces[1:]:
        apart_m(surface_view, surfaces[0])
    union = fused(surfaces)
    return box_around(without_outliers(union, config.outlier_neighbors, config.outlier_deviations))


def _views(pixels: int, width: int, height: int) -> list[_MaskedView]:
    """Of a couch from an arc before it, zoomed until it has about so many pixels in each."""
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
        mask = _mask_of(rendering.instances == couch.instance_id)
        views.append(_MaskedView(mask, DepthImage(depth_m, 1, camera), pose))
    return views


def _mask_of(shown: NDArray[np.bool_]) -> BoxMask:
    """Of an image (H, W), cut to its rectangle."""
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    y, x = int(rows[0]), int(columns[0])
    return BoxMask(x, y, shown[y : rows[-1] + 1, x : columns[-1] + 1])
