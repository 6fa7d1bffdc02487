"""A text encoder that asks its cache first and builds its model on the first word it lacks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.errors import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text.embedding_cache import EmbeddingCache
from scenemind.perception.text.labels import normalized_label

_log = logging.getLogger(__name__)


class CachedTextEncoder:
    """A `TextEncoder`; may be used from several threads.

    Attributes:
        missed: words that the cache did not have and the model embedded.
    """

    def __init__(
        self, cache: EmbeddingCache, name: str, dimension: int, build: Callable[[], TextEncoder]
    ) -> None:
        """`build` makes the model; it is called at most once, and only when a word is missing."""
        self.missed = 0
        self._cache = cache
        self._name = name
        self._dimension = dimension
        self._build = build
        self._encoder: TextEncoder | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        return self._dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, dimension) of unit length, of the normalised texts.

        Raises:
            PerceptionError: a text is no name, or is not in the cache and the model cannot be had;
                names the texts and the way out.
        """
        words = [normalized_label(text) for text in texts]
        known = self._cache.find(words, self._dimension)
        missing = [word for word in dict.fromkeys(words) if word not in known]
        if missing:
            known.update(zip(missing, self._embed(missing), strict=True))
        if not words:
            return np.zeros((0, self._dimension), np.float32)
        return np.stack([known[word] for word in words])

    def _embed(self, words: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            if self._encoder is None:
                try:
                    self._encoder = self._build()
                except PerceptionError as error:
                    raise PerceptionError(
                        f"{_listed(words)} cannot be embedded: {error}; or copy {self._cache.path}"
                        " from a machine where they were"
                    ) from error
            _log.info("embedding %d words with %s", len(words), self._name)
            vectors = self._encoder.encode(words)
            self.missed += len(words)
        try:
            self._cache.put(words, vectors)
        except PerceptionError as error:
            _log.warning("embedded words are not kept for the next start: %s", error)
        return vectors


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - 5} more words" if len(words) > 5 else ""
    return ", ".join(map(repr, words[:5])) + more
