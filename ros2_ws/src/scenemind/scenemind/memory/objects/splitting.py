"""Two things that were taken for one: the detector keeps showing both at once, apart.

When two objects were merged by mistake, their tracklets go on feeding one object: the better
observation of a frame is fused, the other one doubles it. Where the doubles are apart from what
was fused, they are collected as a rival. A view that shows both as one speaks against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from scenemind.config import ObjectMapConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
from scenemind.memory.objects.association import compare_boxes
from scenemind.memory.objects.map_entry import MapEntry
from scenemind.memory.objects.matching import Match
from scenemind.perception.types import Observation

# Frames that show both, less those that show one, before an object is split.
SPLIT_AFTER = 12
# An observation that covers this share of the rival shows both as one.
COVERS = 0.5


class Rivals:
    """What may have to be split off, by object."""

    def __init__(self, config: ObjectMapConfig) -> None:
        self._config = config
        self._of: dict[int, tuple[MapEntry, int]] = {}

    def watch(
        self, observations: Sequence[Observation], matches: Sequence[Match], frame: RGBDFrame
    ) -> dict[int, MapEntry]:
        """Collect from one frame; what is to be split off now, by the object that it was part of.

        The entries have no id yet.
        """
        fused: dict[int, Observation] = {}
        doubles: list[tuple[int, Observation]] = []
        for observation, match in zip(observations, matches, strict=True):
            if match.object_id is not None and match.doubles:
                doubles.append((match.object_id, observation))
            elif match.object_id is not None:
                fused[match.object_id] = observation
        for object_id, observation in doubles:
            if object_id in fused and _share(observation.box, fused[object_id].box) == 0.0:
                self._add(object_id, observation, frame)
        ready = {}
        for object_id in sorted(self._of.keys() & fused.keys()):
            rival, votes = self._of[object_id]
            if _share(fused[object_id].box, rival.box) >= COVERS:
                self._of[object_id] = rival, votes - 2
            if votes <= 0:
                del self._of[object_id]
            elif votes >= SPLIT_AFTER:
                ready[object_id] = self._of.pop(object_id)[0]
        return ready

    def forget(self, object_ids: Iterable[int]) -> None:
        """Objects that are no more have no rivals."""
        for object_id in object_ids:
            self._of.pop(object_id, None)

    def _add(self, object_id: int, observation: Observation, frame: RGBDFrame) -> None:
        rival, votes = self._of.get(object_id, (None, 0))
        if rival is None:
            rival = MapEntry(0, self._config, frame.stamp_ns)
        rival.add(observation, frame.stamp_ns, frame.world_T_camera.translation)
        self._of[object_id] = rival, votes + 1


def split(entry: MapEntry, rival: MapEntry) -> bool:
    """Take the rival's part out of an object, which keeps the larger part; False: nothing is left.

    Afterwards the rival is the other part, an object of its own.
    """
    if not entry.surface.leave_out(rival.box):
        return False
    if rival.box.volume > entry.box.volume:
        entry.surface, rival.surface = rival.surface, entry.surface
    entry.track_ids = [i for i in entry.track_ids if i not in rival.track_ids]
    rival.confirmed = True
    return True


def _share(a: Box3D, b: Box3D) -> float:
    """Of the smaller box that lies in the other one."""
    compared = compare_boxes(np.array([a.extent()]), np.array([b.extent()]))
    return float(compared.share[0])
