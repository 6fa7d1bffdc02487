"""The tracker's table: one row a track."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.kalman import BoxStates

UNCONFIRMED, TRACKED, LOST = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """T tracks as columns; changed by replacing the table.

    Attributes:
        ids: (T,) int64, from 1, never used twice.
        label_codes: (T,) int64, the tracker's own numbering of labels.
        status: (T,) int8: UNCONFIRMED (seen once), TRACKED, LOST.
        first_frame, last_frame: (T,) int64, frames counted by the tracker.
        inverse_depth: (T,) float64 in 1/m at the last known place; 0 where unknown.
        states: the filter.
    """

    ids: NDArray[np.int64]
    label_codes: NDArray[np.int64]
    status: NDArray[np.int8]
    first_frame: NDArray[np.int64]
    last_frame: NDArray[np.int64]
    inverse_depth: NDArray[np.float64]
    states: BoxStates

    @classmethod
    def empty(cls) -> Tracks:
        none = np.zeros(0, np.int64)
        return cls(
            none,
            none,
            np.zeros(0, np.int8),
            none,
            none,
            np.zeros(0),
            BoxStates.starting_at(np.zeros((0, 4))),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def select(self, rows: NDArray[np.bool_]) -> Tracks:
        return Tracks(
            self.ids[rows],
            self.label_codes[rows],
            self.status[rows],
            self.first_frame[rows],
            self.last_frame[rows],
            self.inverse_depth[rows],
            self.states.select(rows),
        )

    def joined(self, other: Tracks) -> Tracks:
        return Tracks(
            np.concatenate((self.ids, other.ids)),
            np.concatenate((self.label_codes, other.label_codes)),
            np.concatenate((self.status, other.status)),
            np.concatenate((self.first_frame, other.first_frame)),
            np.concatenate((self.last_frame, other.last_frame)),
            np.concatenate((self.inverse_depth, other.inverse_depth)),
            self.states.joined(other.states),
        )
