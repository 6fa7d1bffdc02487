"""One-to-one assignment, and association of detections with tracks."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.config import TrackerConfig
from scenemind.perception.association import assign, associate, depth_agrees
from scenemind.perception.camera_motion import places_at
from scenemind.perception.kalman import BoxStates
from scenemind.perception.measurements import Measurements
from scenemind.perception.tracks import LOST, TRACKED, Tracks

from .scenes import CAMERA


@settings(deadline=None)  # the first call imports a part of SciPy
@given(st.integers(0, 2**16), st.integers(0, 5), st.integers(0, 5))
def test_the_sum_of_allowed_pairs_is_the_highest(seed: int, rows: int, columns: int) -> None:
    random = np.random.default_rng(seed)
    value = random.uniform(size=(rows, columns))
    allowed = random.uniform(size=(rows, columns)) < 0.6

    row, column = assign(value, allowed)

    assert len(set(row)) == len(row)
    assert len(set(column)) == len(column)
    assert allowed[row, column].all()
    gain = np.where(allowed, value, 0.0)
    gain = gain if rows <= columns else gain.T
    best = max(
        sum(gain[i, j] for i, j in enumerate(order))
        for order in permutations(range(gain.shape[1]), gain.shape[0])
    )
    np.testing.assert_allclose(value[row, column].sum(), best)


Box = tuple[float, float, float, float]
CHAIR, TABLE = 0, 1
BOX: Box = (100.0, 100.0, 200.0, 200.0)


def tracks(*rows: tuple[Box, int, float, int] | tuple[Box, int, float, int, int]) -> Tracks:
    """Each: box, label, depth in metres, status; perhaps a colour."""
    count = len(rows)
    states = BoxStates.starting_at(np.array([row[0] for row in rows]))
    depth = np.array([row[2] for row in rows])
    return Tracks(
        ids=np.arange(1, count + 1),
        label_codes=np.array([row[1] for row in rows]),
        status=np.array([row[3] for row in rows], np.int8),
        lived=np.ones(count, np.int64),
        missed=np.where([row[3] == LOST for row in rows], 10.0, 0.0),
        cut=np.zeros((count, 4), bool),
        places=places_at(states.position[:, :2], 1.0 / depth, CAMERA),
        appearance=_histograms([row[4:] for row in rows]),
        states=states,
    )


def measured(
    *rows: tuple[Box, int, float] | tuple[Box, int, float, int], score: float = 0.9
) -> Measurements:
    """Each: box, label, depth in metres; perhaps a colour."""
    return Measurements(
        boxes_px=np.array([row[0] for row in rows]),
        scores=np.full(len(rows), score, np.float32),
        label_codes=np.array([row[1] for row in rows]),
        inverse_depth=1.0 / np.array([row[2] for row in rows]),
        cut=np.zeros((len(rows), 4), bool),
        appearance=_histograms([row[3:] for row in rows]),
    )


def _histograms(colors: list[tuple[int, ...]]) -> NDArray[np.float32]:
    """(N, 3), all in the bin of that colour."""
    return np.array([np.eye(3)[color[0] if color else 0] for color in colors], np.float32)


def matched(known: Tracks, found: Measurements, appearance_weight: float = 0.0) -> list[int]:
    config = TrackerConfig(appearance_weight=appearance_weight)
    return associate(known, found, (640, 480), config).tolist()


def test_a_thing_at_another_depth_is_another_thing() -> None:
    """A thing passes at 1 m before one at 3 m, which stays visible beside it."""
    behind = (120.0, 110.0, 220.0, 210.0)
    known = tracks((BOX, CHAIR, 3.0, TRACKED))
    assert matched(known, measured((BOX, CHAIR, 1.0), (behind, CHAIR, 3.0))) == [1]
    assert matched(known, measured((BOX, CHAIR, 1.0))) == [-1]


def test_partly_hidden_thing_is_matched_by_label_and_depth() -> None:
    upper = (100.0, 100.0, 200.0, 118.0)
    known = tracks((BOX, CHAIR, 2.0, TRACKED))
    assert matched(known, measured((upper, CHAIR, 2.1))) == [0]
    assert matched(known, measured((upper, TABLE, 2.1))) == [-1]
    assert matched(known, measured((upper, CHAIR, 2.9))) == [-1]


def test_lost_track_matches_its_label_only() -> None:
    assert matched(tracks((BOX, CHAIR, 2.0, TRACKED)), measured((BOX, TABLE, 2.0))) == [0]
    assert matched(tracks((BOX, CHAIR, 2.0, LOST)), measured((BOX, TABLE, 2.0))) == [-1]


def test_live_track_takes_precedence_over_a_lost_one() -> None:
    known = tracks((BOX, CHAIR, 2.0, LOST), (BOX, CHAIR, 2.0, TRACKED))
    assert matched(known, measured((BOX, CHAIR, 2.0))) == [-1, 0]


def test_colours_decide_between_neighbours_where_configured() -> None:
    """A red and a green book; both have moved half-way to each other, so that overlap misleads."""
    left, right = (100.0, 100.0, 160.0, 160.0), (130.0, 100.0, 190.0, 160.0)
    red, green = 0, 1
    known = tracks((left, CHAIR, 2.0, TRACKED, red), (right, CHAIR, 2.0, TRACKED, green))
    found = measured((left, CHAIR, 2.0, green), (right, CHAIR, 2.0, red))
    assert matched(known, found) == [0, 1]
    assert matched(known, found, appearance_weight=0.9) == [1, 0]


def test_weak_detections_need_more_overlap_and_find_nothing_lost() -> None:
    aside = (150.0, 100.0, 250.0, 200.0)
    for status, box, expected in (
        (TRACKED, BOX, 0),
        (TRACKED, aside, -1),
        (LOST, BOX, -1),
    ):
        known = tracks((BOX, CHAIR, 2.0, status))
        assert matched(known, measured((box, CHAIR, 2.0), score=0.15)) == [expected]


def test_unknown_depth_agrees_unless_it_must_not() -> None:
    known, unknown = np.array([0.5]), np.array([0.0])
    assert depth_agrees(known, np.array([0.4]), 1.3).all()
    assert not depth_agrees(known, np.array([0.3]), 1.3).any()
    assert depth_agrees(known, unknown, 1.3).all()
    assert not depth_agrees(known, unknown, 1.3, if_unknown=False).any()
