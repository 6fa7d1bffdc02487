"""Everything that describes the objects of a memory while it is mapped into."""

from __future__ import annotations

from types import TracebackType

from scenemind.config import ChatModelConfig, DescriptionsConfig
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
        parts: `descriptions` and `embeddings`, as far as they are wanted; for diagnostics.
    """

    def __init__(self, memory: Memory, config: DescriptionsConfig) -> None:
        """
        Raises:
            ModelError: no key for an endpoint that needs one.
            PerceptionError: no such image encoder.
        """
        self.parts: dict[str, Background] = {}
        self._chat: OpenAIChat | None = None
        if config.image_encoder:
            encoder = make_image_text_encoder(config.image_encoder)
            embedder = Embedder(memory, encoder, config.views)
            self.parts["embeddings"] = Background(memory, embedder, _EMBEDDINGS_PER_MINUTE)
        if config.model:
            seer = ChatModelConfig(
                model=config.model,
                endpoint=config.endpoint,
                key_variable=config.key_variable,
                call_deadline_s=config.deadline_s,
            )
            self._chat = OpenAIChat(seer)
            describer = Describer(memory, self._chat, config)
            self.parts["descriptions"] = Background(memory, describer, config.per_minute)
        for part in self.parts.values():
            part.start()

    def close(self) -> None:
        """Give up what is being asked, and end; the second call does nothing."""
        for part in self.parts.values():
            part.ask_to_stop()
        if self._chat is not None:
            self._chat.close()
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
