"""Key frames as evidence: a stored image with the boxes of what it shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from scenemind.memory.disk import frame_files
from scenemind.memory.disk.changes import FrameRecord
from scenemind.memory.disk.frame_store import FrameStore
from scenemind.memory.disk.store import Store
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.types import KeyFrame

BoxPx = tuple[float, float, float, float]


class Evidence:
    """Reads key frames back from disk, also those that are still on their way there."""

    def __init__(self, store: Store, images: FrameStore, commit: Callable[[], None]) -> None:
        """Args: commit: writes what waits, so that the store has the newest frames."""
        self._store = store
        self._images = images
        self._commit = commit

    def has_image(self, number: int) -> bool:
        if not self._images.has(number):
            self._images.flush()
        return self._images.has(number)

    def key_frame(
        self,
        number: int,
        object_of: Callable[[int, int], int | None],
        wanted: Collection[int],
        score: float,
    ) -> KeyFrame:
        """A stored frame.

        Args:
            object_of: location id and track id -> object id.
            wanted: objects whose boxes go with it.

        Raises:
            SceneMemoryError: no image of this frame was stored.
        """
        record = self._store.find_frame(number)
        if record is None:
            self._commit()
            record = self._store.find_frame(number)
        if record is None or not self.has_image(number):
            raise SceneMemoryError(
                f"frame {number} has no stored image: only key frames do (see key_frames_of)"
            )
        return KeyFrame(
            frame_number=number,
            stamp_ns=record.stamp_ns,
            location_id=record.location_id,
            camera=record.camera,
            world_T_camera=record.world_T_camera,
            jpeg=frame_files.read_jpeg(self._images.folder, number),
            score=score,
            boxes_px=_boxes(record, object_of, wanted),
        )


def _boxes(
    record: FrameRecord, object_of: Callable[[int, int], int | None], wanted: Collection[int]
) -> Mapping[int, BoxPx]:
    """Of several detections of one object, the surest."""
    best: dict[int, tuple[float, BoxPx]] = {}
    for node, track_id in zip(record.detections, record.track_ids, strict=True):
        object_id = object_of(record.location_id, track_id)
        if object_id is None or object_id not in wanted:
            continue
        if object_id not in best or node.score > best[object_id][0]:
            best[object_id] = (node.score, node.box_px)
    return {object_id: box for object_id, (_, box) in sorted(best.items())}
