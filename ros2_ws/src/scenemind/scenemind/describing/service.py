"""Everything that describes the objects of a memory while it is mapped into."""

from __future__ import annotations

from types import TracebackType

from scenemind.config import DescriptionsConfig
from scenemind.describing.background import Background
from scenemind.describing.describer import Describer
from scenemind.describing.embedder import Embedder
from scenemind.memory import Memory
from scenemind.models import OpenAIChat
from scenemind.perception.text import make_image_text_encoder

# An encoder runs here and not for money; the rest of the time is the frames'.
_EMBEDDINGS_PER_MINUTE = 60.0


class DescribingService:
    """Runs from when it is made until `close`, with the parts that the settings name.

    Attributes:
        descriptions, embeddings: for diagnostics; None: not wanted.
    """

    def __init__(self, memory: Memory, config: DescriptionsConfig) -> None:
        """
        Raises:
            ModelError: no key for an endpoint that needs one.
            PerceptionError: no such image encoder.
        """
        self.descriptions: Background | None = None
        self.embeddings: Background | None = None
        self._chat: OpenAIChat | None = None
        if config.image_encoder:
            encoder = make_image_text_encoder(config.image_encoder)
            embedder = Embedder(memory, encoder, config.views)
            self.embeddings = Background(memory, embedder, _EMBEDDINGS_PER_MINUTE)
        if config.model:
            self._chat = OpenAIChat(config.model, config.endpoint, config.key_variable)
            describer = Describer(memory, self._chat, config)
            self.descriptions = Background(memory, describer, config.per_minute)
        for part in self._parts():
            part.start()

    def close(self) -> None:
        """Give up what is being asked, and end; the second call does nothing."""
        for part in self._parts():
            part.ask_to_stop()
        if self._chat is not None:
            self._chat.close()
        for part in self._parts():
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

    def _parts(self) -> list[Background]:
        return [part for part in (self.descriptions, self.embeddings) if part is not None]
