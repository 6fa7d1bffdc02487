"""Viewpoint of a question: given, found from a situation in words, or the camera's; what lies where
for somebody who stands there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.language.referring.reader import read
from scenemind.language.situation import ROOM, read_situation
from scenemind.language.trees import NounPhrase, Related, View, Viewer
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.query import Query
from scenemind.reasoning.symbolic.scene import Scene, Scores

Array = NDArray[np.float64]
_EYES_M = 1.2
_STEP_M, _MOST_STEPS = 0.3, 40
_HEADINGS = 24
# Bounds for maps of thousands of objects: candidates of a name a place, seats beside the grid.
_MOST_LOOKED_AT, _MOST_SEATS = 6, 200
# Least score of a clue, so that one wrong word does not decide.
_LEAST = 0.05
# Largest gap of "at", scale of "near" beyond it, and scale over which directions fade.
_AT_M, _NEAR_M, _FAR_M = 0.5, 0.5, 4.0
# Share of a direction's score that depends on the angle.
_FRONTAL = 0.8
# Furniture starts below and ends above these heights; longer boxes are walls.
_LIFTED_M, _FLAT_M, _HALL_M = 0.4, 0.3, 3.0
_BLOCKED = 0.5
# Loss of score from the middle of the scene to its edge.
_MARGIN = 0.6
# Weight of looking into the room for a seated asker: seats stand with their backs to walls.
_INWARD = 0.3
# Least share of the best label's score.
_AS_GOOD = 0.9
# What the asker sits on, towards them.
_SEAT = "supports"
_BEARINGS = {"in front of": 0.0, "in view of": 0.0, "right of": 0.5, "behind": 1.0, "left of": -0.5}


def bearing_of(predicate: str) -> float | None:
    """Direction of things of which a relation to the viewer is true, in radians clockwise from
    ahead, in (-pi, pi]; None: they may lie anywhere."""
    hour, _, clock = predicate.partition(" ")
    if clock == "o'clock":
        return math.remainder(int(hour) * math.pi / 6.0, 2.0 * math.pi)
    return math.pi * _BEARINGS[predicate] if predicate in _BEARINGS else None


def viewpoint_of(query: Query, scene: Scene) -> Viewpoint | None:
    """The query's viewpoint, else where its situation puts it, else the camera's latest pose; None
    where none of them is known."""
    if query.viewpoint is not None:
        return Viewpoint.of_body(query.viewpoint)
    described = find_viewpoint(query.situation, scene) if query.situation else None
    camera = scene.snapshot.world_T_camera
    return described or (None if camera is None else Viewpoint.of_camera(camera))


def find_viewpoint(text: str, scene: Scene) -> Viewpoint | None:
    """Viewpoint that fits a situation best; None where it names no known thing.

    Every place of a grid and every heading is scored by how well all clues hold there. What has
    none may say where one comes from: "with my back to the window", "when I enter the room".
    """
    clues = read_situation(text)
    if not clues:
        return _entering(text, scene)
    named = {noun: rows for noun in dict.fromkeys(thing.noun for thing, _ in clues)
             if len(rows := _rows(noun, scene))}  # fmt: skip
    looks_inward = any(thing.noun == ROOM for thing, _ in clues)
    clues = tuple(clue for clue in clues if clue[0].noun in named)
    if not clues:
        return None
    x, y = _grid(scene)
    seats = [scene.center[named[thing.noun], :2][:_MOST_SEATS]
             for thing, place in clues if place.predicate == _SEAT]  # fmt: skip
    places = np.concatenate([np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2), *seats])
    nearest = {noun: _Nearest.find(rows, scene, places) for noun, rows in named.items()}
    headings = np.linspace(-math.pi, math.pi, _HEADINGS, endpoint=False)
    log_scores = np.zeros((len(places), _HEADINGS))
    for thing, place in clues:
        scores = _clue_scores(place.predicate, nearest[thing.noun], headings)
        log_scores += np.log(_LEAST + scores)
    log_scores[: len(x) * len(y)] += np.log(_free_scores(scene, x, y))[:, None]
    log_scores += np.log(_inside_scores(scene, places))[:, None]
    if seats or looks_inward:
        inward = np.log(_LEAST + _inward_scores(scene, places, headings))
        log_scores += (1.0 if looks_inward else _INWARD) * inward
    at, heading = np.unravel_index(int(np.argmax(log_scores)), log_scores.shape)
    ahead = _directions(headings)[heading]
    position = np.append(places[at], scene.floor_z + _EYES_M)
    return Viewpoint(position, ahead, "the situation")


def seen_by(view: View, rows: NDArray[np.intp], scene: Scene, origin: str) -> Viewpoint | None:
    """Viewpoint of somebody who faces things from the middle of what is known, or who stands at
    them and looks at that middle; None without any, and of who faces something that is not said.

    Args:
        rows: (M,) of the things that a view is about; those of the door where it names none.
    """
    if not len(rows) or (view.kind == "facing" and view.reference is None):
        return None
    where = scene.center[rows, :2].mean(axis=0)
    ends = (scene.middle, where) if view.kind == "facing" else (where, scene.middle)
    return Viewpoint.looking(ends[0], ends[1], origin)


def _entering(text: str, scene: Scene) -> Viewpoint | None:
    view = read(f"{text}, the thing").view
    if view is None:
        return None
    noun = view.reference.noun if isinstance(view.reference, NounPhrase) else "door"
    return seen_by(view, _rows(noun, scene), scene, "the situation")


@dataclass(frozen=True, slots=True)
class _Nearest:
    """The nearest objects of one name from each place.

    Attributes:
        gaps_m: (P, K) to their boxes, seen from above; 0 inside one.
        toward: (P, K, 2) unit vectors to their middles; 0 at a middle.
    """

    gaps_m: Array
    toward: Array

    @classmethod
    def find(cls, rows: NDArray[np.intp], scene: Scene, places: Array) -> _Nearest:
        """Nearest of the things in `rows`, by their centres."""
        count = min(_MOST_LOOKED_AT, len(rows))
        _, which = scipy.spatial.KDTree(scene.center[rows, :2]).query(places, k=range(1, count + 1))
        found, here = rows[which], places[:, None]
        beside = np.clip(here, scene.low[found, :2], scene.high[found, :2]) - here
        offset = scene.center[found, :2] - here
        away_m = np.maximum(np.hypot(offset[..., 0], offset[..., 1]), 1e-9)
        return cls(np.hypot(beside[..., 0], beside[..., 1]), offset / away_m[..., None])


def _rows(noun: str, scene: Scene) -> NDArray[np.intp]:
    matches = scene.matches(noun)
    best = max((match.score for match in matches), default=0.0)
    good = (match.label for match in matches if match.score >= _AS_GOOD * best)
    return np.array(sorted(scene.rows_called(good)), np.intp)


def _grid(scene: Scene) -> tuple[Array, Array]:
    """Coordinates (X,) and (Y,) of a grid over the whole scene."""
    low, high = scene.room
    step = max(_STEP_M, float((high - low).max()) / _MOST_STEPS)
    return np.arange(low[0], high[0] + step, step), np.arange(low[1], high[1] + step, step)


def _clue_scores(predicate: str, nearest: _Nearest, headings: Array) -> Array:
    """Scores in [0, 1] of a thing's relation to the asker, by place and heading, by the best thing
    from each place.

    (P, H), or (P, 1) where the heading does not matter.
    """
    if predicate == _SEAT:
        return (nearest.gaps_m.min(axis=1) <= 0.0).astype(np.float64)[:, None]
    bearing_rad = bearing_of(predicate)
    if bearing_rad is None:
        beyond_m = np.maximum(nearest.gaps_m.min(axis=1) - _AT_M, 0.0)
        return np.asarray(1.0 / (1.0 + (beyond_m / _NEAR_M) ** 2))[:, None]
    # A thing at this bearing lies in this direction.
    directions = _directions(headings - bearing_rad)
    scores = np.zeros((len(nearest.gaps_m), len(headings)))
    for gaps_m, toward in zip(nearest.gaps_m.T, nearest.toward.transpose(1, 0, 2), strict=True):
        fits = np.clip((1.0 - _FRONTAL) + _FRONTAL * (toward @ directions.T), 0.0, 1.0)
        np.maximum(scores, fits / (1.0 + gaps_m / _FAR_M)[:, None], out=scores)
    return scores


def _inside_scores(scene: Scene, places: Array) -> Array:
    """Scores (P,): higher in the middle of the room than behind its doors and windows."""
    low, high = scene.room
    off = np.abs(places - scene.middle) / np.maximum((high - low) / 2.0, 1e-9)
    return np.asarray(1.0 - _MARGIN * np.clip(off.max(axis=1), 0.0, 1.0))


def _inward_scores(scene: Scene, places: Array, headings: Array) -> Array:
    """Scores (P, H) in [0, 1] for looking towards the middle of the scene."""
    inward = scene.middle - places
    inward /= np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), 1e-9)
    return np.asarray((1.0 + inward @ _directions(headings).T) / 2.0)


def _directions(angles_rad: Array) -> Array:
    """Unit vectors (H, 2) of angles."""
    return np.column_stack((np.cos(angles_rad), np.sin(angles_rad)))


def _free_scores(scene: Scene, x: Array, y: Array) -> Array:
    """Scores (Y * X,) of grid places: lower inside furniture."""
    floor_z = scene.floor_z
    sizes = (scene.high - scene.low)[:, :2].max(axis=1, initial=0.0)
    standing = (scene.low[:, 2] < floor_z + _LIFTED_M) & (scene.high[:, 2] > floor_z + _FLAT_M)
    rows = scene.is_object & standing & (sizes < _HALL_M)
    low, high = scene.low[rows], scene.high[rows]
    in_x = (x[:, None] > low[:, 0]) & (x[:, None] < high[:, 0])
    in_y = (y[:, None] > low[:, 1]) & (y[:, None] < high[:, 1])
    # Number of boxes over each place: those in its column and in its line.
    boxes = in_y.astype(np.float64) @ in_x.T.astype(np.float64)
    return np.where(boxes > 0.0, _BLOCKED, 1.0).ravel()


# Angle beyond the width of a place over which the score falls to 0.
_FADE_RAD = math.radians(30.0)
# Angles to both sides of a direction within which things lie there.
_HOUR_RAD = math.radians(25.0)
_WIDTHS = {
    **dict.fromkeys(("left of", "right of", "in front of", "behind"), math.radians(50.0)),
    "in view of": math.radians(75.0),
}
_TOWARD_RAD = 0.35
# Largest object that surrounds the asker and so lies on no side, such as a chair.
_ABOUT_M = 1.2


class Surroundings:
    """Bearings and distances of a scene relative to one viewer.

    Attributes:
        bearing_rad: (N,) of the centres, clockwise from ahead, in (-pi, pi].
        gap_m: (N,) level distance to the boxes; 0 inside one.
        holds_viewer: (N,) bool: small objects that the viewer is on or in.
    """

    def __init__(self, scene: Scene, viewpoint: Viewpoint) -> None:
        self.scene = scene
        self.viewpoint = viewpoint
        here = viewpoint.position[:2]
        self.bearing_rad = self._bearings(scene.center[:, :2])
        nearest = np.clip(here, scene.low[:, :2], scene.high[:, :2])
        self.gap_m: Scores = np.linalg.norm(nearest - here, axis=1)
        self._nearest_rad = self._bearings(0.5 * nearest + 0.5 * scene.center[:, :2])
        small = (scene.high - scene.low)[:, :2].max(axis=1, initial=0.0) <= _ABOUT_M
        self.holds_viewer: NDArray[np.bool_] = (self.gap_m <= 0.0) & small

    def scores(self, place: Related) -> Scores:
        """Scores (N,) of all objects for a relation to the viewer."""
        bearing_rad = bearing_of(place.predicate)
        if bearing_rad is None:
            return np.asarray(1.0 / (1.0 + 4.0 * self.gap_m**2))
        if Viewer(turned=True) in place.anchors:
            bearing_rad += math.pi
        return self.towards(bearing_rad, _WIDTHS.get(place.predicate, _HOUR_RAD))

    def towards(self, bearing_rad: float, half_width_rad: float) -> Scores:
        """Scores (N,) for lying in a direction, clockwise from ahead: 1 within the angle to both
        sides, and fading beyond it."""
        off = np.minimum(
            _between(self.bearing_rad, bearing_rad), _between(self._nearest_rad, bearing_rad)
        )
        fading = 1.0 - (off - half_width_rad) / _FADE_RAD
        return np.where(self.holds_viewer, 0.0, np.clip(fading, 0.0, 1.0))

    def before(self, row: int) -> Scores:
        """Scores (N,) for being between the viewer and a thing."""
        ahead = self.towards(float(self.bearing_rad[row]), _TOWARD_RAD)
        return np.asarray(ahead * (self.gap_m < self.gap_m[row]))

    def _bearings(self, points: NDArray[np.float64]) -> Scores:
        offset = points - self.viewpoint.position[:2]
        ahead, right = offset @ self.viewpoint.ahead, offset @ self.viewpoint.right
        return np.arctan2(right, ahead)


def _between(angles_rad: Scores, bearing_rad: float) -> Scores:
    return np.asarray(np.abs((angles_rad - bearing_rad + math.pi) % (2.0 * math.pi) - math.pi))
