"""The text towers of CLIP and MobileCLIP in torch (extra `ultralytics`), imported only here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.text.torch_towers import load_model, load_openai_clip, unit_vectors

_BATCH = 64  # texts at once: 77 tokens each


class TorchTextEncoder:
    """A text tower with CLIP's tokenizer.

    Words go in as they are, without a sentence around them: so YOLO-World and YOLOE were trained.
    """

    def __init__(self, name: str, dimension: int, embed: Callable[[Any], Any], device: Any) -> None:
        """`embed` takes (N, 77) tokens and gives (N, dimension), both tensors on the device."""
        self._name = name
        self._dimension = dimension
        self._embed = embed
        self._device = device

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        return self._dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, dimension) of unit length.

        Raises:
            PerceptionError: the tower gives something else; its weights are another model's.
        """
        batches = [self._encode(texts[n : n + _BATCH]) for n in range(0, len(texts), _BATCH)]
        if not batches:
            return np.zeros((0, self._dimension), np.float32)
        return np.concatenate(batches)

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import open_clip

        tokens = open_clip.tokenize(list(texts)).to(self._device)
        return unit_vectors(self._embed, tokens, self._dimension, f"text encoder {self._name}")


def load_clip(name: str, weights: Path, dimension: int = 512) -> TorchTextEncoder:
    """OpenAI's CLIP (Radford et al. 2021), of which only the text tower is kept.

    Args:
        name: of the encoder.
        weights: OpenAI's TorchScript archive, or the state dict of the same model.
        dimension: of its vectors.

    Raises:
        PerceptionError: torch is not installed, or the file holds no CLIP.
    """
    model, device = load_openai_clip(weights)
    del model.visual
    return TorchTextEncoder(name, dimension, _without_padding(model), device)


def load_mobileclip(name: str, weights: Path, dimension: int = 512) -> TorchTextEncoder:
    """MobileCLIP's text tower (Vasu et al. 2024), as ultralytics publishes it in TorchScript.

    Args:
        name: of the encoder.
        weights: a TorchScript file that takes (N, 77) integer tokens.
        dimension: of its vectors.

    Raises:
        PerceptionError: torch is not installed, or the file is no TorchScript.
    """
    tower, device = load_model(weights, _load_script)
    # The published tower was traced with 32-bit tokens.
    return TorchTextEncoder(name, dimension, lambda tokens: tower(tokens.int()), device)


def _without_padding(model: Any) -> Callable[[Any], Any]:
    """CLIP's text tower on as many tokens as the longest text has.

    A token sees only those before it, and the vector is read at the last one: the padding to 77
    tokens changes nothing but takes 18 times as long for names of things.
    """
    import torch

    def embed(tokens: Any) -> Any:
        used = int(tokens.argmax(dim=-1).max()) + 1  # the token that ends a text is the highest
        parts = {
            "positional_embedding": model.positional_embedding[:used],
            "attn_mask": model.attn_mask[:used, :used],
        }
        _, vectors, _ = torch.func.functional_call(model, parts, (None, tokens[:, :used]))
        return vectors

    return embed


def _load_script(path: str, device: Any) -> Any:
    import torch

    return torch.jit.load(path, map_location=device).eval()
