"""The text encoder of a family of detectors, by name, and its image encoder where it has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, get_args

from scenemind.perception.errors import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text.cached_encoder import CachedTextEncoder
from scenemind.perception.text.embedding_cache import EmbeddingCache
from scenemind.perception.text.paired_encoder import ImageEncoder, PairedEncoder
from scenemind.perception.weights import find_weights, locate_weights

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
    """The family's encoder behind its cache: torch is imported for the first unknown word.

    Args:
        family: one of `ENCODER_FAMILIES`, which is also the encoder's name.
        folder: of the caches; None: `embedding_cache.default_folder()`.
        fetches: weights that are not on this machine, at the first unknown word.

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
    """Words and pictures in one space; torch is imported for the first picture or unknown word.

    Args:
        family: `clip_vit_b32`: MobileCLIP's image towers are not published with its text towers.
        folder: see `make_text_encoder`.

    Raises:
        PerceptionError: no such family.
    """
    if family != "clip_vit_b32":
        raise PerceptionError(f"there is no image encoder {family!r}: known is clip_vit_b32")

    def build() -> ImageEncoder:
        from scenemind.perception.text import torch_image_encoder, torch_towers

        torch_towers.require_torch()
        weights = find_weights(_WEIGHTS["clip_vit_b32"])
        return torch_image_encoder.load_clip_images(family, weights, DIMENSION)

    return PairedEncoder(make_text_encoder(family, folder), build)


def _builder(family: EncoderFamily, fetches: bool) -> Callable[[], TextEncoder]:
    def build() -> TextEncoder:
        from scenemind.perception.text import torch_encoders, torch_towers

        torch_towers.require_torch()  # before some hundred megabytes are fetched
        is_clip = family == "clip_vit_b32"
        load = torch_encoders.load_clip if is_clip else torch_encoders.load_mobileclip
        weights = _WEIGHTS[family]
        if not fetches and not locate_weights(weights).is_file():
            raise PerceptionError(f"{weights} is not on this machine, and is not fetched for this")
        return load(family, find_weights(weights))

    return build
