"""Multi-view ensemble projection (VLM-Grounder, section 3.4): a box in an image to a box in the
world.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig, VlmGrounderConfig
from scenemind.frames import FrameError
from scenemind.geometry import Box3D
from scenemind.memory import MemorySnapshot, SceneMemoryError
from scenemind.memory.attributes.sizes import find_stance
from scenemind.memory.objects.extent import box_of, is_too_wide
from scenemind.memory.objects.map_entry import PLACED_SHARE
from scenemind.perception.lifting import SPARSE
from scenemind.perception.protocols import Segmenter
from scenemind.perception.standing import Stance, find_standing
from scenemind.perception.types import BoxMask, PerceptionError
from scenemind.reasoning.method import Asking, Progress
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.vlm_grounder.projection.fusion import (
    Fused,
    box_around,
    fused,
    without_outliers,
)
from scenemind.reasoning.vlm_grounder.projection.other_views import OtherViews
from scenemind.reasoning.vlm_grounder.projection.surface import Surface
from scenemind.reasoning.vlm_grounder.projection.target_view import (
    StoredView,
    TakenView,
    find_mask,
    find_view,
)
from scenemind.reasoning.vlm_grounder.targets import BoxPx, Measured, StoredScene, Target

_NEAR_FLOOR_M = 0.06
_CELL_M = 0.02  # in which the height of a top is looked for
_FLAT = 0.1  # share of samples above the floor; with fewer a thing is flat, such as a rug


def measure(
    target: Target,
    scene: StoredScene,
    segmenter: Segmenter,
    config: VlmGrounderConfig,
    asking: Asking,
) -> Measured:
    """A target's points and box in the world, from its own view and up to N - 1 others.

    Args:
        scene: the frames of its index may be used.

    Raises:
        ReasoningError: the target's own view failed: `not_found` without depth or with a damaged
            image, `model_failed` where the segmenter failed. Other views that fail are left out.
        ModelError: the question was cancelled, or its time ended while waiting for the segmenter.
    """
    asking = asking.with_new_progress()
    # The anchor: the mask of the target, morphological operations, projection by the depth map.
    anchor = _anchor(target, scene, segmenter, config, asking.progress)

    # Other images of the same object: found by the anchor's points, segmented and projected alike,
    # and left out where their Chamfer distance is above 0.1 m.
    others = OtherViews(target, anchor, scene, segmenter, config, asking)
    views = [anchor, *others.find()]
    asking.progress.note(_views_step(views, others))

    # The union of the point clouds, without noise, and the axis-aligned box around it.
    floor_z = find_floor_z(scene.snapshot)
    box, surface, sample_count = box_of_views(views, config, floor_z)
    removed = sample_count - len(surface)
    asking.progress.note(f"{removed} of {sample_count} points are outliers, or the floor's")

    # Beyond the paper: what depth hardly shows is where its masks meet what carries it, and what
    # stands on the floor reaches it, though other things hide its lower part.
    stance = _stance_of(target, scene.snapshot)
    places = [] if stance is None else places_of(views, stance, surface)
    if places:
        asking.progress.note(f"little depth: placed where {len(places)} masks meet their support")
    if places or (stance is not None and stance.on_floor):
        bounds = np.array([place.extent() for place in places or [box]], np.float32)
        box = box_of(surface.points, bounds, stance, floor_z, _CELL_M)
    return Measured(
        box,
        surface.points,
        tuple(view.as_measured() for view in views),
        segmenter.name,
        tuple(asking.progress.steps),
    )


def _stance_of(target: Target, snapshot: MemorySnapshot) -> Stance | None:
    """How things of its kind stand; None for an unknown kind, and for what does not stand."""
    thing = None if target.object_id is None else snapshot.objects.get(target.object_id)
    labels = sorted(target.labels) if thing is None else [thing.label]
    return next((stance for label in labels if (stance := find_stance(label))), None)


def places_of(views: Sequence[TakenView], stance: Stance, surface: Surface) -> list[Box3D]:
    """Boxes from pictures (`perception.standing`), as the map places such things: none where depth
    shows most of the masks, and one thing alone.

    Args:
        surface: of all views together.
    """
    depth = DepthConfig()
    spread, sparse, places = is_too_wide(surface.points, stance), 0, []
    for view in views:
        mask, frame = view.clean.mask, view.stored.as_frame(filled=True)
        height, width = mask.bits.shape
        inside = frame.depth_m[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width]
        is_sparse = np.count_nonzero((inside > 0.0) & mask.bits) < SPARSE * mask.bits.sum()
        sparse += is_sparse
        if is_sparse or spread:
            (found,) = find_standing([mask], [stance], frame, depth)
            places += [] if found is None else [found.box]
    enough = len(places) >= PLACED_SHARE * len(views)
    return places if enough and (spread or 2 * sparse > len(views)) else []


def _anchor(
    target: Target,
    scene: StoredScene,
    segmenter: Segmenter,
    config: VlmGrounderConfig,
    progress: Progress,
) -> TakenView:
    number = target.frame.frame_number
    try:
        stored = StoredView(target.frame, scene.memory.depth_image(number))
    except SceneMemoryError as error:
        raise ReasoningError(
            "not_found", f"frame {number} is stored without depth, so nothing in it has a place"
        ) from error
    mask = _anchor_mask(stored, target.box_px, segmenter)
    progress.note(f"masks: {segmenter.name}")
    if mask is None:
        progress.note(f"frame {number}: nothing could be cut out of the box, so all of it is taken")
        mask = _whole(target.box_px)
    view = find_view(stored, target.box_px, mask, target.frame.world_T_camera, config)
    if view is None:
        raise ReasoningError(
            "not_found",
            f"no depth was measured on what was found in frame {number}: it may be too near, too"
            " far, dark or glossy",
        )
    kept = view.clean.mask.bits.sum() / mask.bits.sum()
    progress.note(
        f"frame {number}: a mask of {mask.bits.sum()} pixels; eroded by {view.clean.erosion_px},"
        f" its largest parts have {kept:.0%} of it"
    )
    return view


def _anchor_mask(stored: StoredView, box_px: BoxPx, segmenter: Segmenter) -> BoxMask | None:
    try:
        return find_mask(segmenter, stored, box_px)
    except FrameError as error:
        raise ReasoningError(
            "not_found",
            f"the image of frame {stored.frame.frame_number} is damaged, so nothing is cut out:"
            f" {error}",
        ) from error
    except PerceptionError as error:
        raise ReasoningError(
            "model_failed", f"{segmenter.name} failed on an image: {error}"
        ) from error


def _whole(box_px: BoxPx) -> BoxMask:
    x0, y0, x1, y1 = (int(value) for value in np.rint(box_px))
    return BoxMask(x0, y0, np.ones((max(1, y1 - y0), max(1, x1 - x0)), np.bool_))


def _views_step(views: list[TakenView], others: OtherViews) -> str:
    shown = ", ".join(
        f"{view.stored.frame.frame_number} ({view.chamfer_m:.3f} m apart)" for view in views[1:]
    )
    text = f"other views: {shown or 'none'}"
    if others.repaired:
        laid = ", ".join(f"{n} by {m} features" for n, m in others.repaired.items())
        text += f"; poses of frames that depth contradicts found anew: {laid}"
    left_out = others.left_out()
    return f"{text}; left out: {left_out}" if left_out else text


class Joined(NamedTuple):
    """Several views joined.

    Attributes:
        surface: the union of the views without outliers.
        union: number of samples with outliers.
    """

    box: Box3D
    surface: Surface
    union: int


def box_of_views(
    views: Sequence[TakenView], config: VlmGrounderConfig, floor_z: float | None = None
) -> Joined:
    """The union of at least one view, without outliers, and its box (sections 3.4 and 4.1).

    Beyond the paper: samples on the floor count only beneath the object. Masks spill over to the
    floor, which would connect an object to everything around it.

    Args:
        floor_z: height of the floor in metres; None: not known.
    """
    union = fused([view.surface_view for view in views])
    ground = np.zeros(len(union.surface), np.bool_)
    if floor_z is not None:
        ground = on_floor(union.surface, floor_z)
    standing = Fused(union.surface.select(~ground), union.confirmed[~ground])
    surface = without_outliers(standing, config.outlier_neighbors, config.outlier_deviations)
    if ground.any():
        surface = Surface.union([surface, beneath(union.surface.select(ground), surface)])
    return Joined(box_around(surface), surface, len(union.surface))


def find_floor_z(snapshot: MemorySnapshot) -> float | None:
    """Height of the floor in metres; None where the map has none."""
    floors = (plane for plane in snapshot.structure.values() if plane.kind == "floor")
    return next((plane.box.top_z for plane in floors), None)


def on_floor(surface: Surface, floor_z: float) -> NDArray[np.bool_]:
    """Whether each sample (M,) lies on the floor; False for all of an object that is itself
    flat."""
    found: NDArray[np.bool_] = np.abs(surface.points[:, 2] - np.float32(floor_z)) < _NEAR_FLOOR_M
    if np.count_nonzero(~found) < _FLAT * len(found):
        return np.zeros(len(found), np.bool_)
    return found


def beneath(ground: Surface, thing: Surface) -> Surface:
    """The samples of the floor within the bounds of the object, seen from above.

    Args:
        thing: at least one sample.
    """
    plan = thing.points[:, :2]
    low, high = plan.min(axis=0), plan.max(axis=0)
    inside = (ground.points[:, :2] >= low) & (ground.points[:, :2] <= high)
    return ground.select(inside.all(axis=1))
