"""Identity switches, counted as CLEAR-MOT defines them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment


class SwitchCounter:
    """Compares track ids with true identities, frame by frame.

    An identity switch (Bernardin and Stiefelhagen 2008, "mismatch") is a true object that is seen
    with another track id than the last time it had one, however long ago that was. Where two
    detections show one object, the one that continues its track counts, else the first. Detections
    without a track are misses and no switches; a fragmentation is a tracked object that has
    detections without a track and is tracked again.

    A tracker that gives fewer ids has fewer switches to make. `idf1` (Ristani et al. 2016) does not
    reward that: the share of detections that carry the one id that fits their object best.

    Attributes:
        switches: all of them.
        in_view: those of objects that were tracked in the frame before.
        fragmentations: see above.
        tracked: detections of true objects that had a track.
        missed: detections of true objects that had none.
    """

    def __init__(self) -> None:
        self.switches = self.in_view = self.fragmentations = 0
        self.tracked = self.missed = 0
        self._frame = 0
        self._last: dict[int, tuple[int, int]] = {}
        self._interrupted: set[int] = set()
        self._together: Counter[tuple[int, int]] = Counter()

    def add(self, true_ids: NDArray[np.integer], track_ids: NDArray[np.integer]) -> None:
        """One frame.

        Args:
            true_ids: (N,) identity of each detection, 0 where it shows no true object.
            track_ids: (N,) from the tracker, -1 for no track.
        """
        self._frame += 1
        seen: dict[int, list[int]] = {}
        for true_id, track_id in zip(true_ids.tolist(), track_ids.tolist(), strict=True):
            if true_id > 0:
                seen.setdefault(true_id, []).append(track_id)
        for true_id, candidates in seen.items():
            self._add_object(true_id, [track for track in candidates if track >= 0])

    def _add_object(self, true_id: int, tracks: list[int]) -> None:
        last = self._last.get(true_id)
        if not tracks:
            self.missed += 1
            if last is not None:
                self._interrupted.add(true_id)
            return
        self.tracked += 1
        track = tracks[0]
        if last is not None and last[0] in tracks:
            track = last[0]
        elif last is not None:
            self.switches += 1
            self.in_view += last[1] == self._frame - 1
        self.fragmentations += true_id in self._interrupted
        self._interrupted.discard(true_id)
        self._last[true_id] = (track, self._frame)
        self._together[true_id, track] += 1

    def identified(self) -> int:
        """Detections with their object's id, where each object and each id have one partner."""
        if not self._together:
            return 0
        rows, row = np.unique([true for true, _ in self._together], return_inverse=True)
        columns, column = np.unique([track for _, track in self._together], return_inverse=True)
        table = np.zeros((len(rows), len(columns)), dtype=np.int64)
        table[row, column] = list(self._together.values())
        return int(table[linear_sum_assignment(table, maximize=True)].sum())


def idf1(counters: Iterable[SwitchCounter]) -> float:
    """Of several drives together, in [0, 1]; ids on false positives do not count."""
    counted = list(counters)
    detections = sum(2 * c.tracked + c.missed for c in counted)
    return 2 * sum(c.identified() for c in counted) / detections if detections else 1.0
