"""The map of the running nodes as what a method knows of a scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.rooms.questions import get_room
from scenemind.memory import MemoryAccess
from scenemind.simulation import match_objects


class LiveSource:
    """A `RoomSource` of one scene: where that is a simulated room, its real objects are known."""

    has_true_ids = False

    def __init__(self, memory: MemoryAccess, scene_id: str, recording: str, detector: str) -> None:
        """
        Args:
            recording, detector: by name; results tell them.
        """
        self.name = f"mapped live from {recording}, detections by the {detector}"
        self._memory = memory
        self._scene_id = scene_id
        self._instances: Mapping[int, int] | None = None

    def check(self, scene_id: str) -> None:
        """See `SceneSource`."""
        if scene_id != self._scene_id:
            raise EvaluationError(f"{scene_id} was not played: the nodes mapped {self._scene_id}")

    @contextmanager
    def opened(self, scene_id: str) -> Iterator[MemoryAccess]:
        """See `SceneSource`."""
        self.check(scene_id)
        yield self._memory

    def instance_of(self, scene_id: str) -> Mapping[int, int]:
        """See `RoomSource`."""
        if self._instances is None:
            objects = self._memory.snapshot().objects.values()
            self._instances = match_objects(objects, get_room(scene_id)).instance_of
        return self._instances
