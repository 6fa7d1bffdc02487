"""Text and image encoders with a cache: a model is loaded for the first word that it lacks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text.embedding_cache import EmbeddingCache
from scenemind.perception.text.labels import normalized_label
from scenemind.perception.types import PerceptionError
from scenemind.perception.weights import ENCODERS, find_weights, locate_weights

_log = logging.getLogger(__name__)

# CLIP is YOLO-World's; MobileCLIP is YOLOE-v8's and -11's, MobileCLIP2 YOLOE-26's.
EncoderFamily = Literal["clip_vit_b32", "mobileclip", "mobileclip2"]
ENCODER_FAMILIES: tuple[EncoderFamily, ...] = get_args(EncoderFamily)
DIMENSION = 512  # of all three
_WEIGHTS: Mapping[EncoderFamily, str] = {
    "clip_vit_b32": "ViT-B-32.pt",
    "mobileclip": "mobileclip_blt.ts",
    "mobileclip2": "mobileclip2_b.ts",
}


def make_text_encoder(
    family: str, folder: Path | None = None, *, fetches: bool = True
) -> CachedTextEncoder:
    """A family's text encoder with its cache; torch is imported for the first unknown word.

    Args:
        family: one of `ENCODER_FAMILIES`, which is also the encoder's name.
        folder: of the caches; None: `embedding_cache.embedding_folder()`.
        fetches: whether missing weights are downloaded, for the first unknown word.

    Raises:
        PerceptionError: no such family.
    """
    known = next((name for name in ENCODER_FAMILIES if name == family), None)
    if known is None:
        raise PerceptionError(
            f"there is no text encoder {family!r}: known are {', '.join(ENCODER_FAMILIES)}"
        )
    cache = EmbeddingCache(known, folder)
    return CachedTextEncoder(cache, known, DIMENSION, _builder(known, fetches))


def make_image_text_encoder(family: str, folder: Path | None = None) -> PairedEncoder:
    """An encoder of words and pictures; torch is imported for the first picture or unknown word.

    Args:
        family: `clip_vit_b32` (MobileCLIP's image towers are not published with its text towers).
        folder: see `make_text_encoder`.

    Raises:
        PerceptionError: no such family.
    """
    if family != "clip_vit_b32":
        raise PerceptionError(f"there is no image encoder {family!r}: known is clip_vit_b32")

    def build() -> ImageEncoder:
        from scenemind.perception.text import torch_encoders

        torch_encoders.require_torch()
        weights = find_weights(_WEIGHTS["clip_vit_b32"])
        return torch_encoders.load_clip_images(family, weights, DIMENSION)

    return PairedEncoder(make_text_encoder(family, folder), build)


def _builder(family: EncoderFamily, fetches: bool) -> Callable[[], TextEncoder]:
    def build() -> TextEncoder:
        from scenemind.perception.text import torch_encoders

        torch_encoders.require_torch()  # before a large download
        is_clip = family == "clip_vit_b32"
        load = torch_encoders.load_clip if is_clip else torch_encoders.load_mobileclip
        weights = _WEIGHTS[family]
        if not fetches and not locate_weights(weights).is_file():
            raise PerceptionError(f"{weights} is not on this machine, and is not fetched for this")
        return load(family, find_weights(weights, ENCODERS))

    return build


class CachedTextEncoder:
    """A `TextEncoder` that looks in its cache first, and loads its model for the first other word.

    Thread-safe.

    Attributes:
        missed: words that the model had to embed.
    """

    def __init__(
        self, cache: EmbeddingCache, name: str, dimension: int, build: Callable[[], TextEncoder]
    ) -> None:
        """Args: build: loads the model; called at most once, for the first missing word."""
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
            PerceptionError: a text is no label, or is not in the cache and the model is not
                available; names the texts and the remedy.
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
            _log.warning("cannot write the word cache: %s", error)
        return vectors


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - 5} more words" if len(words) > 5 else ""
    return ", ".join(map(repr, words[:5])) + more


class ImageEncoder(Protocol):
    """The image tower of an `ImageTextEncoder`."""

    def encode(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, dimension) of unit length, of pictures (H, W, 3) RGB."""
        ...


class PairedEncoder:
    """An `ImageTextEncoder` of two towers, each loaded when it is needed. Thread-safe."""

    def __init__(self, texts: TextEncoder, build_images: Callable[[], ImageEncoder]) -> None:
        """Args: build_images: loads the image tower of the same model, for the first picture."""
        self._texts = texts
        self._build_images = build_images
        self._images: ImageEncoder | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._texts.name

    @property
    def dimension(self) -> int:
        return self._texts.dimension

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `ImageTextEncoder`."""
        return self._texts.encode(texts)

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """See `ImageTextEncoder`."""
        with self._lock:
            if self._images is None:
                self._images = self._build_images()
            return self._images.encode(images)
