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
    place, heading = np.unravel_index(int(np.argmax(log_scores)), log_scores.shape)
    ahead = np.array((math.cos(headings[heading]), math.sin(headings[heading])))
    position = np.append(places[place], scene.floor_z + _EYES_M)
    return Viewpoint(position, ahead, "the situation")


def _rows(clue: Clue, scene: Scene, vocabulary: Vocabulary) -> NDArray[np.intp]:
    matches = vocabulary.match(clue.thing.noun, scene.rows_of_label)
    best = max((match.score for match in matches), default=0.0)
    rows = [row for match in matches if match.score >= 0.9 * best
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
    nearest = np.clip(places[:, None], scene.low[rows, :2], scene.high[rows, :2])
    gaps = np.linalg.norm(nearest - places[:, None], axis=2)
    if clue.place.bearing_rad is None:
        scores = (gaps <= 0.0) * 1.0 if clue.is_seat else 1.0 / (1.0 + (gaps / _NEAR_M) ** 2)
        return np.repeat(scores.max(axis=1)[:, None], len(headings), axis=1)
    toward = scene.center[rows, :2] - places[:, None]
    angles = np.arctan2(toward[..., 1], toward[..., 0])
    bearings = headings[None, None] - angles[..., None] - clue.place.bearing_rad
    facing = np.clip(0.2 + 0.8 * np.cos(bearings), 0.0, 1.0)
    return np.asarray((facing / (1.0 + gaps / _FAR_M)[..., None]).max(axis=1))


def _free_scores(scene: Scene, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """(P,): who stands does not stand in furniture, if it can be helped."""
    furniture = scene.is_object & (scene.low[:, 2] < scene.floor_z + 0.4)
    furniture &= scene.high[:, 2] > scene.floor_z + 0.3
    size = scene.high[:, :2] - scene.low[:, :2]
    furniture &= size.max(axis=1, initial=0.0) < 3.0
    inside = (places[:, None] > scene.low[furniture, :2]) & (
        places[:, None] < scene.high[furniture, :2]
    )
    return np.where(inside.all(axis=2).any(axis=1), 0.5, 1.0)
