"""Multi-view ensemble projection: a box in an image to a box in the world (paper, section 3.4)."""

from __future__ import annotations

import numpy as np

from scenemind.config import VlmGrounderConfig
from scenemind.frames import FrameError
from scenemind.memory import FrameIndex, MemoryAccess, SceneMemoryError
from scenemind.perception.errors import PerceptionError
from scenemind.perception.protocols import Segmenter
from scenemind.perception.types import BoxMask
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection.joining import joined
from scenemind.reasoning.vlm_grounder.projection.other_views import OtherViews
from scenemind.reasoning.vlm_grounder.projection.stored_view import StoredView
from scenemind.reasoning.vlm_grounder.projection.taken_view import TakenView, ViewTaker
from scenemind.reasoning.vlm_grounder.types import BoxPx, Measured, Target


def measure(
    target: Target,
    memory: MemoryAccess,
    index: FrameIndex,
    segmenter: Segmenter,
    config: VlmGrounderConfig,
    asking: Asking,
    floor_z: float | None = None,
) -> Measured:
    """The target's points and box from its own view and up to N - 1 others.

    Args:
        index: of the memory, all frames that may be looked at.
        floor_z: height of the floor (`find_floor_z`); None: nobody knows it.

    Raises:
        ReasoningError: of the target's own view: `not_found` where it has no depth of it, or its
            image is damaged; `model_failed` where the segmenter fails. Other views in which such a
            thing happens are left out.
        ModelError: the question was cancelled, or its time ended while the segmenter was waited
            for.
    """
    steps: list[str] = []
    with asking.trail.kept(steps):
        taker = ViewTaker(segmenter, config)
        anchor = _anchor(target, memory, taker, steps)
        others = OtherViews(target, anchor, memory, index, taker, config, asking)
        views = [anchor, *others.find()]
        steps.append(_views_step(views, others))
        box, surface, union = joined(views, config, floor_z)
        steps.append(f"{union - len(surface)} of {union} points are outliers, or the floor's")
    return Measured(
        box,
        surface.points,
        tuple(view.as_measured() for view in views),
        taker.segmenter,
        tuple(steps),
    )


def _anchor(target: Target, memory: MemoryAccess, taker: ViewTaker, steps: list[str]) -> TakenView:
    number = target.frame.frame_number
    try:
        stored = StoredView(target.frame, memory.depth_image(number))
    except SceneMemoryError as error:
        raise ReasoningError(
            "not_found", f"frame {number} is stored without depth, so nothing in it has a place"
        ) from error
    mask = _anchor_mask(stored, target.box_px, taker)
    steps.append(f"masks: {taker.segmenter}")
    if mask is None:
        steps.append(f"frame {number}: nothing could be cut out of the box, so all of it is taken")
        mask = _whole(target.box_px)
    view = taker.find_view(stored, target.box_px, mask, target.frame.world_T_camera)
    if view is None:
        raise ReasoningError(
            "not_found",
            f"no depth was measured on what was found in frame {number}: it may be too near, too"
            " far, dark or glossy",
        )
    kept = view.clean.mask.bits.sum() / mask.bits.sum()
    steps.append(
        f"frame {number}: a mask of {mask.bits.sum()} pixels; eroded by {view.clean.erosion_px},"
        f" its largest parts have {kept:.0%} of it"
    )
    return view


def _anchor_mask(stored: StoredView, box_px: BoxPx, taker: ViewTaker) -> BoxMask | None:
    try:
        return taker.find_mask(stored, box_px)
    except FrameError as error:
        raise ReasoningError(
            "not_found",
            f"the image of frame {stored.frame.frame_number} is damaged, so nothing is cut out:"
            f" {error}",
        ) from error
    except PerceptionError as error:
        raise ReasoningError(
            "model_failed", f"{taker.segmenter} failed on an image: {error}"
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
