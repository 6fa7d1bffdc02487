"""Everything that describes the objects of a memory while it is mapped into."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType

from scenemind.config import ChatModelConfig, DescriptionsConfig, ModelsConfig
from scenemind.describing.background import Background
from scenemind.describing.describer import Describer
from scenemind.describing.embedder import Embedder
from scenemind.memory import Memory
from scenemind.models import open_models
from scenemind.perception.text import make_image_text_encoder

# An encoder runs here and not for money; the rest of the time is the frames'.
_EMBEDDINGS_PER_MINUTE = 60.0


class DescribingService:
    """Runs from when it is made until `close`, with the parts that the settings name.

    Attributes:
        parts: `descriptions` and `embeddings`, as far as they are wanted; for diagnostics.
    """

    def __init__(self, memory: Memory, config: DescriptionsConfig, models: ModelsConfig) -> None:
        """
        Raises:
            ModelError: no key for an endpoint that needs one, or it is no address.
            PerceptionError: no such image encoder.
        """
        self.parts: dict[str, Background] = {}
        if config.image_encoder:
            encoder = make_image_text_encoder(config.image_encoder)
            embedder = Embedder(memory, encoder, config.views)
            self.parts["embeddings"] = Background(memory, embedder, _EMBEDDINGS_PER_MINUTE)
        with ExitStack() as opened:
            self._models = opened.enter_context(open_models(seeing_only(models)))
            self._models.check_keys()
            opened.pop_all()
        if self._models.vision is not None:
            describer = Describer(memory, self._models.vision, config, self._models.allowance)
            self.parts["descriptions"] = Background(memory, describer, config.per_minute)
        for part in self.parts.values():
            part.start()

    def close(self) -> None:
        """Give up what is being asked, and end; the second call does nothing."""
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


def seeing_only(models: ModelsConfig) -> ModelsConfig:
    """Without what only reads: nothing else need be there, its key included."""
    seer = models.vision if models.vision.model else models.language
    return models.model_copy(update={"vision": seer, "language": ChatModelConfig()})
