"""A scene from above, with what was meant and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scenemind.geometry import Box3D, Pose
from scenemind.memory import MapObject
from scenemind.report.building_outlines import is_building
from scenemind.report.label_places import Anchor, LabelPlace, place_labels
from scenemind.report.templating import Markup, render_of
from scenemind.report.view import View, grid_of, view_of

_PACKAGE = "scenemind.evaluation.page"
_STEP_M = 0.6  # length of the arrow of who asks
_TEXT_SCALE = 2.0  # labels are so much larger than `place_labels` has them: pages shrink drawings


@dataclass(frozen=True, slots=True)
class Marked:
    """
    Attributes:
        kind: "true" or "found", as the drawing's style has it.
    """

    kind: str
    text: str
    box: Box3D


@dataclass(frozen=True, slots=True)
class _Shape:
    """An outline, ready to draw."""

    kind: str
    text: str
    outline: str
    label: LabelPlace | None = None


def draw_scene(
    objects: Mapping[int, MapObject], marked: Sequence[Marked], viewpoint: Pose | None = None
) -> Markup:
    """SVG: objects faint, with their names where somebody points at them, and what is marked.

    Args:
        objects: of the scene, world.
        viewpoint: `world_T_head` of who asks, x forward.
    """
    boxes = [thing.yaw_box for thing in objects.values()] + [one.box for one in marked]
    corners = [box.footprint() for box in boxes]
    if viewpoint is not None:
        corners.append(viewpoint.translation[None, :2].astype(np.float64))
    view = view_of(corners)
    anchors = [_anchor(one, view) for one in marked]
    places = place_labels(anchors, view.width / _TEXT_SCALE, view.height / _TEXT_SCALE)
    return render_of(
        _PACKAGE,
        "scene.svg.j2",
        view=view,
        grid=grid_of(view),
        objects=[
            _Shape(
                "building" if is_building(thing) else "object",
                f"{thing.label} {thing.object_id}",
                _outline(thing.yaw_box, view),
            )
            for thing in objects.values()
        ],
        marked=[
            _Shape(one.kind, one.text, _outline(one.box, view), _enlarged(place))
            for one, place in zip(marked, places, strict=True)
        ],
        arrow=None if viewpoint is None else _arrow(viewpoint, view),
    )


def _outline(box: Box3D, view: View) -> str:
    return view.points(box.footprint())


def _anchor(marked: Marked, view: View) -> Anchor:
    low, high = marked.box.bounds()
    half = (high - low)[:2] * view.px_per_m / 2
    x, y = view.x(marked.box.center[0]), view.y(marked.box.center[1])
    return Anchor(marked.text, *(float(px) / _TEXT_SCALE for px in (x, y, *half)))


def _enlarged(place: LabelPlace | None) -> LabelPlace | None:
    if place is None:
        return None
    return LabelPlace(place.x * _TEXT_SCALE, place.y * _TEXT_SCALE, place.needs_line)


def _arrow(viewpoint: Pose, view: View) -> tuple[float, float, float, float]:
    start = viewpoint.translation
    tip = start + _STEP_M * viewpoint.rotation[:, 0]
    return view.x(start[0]), view.y(start[1]), view.x(tip[0]), view.y(tip[1])
