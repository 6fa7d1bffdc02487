"""Key frames as evidence: a stored image with the boxes of what it shows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence

from scenemind.frames import FrameError
from scenemind.memory.disk import frame_files
from scenemind.memory.disk.changes import FrameRecord
from scenemind.memory.disk.frame_columns import FrameColumns
from scenemind.memory.disk.frame_store import FrameStore
from scenemind.memory.disk.store import Store
from scenemind.memory.disk.stored_depth import find_depth_image
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.types import DepthImage, KeyFrame

_log = logging.getLogger(__name__)

BoxPx = tuple[float, float, float, float]


class Evidence:
    """Reads key frames back from disk, also those that are still on their way there."""

    def __init__(self, store: Store, images: FrameStore, commit: Callable[[], None]) -> None:
        """Args: commit: writes what waits, so that the store has the newest frames."""
        self._store = store
        self._images = images
        self._commit = commit
        self._failed_reads = 0

    def get(
        self,
        number: int,
        object_of: Callable[[int, int], int | None],
        wanted: Collection[int],
    ) -> KeyFrame:
        """See `find`.

        Raises:
            SceneMemoryError: no image of this frame is stored.
        """
        key_frame = self.find(number, object_of, wanted)
        if key_frame is None:
            raise _not_stored(number)
        return key_frame

    def find(
        self,
        number: int,
        object_of: Callable[[int, int], int | None],
        wanted: Collection[int],
        score: float = 0.0,
    ) -> KeyFrame | None:
        """A stored frame; None without its image, which may go at any moment or be unreadable.

        Args:
            object_of: location id and track id -> object id.
            wanted: objects whose boxes go with it.
        """
        record = self._find_record(number)
        jpeg = None if record is None else self._find_readable_jpeg(number)
        if record is None or jpeg is None:
            return None
        return KeyFrame(
            frame_number=number,
            stamp_ns=record.stamp_ns,
            location_id=record.location_id,
            camera=record.camera,
            world_T_camera=record.world_T_camera,
            jpeg=jpeg,
            score=score,
            boxes_px=_boxes(record, object_of, wanted),
        )

    def depth_image(self, number: int) -> DepthImage:
        """The depth of a stored frame.

        Raises:
            SceneMemoryError: no image of this frame is stored, or none of its depth; or that cannot
                be read.
        """
        record = self._find_record(number)
        if record is None or not self._is_there(number):
            raise _not_stored(number)
        try:
            depth = find_depth_image(self._images.folder, number, record.camera)
        except (FrameError, OSError) as error:
            self._note_failed_read(number, error)
            raise SceneMemoryError(f"the depth of frame {number} is damaged: {error}") from error
        if depth is None:
            raise SceneMemoryError(
                f"frame {number} was stored without its depth: store.depth_every_px was 0"
            )
        return depth

    def columns(self, numbers: Sequence[int]) -> FrameColumns:
        """Some frames with their detections, without images; also those not committed yet.

        Args:
            numbers: one at least, ascending.
        """
        if self._store.find_frame(numbers[-1]) is None:  # frames are committed in their order
            self._commit()
        return self._store.frame_columns(numbers)

    def _find_record(self, number: int) -> FrameRecord | None:
        record = self._store.find_frame(number)
        if record is None:
            self._commit()
            record = self._store.find_frame(number)
        return record

    def _is_there(self, number: int) -> bool:
        path = frame_files.color_path(self._images.folder, number)
        if not path.exists():
            self._images.flush()
        return path.exists()

    def _find_readable_jpeg(self, number: int) -> bytes | None:
        try:
            return self._find_jpeg(number)
        except OSError as error:
            self._note_failed_read(number, error)
            return None

    def _note_failed_read(self, number: int, error: Exception) -> None:
        if not self._failed_reads:
            _log.warning(
                "An image of frame %d cannot be read: %s; others are only counted", number, error
            )
        self._failed_reads += 1

    def _find_jpeg(self, number: int) -> bytes | None:
        jpeg = frame_files.find_jpeg(self._images.folder, number)
        if jpeg is None:
            self._images.flush()
            jpeg = frame_files.find_jpeg(self._images.folder, number)
        return jpeg


def _not_stored(number: int) -> SceneMemoryError:
    return SceneMemoryError(
        f"frame {number} has no stored image: only key frames do (see key_frames_of)"
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
