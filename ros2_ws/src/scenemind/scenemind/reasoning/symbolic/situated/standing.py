"""Where one stands who says what lies about them: the place and heading that fit best."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.situation import Clue, read_situation
from scenemind.words.vocabulary import Vocabulary

_EYES_M = 1.2
_STEP_M, _MOST_STEPS = 0.3, 40
_HEADINGS = 24
# What a clue that is not met at all costs: one wrong word must not decide.
_LEAST = 0.05
# How fast "near" ends, and directions fade with distance: people speak of what is about them.
_NEAR_M, _FAR_M = 0.5, 4.0
# How much of a direction's score turns with the angle.
_FRONTAL = 0.8
# Furniture begins below and ends above these heights; longer boxes are walls that go around.
_LIFTED_M, _FLAT_M, _HALL_M = 0.4, 0.3, 3.0
_BLOCKED = 0.5
# How much less likely the edge of the scene is than its middle.
_MARGIN = 0.6
# Labels that fit nearly as well as the best are meant too.
_AS_GOOD = 0.9


def find_viewpoint(text: str, scene: Scene, vocabulary: Vocabulary) -> Viewpoint | None:
    """Where the words put the one who asks; None where they name nothing that is known.

    Every place of a grid and every heading is scored by how well all clues hold there.
    """
    clues = [(clue, rows) for clue in read_situation(text)
             if len(rows := _rows(clue, scene, vocabulary))]  # fmt: skip
    if not clues:
        return None
    places = _places(scene, clues)
    headings = np.linspace(-math.pi, math.pi, _HEADINGS, endpoint=False)
    log_scores = np.zeros((len(places), _HEADINGS))
    for clue, rows in clues:
        log_scores += np.log(_LEAST + _clue_scores(clue, rows, scene, places, headings))
    log_scores += np.log(_free_scores(scene, places))[:, None]
    log_scores += np.log(_inside_scores(scene, places))[:, None]
    place, heading = np.unravel_index(int(np.argmax(log_scores)), log_scores.shape)
    ahead = _directions(headings)[heading]
    position = np.append(places[place], scene.floor_z + _EYES_M)
    return Viewpoint(position, ahead, "the situation")


def _rows(clue: Clue, scene: Scene, vocabulary: Vocabulary) -> NDArray[np.intp]:
    matches = vocabulary.match(clue.thing.noun, scene.rows_of_label)
    best = max((match.score for match in matches), default=0.0)
    rows = [row for match in matches if match.score >= _AS_GOOD * best
            for row in scene.rows_of_label[match.label]]  # fmt: skip
    return np.array(sorted(rows), np.intp)


def _places(scene: Scene, clues: Sequence[tuple[Clue, NDArray[np.intp]]]) -> NDArray[np.float64]:
    """(P, 2): a grid over the scene, and the middles of what may be sat on."""
    low, high = scene.low[:, :2].min(axis=0), scene.high[:, :2].max(axis=0)
    step = max(_STEP_M, float((high - low).max()) / _MOST_STEPS)
    x, y = (np.arange(a, b + step, step) for a, b in zip(low, high, strict=True))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    seats = [scene.center[rows, :2] for clue, rows in clues if clue.is_seat]
    return np.concatenate([grid, *seats])


def _clue_scores(
    clue: Clue,
    rows: NDArray[np.intp],
    scene: Scene,
    places: NDArray[np.float64],
    headings: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(P, H) in [0, 1]: by the thing that fits best from each place."""
    scores = np.zeros((len(places), len(headings)))
    for row in rows.tolist():
        nearest = np.clip(places, scene.low[row, :2], scene.high[row, :2])
        gaps_m = np.linalg.norm(nearest - places, axis=1)
        if clue.is_seat:
            fits = (gaps_m <= 0.0).astype(np.float64)[:, None]
        elif clue.place.bearing_rad is None:
            fits = 1.0 / (1.0 + (gaps_m / _NEAR_M) ** 2)[:, None]
        else:
            # A thing at this bearing lies in this direction.
            directions = _directions(headings - clue.place.bearing_rad)
            cosines = _toward(scene.center[row, :2], places) @ directions.T
            fits = np.clip((1.0 - _FRONTAL) + _FRONTAL * cosines, 0.0, 1.0)
            fits = fits / (1.0 + gaps_m / _FAR_M)[:, None]
        np.maximum(scores, fits, out=scores)
    return scores


def _inside_scores(scene: Scene, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """(P,): one rather stands in the room than behind its doors and windows."""
    low, high = scene.low[:, :2].min(axis=0), scene.high[:, :2].max(axis=0)
    off = np.abs(places - (low + high) / 2.0) / np.maximum((high - low) / 2.0, 1e-9)
    return np.asarray(1.0 - _MARGIN * np.clip(off.max(axis=1), 0.0, 1.0))


def _toward(center: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """(P, 2) unit, from each place; 0 where it is the same."""
    offset = center - places
    lengths = np.linalg.norm(offset, axis=1, keepdims=True)
    return np.asarray(offset / np.maximum(lengths, 1e-9))


def _directions(angles_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """(H, 2) unit."""
    return np.column_stack((np.cos(angles_rad), np.sin(angles_rad)))


def _free_scores(scene: Scene, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """(P,): who stands does not stand in furniture, if it can be helped."""
    blocked = np.zeros(len(places), bool)
    floor_z = scene.floor_z
    sizes = (scene.high - scene.low)[:, :2].max(axis=1, initial=0.0)
    standing = (scene.low[:, 2] < floor_z + _LIFTED_M) & (scene.high[:, 2] > floor_z + _FLAT_M)
    for row in np.flatnonzero(scene.is_object & standing & (sizes < _HALL_M)).tolist():
        low, high = scene.low[row, :2], scene.high[row, :2]
        blocked |= ((places > low) & (places < high)).all(axis=1)
    return np.where(blocked, _BLOCKED, 1.0)
