"""One object's best views to an image encoder: their mean is the object's vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from scenemind.describing.best_crops import DamagedFrames, best_crops
from scenemind.describing.note_maker import is_still_there, urgency
from scenemind.memory import Embedding, MapObject, Memory
from scenemind.perception.protocols import ImageTextEncoder


class Embedder:
    """A `NoteMaker` of image vectors."""

    def __init__(self, memory: Memory, encoder: ImageTextEncoder, most_views: int) -> None:
        """Args: most_views: crops that go into a vector."""
        self._memory = memory
        self._encoder = encoder
        self._most_views = most_views
        self._damaged = DamagedFrames()

    @property
    def name(self) -> str:
        return f"image vectors by {self._encoder.name}"

    def due(self, objects: Iterable[MapObject]) -> list[MapObject]:
        """Objects whose vector is missing, or is of fewer views than there are now."""
        known = self._memory.embeddings(self._encoder.name)
        perceived = self._memory.perceived_ids()
        due = [
            thing
            for thing in objects
            if thing.object_id in perceived and self._is_due(thing, known.get(thing.object_id))
        ]
        return sorted(due, key=lambda thing: urgency(thing, thing.object_id in known))

    def make(self, thing: MapObject, objects: Mapping[int, MapObject]) -> Embedding | None:
        """The mean of the best crops' vectors, of unit length; see `NoteMaker`.

        Raises:
            PerceptionError: the encoder cannot be had.
            SceneMemoryError: the disk failed.
        """
        crops = best_crops(self._memory, thing, objects, self._most_views, self._damaged)
        if not crops:
            return None
        mean = self._encoder.encode_images([crop.rgb for crop in crops]).mean(axis=0)
        vector = (mean / np.linalg.norm(mean)).astype(np.float32)
        embedding = Embedding(thing.object_id, self._encoder.name, vector, len(crops))
        if not is_still_there(thing, self._memory):
            return None
        return embedding if self._memory.put_embedding(embedding) else None

    def _is_due(self, thing: MapObject, known: Embedding | None) -> bool:
        if known is None:
            return True
        if known.views >= self._most_views:
            return False
        return known.views < self._memory.view_count_of(thing.object_id)
