"""The tracker's table: one row a track."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.kalman import BoxStates
from scenemind.perception.motion.places import Places

UNCONFIRMED, TRACKED, LOST = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """T tracks as columns; changed by replacing the table.

    Attributes:
        ids: (T,) int64, from 1, never used twice.
        label_codes: (T,) int64, the tracker's own numbering of labels.
        status: (T,) int8: UNCONFIRMED (seen once), TRACKED, LOST.
        lived: (T,) int64, frames from the first to the last one in which it was seen.
        missed: (T,) float64, frames since then; those in which it was out of view count less.
        cut: (T, 4) bool, which sides x0, y0, x1, y1 of the last measured box the image border cut.
        places: (T, 4), see `motion.places`; w = 0 where the depth is unknown.
        appearance: (T, 48) float32, a running mean of colour histograms; (T, 0) where unwanted.
        states: the filter.
    """

    ids: NDArray[np.int64]
    label_codes: NDArray[np.int64]
    status: NDArray[np.int8]
    lived: NDArray[np.int64]
    missed: NDArray[np.float64]
    cut: NDArray[np.bool_]
    places: Places
    appearance: NDArray[np.float32]
    states: BoxStates

    @classmethod
    def empty(cls, appearance_length: int) -> Tracks:
        none = np.zeros(0, np.int64)
        return cls(
            ids=none,
            label_codes=none,
            status=np.zeros(0, np.int8),
            lived=none,
            missed=np.zeros(0),
            cut=np.zeros((0, 4), np.bool_),
            places=np.zeros((0, 4)),
            appearance=np.zeros((0, appearance_length), np.float32),
            states=BoxStates.starting_at(np.zeros((0, 4))),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.integer]) -> Tracks:
        return Tracks(
            self.ids[rows],
            self.label_codes[rows],
            self.status[rows],
            self.lived[rows],
            self.missed[rows],
            self.cut[rows],
            self.places[rows],
            self.appearance[rows],
            self.states.select(rows),
        )

    def joined(self, other: Tracks) -> Tracks:
        return Tracks(
            np.concatenate((self.ids, other.ids)),
            np.concatenate((self.label_codes, other.label_codes)),
            np.concatenate((self.status, other.status)),
            np.concatenate((self.lived, other.lived)),
            np.concatenate((self.missed, other.missed)),
            np.concatenate((self.cut, other.cut)),
            np.concatenate((self.places, other.places)),
            np.concatenate((self.appearance, other.appearance)),
            self.states.joined(other.states),
        )
