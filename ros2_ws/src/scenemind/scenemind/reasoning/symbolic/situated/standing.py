"""Where one stands who says what lies about them: the place and heading that fit best."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.situation import Clue, read_situation
from scenemind.words.vocabulary import Vocabulary

_EYES_M = 1.2
_STEP_M, _MOST_STEPS = 0.3, 40
_HEADINGS = 24
# Bounds for maps of thousands of things: so many of a name are looked at from each place, and so
# many seats are tried beside the grid.
_MOST_LOOKED_AT, _MOST_SEATS = 6, 200
# What a clue that is not met at all costs: one wrong word must not decide.
_LEAST = 0.05
# At a thing is who stands this close to it. How fast "near" ends beyond, and directions fade with
# distance: people speak of what is about them.
_AT_M, _NEAR_M, _FAR_M = 0.5, 0.5, 4.0
# How much of a direction's score turns with the angle.
_FRONTAL = 0.8
# Furniture begins below and ends above these heights; longer boxes are walls that go around.
_LIFTED_M, _FLAT_M, _HALL_M = 0.4, 0.3, 3.0
_BLOCKED = 0.5
# How much less likely the edge of the scene is than its middle.
_MARGIN = 0.6
# How much who sits, and says no more, looks into the room: seats stand with their backs to walls.
_INWARD = 0.3
# Labels that fit nearly as well as the best are meant too.
_AS_GOOD = 0.9


@dataclass(frozen=True, slots=True)
class _Nearest:
    """From each place, the things of one name that are nearest to it.

    Attributes:
        gaps_m: (P, K) to their boxes, seen from above; 0 inside one.
        toward: (P, K, 2) unit vectors to their middles; 0 at a middle.
    """

    gaps_m: NDArray[np.float64]
    toward: NDArray[np.float64]

    @classmethod
    def find(cls, rows: NDArray[np.intp], scene: Scene, places: NDArray[np.float64]) -> _Nearest:
        """Of the things in `rows` those whose middles are nearest."""
        count = min(_MOST_LOOKED_AT, len(rows))
        _, which = KDTree(scene.center[rows, :2]).query(places, k=range(1, count + 1))
        found, here = rows[which], places[:, None]
        beside = np.clip(here, scene.low[found, :2], scene.high[found, :2]) - here
        offset = scene.center[found, :2] - here
        away_m = np.maximum(np.hypot(offset[..., 0], offset[..., 1]), 1e-9)
        return cls(np.hypot(beside[..., 0], beside[..., 1]), offset / away_m[..., None])


def find_viewpoint(text: str, scene: Scene, vocabulary: Vocabulary) -> Viewpoint | None:
    """Where the words put the one who asks; None where they name nothing that is known.

    Every place of a grid and every heading is scored by how well all clues hold there.
    """
    clues = read_situation(text)
    named = {noun: rows for noun in dict.fromkeys(clue.thing.noun for clue in clues)
             if len(rows := _rows(noun, scene, vocabulary))}  # fmt: skip
    clues = tuple(clue for clue in clues if clue.thing.noun in named)
    if not clues:
        return None
    x, y = _grid(scene)
    seats = [scene.center[named[clue.thing.noun], :2][:_MOST_SEATS]
             for clue in clues if clue.is_seat]  # fmt: skip
    places = np.concatenate([np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2), *seats])
    nearest = {noun: _Nearest.find(rows, scene, places) for noun, rows in named.items()}
    headings = np.linspace(-math.pi, math.pi, _HEADINGS, endpoint=False)
    log_scores = np.zeros((len(places), _HEADINGS))
    for clue in clues:
        log_scores += np.log(_LEAST + _clue_scores(clue, nearest[clue.thing.noun], headings))
    log_scores[: len(x) * len(y)] += np.log(_free_scores(scene, x, y))[:, None]
    log_scores += np.log(_inside_scores(scene, places))[:, None]
    if seats:
        log_scores += _INWARD * np.log(_LEAST + _inward_scores(scene, places, headings))
    place, heading = np.unravel_index(int(np.argmax(log_scores)), log_scores.shape)
    ahead = _directions(headings)[heading]
    position = np.append(places[place], scene.floor_z + _EYES_M)
    return Viewpoint(position, ahead, "the situation")


def _rows(noun: str, scene: Scene, vocabulary: Vocabulary) -> NDArray[np.intp]:
    matches = vocabulary.match(noun, scene.rows_of_label)
    best = max((match.score for match in matches), default=0.0)
    rows = [row for match in matches if match.score >= _AS_GOOD * best
            for row in scene.rows_of_label[match.label]]  # fmt: skip
    return np.array(sorted(rows), np.intp)


def _grid(scene: Scene) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Its (X,) and (Y,) coordinates, over the whole scene."""
    low, high = scene.low[:, :2].min(axis=0), scene.high[:, :2].max(axis=0)
    step = max(_STEP_M, float((high - low).max()) / _MOST_STEPS)
    x, y = (np.arange(a, b + step, step) for a, b in zip(low, high, strict=True))
    return x, y


