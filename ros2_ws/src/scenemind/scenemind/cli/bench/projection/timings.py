"""How long it takes from masks to a box."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import DepthImage, KeyFrame
from scenemind.perception.cut_mask import cut_mask
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.joining import joined
from scenemind.reasoning.vlm_grounder.projection.stored_view import StoredView
from scenemind.reasoning.vlm_grounder.projection.surface import mask_points
from scenemind.reasoning.vlm_grounder.projection.taken_view import TakenView, find_view
from scenemind.simulation import SimpleDepthNoise, make_room
from scenemind.simulation.renderer import Renderer
from scenemind.simulation.trajectory import look

_VIEWS = 7
_SIZES = (("77k", 77_000, 640, 480), ("553k", 553_000, 1296, 968))
_SEED, _LABEL = 1, "couch"
_DISTANCE_M, _HEIGHT_M, _STEP_RAD = 1.9, 1.3, np.deg2rad(18.0)
_BOX_PX = (0.0, 0.0, 0.0, 0.0)  # of the detector; nothing here comes from it
_ZOOMS = 3  # to come near to the number of pixels
_WARM_UP, _ROUNDS = 2, 11


class _MaskedView(NamedTuple):
    stored: StoredView
    mask: BoxMask

    @property
    def pose(self) -> Pose:
        return self.stored.frame.world_T_camera


def timings() -> dict[str, Any]:
    """`ms_77k`, `ms_553k`: medians from 7 masks, depth images and poses in memory to the box of a
    couch: morphology, projection, Chamfer distances of each view to all before it, union,
    outliers, box. Depth of every pixel; `points_...` are the pixels in the masks that have one."""
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
    """As `measure`, without reading and segmenting."""
    taken: list[TakenView] = []
    for stored, mask in views:
        view = find_view(stored, _BOX_PX, mask, stored.frame.world_T_camera, config)
        assert view is not None
        taken.append(view.beside(taken) if taken else view)
    return joined(taken, config).box


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
        mask = cut_mask(rendering.instances == couch.instance_id)
        assert mask is not None
        frame = KeyFrame(place, place, 0, camera, pose, b"")
        views.append(_MaskedView(StoredView(frame, DepthImage(depth_m, 1, camera)), mask))
    return views
