"""The service that describes a memory's objects, in words and image vectors, during mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from types import TracebackType

import numpy as np

from scenemind.config import ChatModelConfig, DescriptionsConfig, ModelsConfig
from scenemind.describing.annotation import AnnotationWorker, is_still_there, urgency
from scenemind.describing.best_views import DamagedFrames, best_crops
from scenemind.describing.describer import Describer
from scenemind.memory import Embedding, MapObject, Memory
from scenemind.models import open_models
from scenemind.perception.protocols import ImageTextEncoder
from scenemind.perception.text import make_image_text_encoder

# The encoder runs on this machine: the limit leaves time for mapping.
_EMBEDDINGS_PER_MINUTE = 60.0


class DescribingService:
    """Annotation threads of a memory, running from construction until `close`.

    Attributes:
        parts: `descriptions` and `embeddings`, where configured; for diagnostics.
    """

    def __init__(self, memory: Memory, config: DescriptionsConfig, models: ModelsConfig) -> None:
        """
        Raises:
            ModelError: the endpoint is no address, or its key is missing.
            PerceptionError: no such image encoder.
        """
        self.parts: dict[str, AnnotationWorker] = {}
        if config.image_encoder:
            encoder = make_image_text_encoder(config.image_encoder)
            embedder = Embedder(memory, encoder, config.views)
            self.parts["embeddings"] = AnnotationWorker(memory, embedder, _EMBEDDINGS_PER_MINUTE)
        with ExitStack() as opened:
            self._models = opened.enter_context(open_models(vision_only(models)))
            self._models.check_keys()
            opened.pop_all()
        if self._models.vision is not None:
            describer = Describer(memory, self._models.vision, config, self._models.allowance)
            self.parts["descriptions"] = AnnotationWorker(memory, describer, config.per_minute)
        for part in self.parts.values():
            part.start()

    def close(self) -> None:
        """Cancel running calls and end the threads; the second call does nothing."""
        for part in self.parts.values():
            part.ask_to_stop()
        self._models.close()
        for part in self.parts.values():
            part.join()

    def __enter__(self) -> DescribingService:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def vision_only(models: ModelsConfig) -> ModelsConfig:
    """Settings for only the model that reads images: no other model is opened, no other key is
    needed."""
    seer = models.vision if models.vision.model else models.language
    return models.model_copy(update={"vision": seer, "language": ChatModelConfig()})


class Embedder:
    """An `Annotator` that makes image vectors."""

    def __init__(self, memory: Memory, encoder: ImageTextEncoder, most_views: int) -> None:
        """Args: most_views: largest number of crops per vector."""
        self._memory = memory
        self._encoder = encoder
        self._most_views = most_views
        self._damaged = DamagedFrames()

    @property
    def name(self) -> str:
        return f"image vectors by {self._encoder.name}"

    def due(self, objects: Iterable[MapObject]) -> list[MapObject]:
        """Objects without a vector, or with one of fewer views than they have now."""
        known = self._memory.embeddings(self._encoder.name)
        perceived = self._memory.perceived_ids()
        due = [
            thing
            for thing in objects
            if thing.object_id in perceived and self._is_due(thing, known.get(thing.object_id))
        ]
        return sorted(due, key=lambda thing: urgency(thing, thing.object_id in known))

    def make(self, thing: MapObject, objects: Mapping[int, MapObject]) -> Embedding | None:
        """The mean of the best crops' vectors, of unit length; see `Annotator.make`.

        Raises:
            PerceptionError: the encoder is not available.
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