def _clue_scores(
    clue: Clue, nearest: _Nearest, headings: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(P, H), or (P, 1) where the heading does not matter, in [0, 1]: by the thing that fits best
    from each place."""
    if clue.is_seat:
        return (nearest.gaps_m.min(axis=1) <= 0.0).astype(np.float64)[:, None]
    if clue.place.bearing_rad is None:
        beyond_m = np.maximum(nearest.gaps_m.min(axis=1) - _AT_M, 0.0)
        return np.asarray(1.0 / (1.0 + (beyond_m / _NEAR_M) ** 2))[:, None]
    # A thing at this bearing lies in this direction.
    directions = _directions(headings - clue.place.bearing_rad)
    scores = np.zeros((len(nearest.gaps_m), len(headings)))
    for gaps_m, toward in zip(nearest.gaps_m.T, nearest.toward.transpose(1, 0, 2), strict=True):
        fits = np.clip((1.0 - _FRONTAL) + _FRONTAL * (toward @ directions.T), 0.0, 1.0)
        np.maximum(scores, fits / (1.0 + gaps_m / _FAR_M)[:, None], out=scores)
    return scores


def _inside_scores(scene: Scene, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """(P,): one rather stands in the room than behind its doors and windows."""
    low, high = scene.low[:, :2].min(axis=0), scene.high[:, :2].max(axis=0)
    off = np.abs(places - (low + high) / 2.0) / np.maximum((high - low) / 2.0, 1e-9)
    return np.asarray(1.0 - _MARGIN * np.clip(off.max(axis=1), 0.0, 1.0))


def _inward_scores(
    scene: Scene, places: NDArray[np.float64], headings: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(P, H) in [0, 1]: by how much one looks towards the middle of the scene."""
    inward = (scene.low[:, :2].min(axis=0) + scene.high[:, :2].max(axis=0)) / 2.0 - places
    inward /= np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), 1e-9)
    return np.asarray((1.0 + inward @ _directions(headings).T) / 2.0)


def _directions(angles_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """(H, 2) unit."""
    return np.column_stack((np.cos(angles_rad), np.sin(angles_rad)))


def _free_scores(
    scene: Scene, x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(Y * X,) of a grid: who stands does not stand in furniture, if it can be helped."""
    floor_z = scene.floor_z
    sizes = (scene.high - scene.low)[:, :2].max(axis=1, initial=0.0)
    standing = (scene.low[:, 2] < floor_z + _LIFTED_M) & (scene.high[:, 2] > floor_z + _FLAT_M)
    rows = scene.is_object & standing & (sizes < _HALL_M)
    low, high = scene.low[rows], scene.high[rows]
    in_x = (x[:, None] > low[:, 0]) & (x[:, None] < high[:, 0])
    in_y = (y[:, None] > low[:, 1]) & (y[:, None] < high[:, 1])
    # How many boxes a place lies in: those of its column that are also those of its line.
    boxes = in_y.astype(np.float64) @ in_x.T.astype(np.float64)
    return np.where(boxes > 0.0, _BLOCKED, 1.0).ravel()
