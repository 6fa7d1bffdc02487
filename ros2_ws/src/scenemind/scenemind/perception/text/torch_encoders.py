"""The text towers of CLIP and MobileCLIP in torch (extra `ultralytics`), imported only here."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.backends.torchvision_shim import ensure_torchvision
from scenemind.perception.errors import PerceptionError

_BATCH = 64  # texts at once: 77 tokens each
# What torch raises for such a file.
UNREADABLE = (RuntimeError, pickle.UnpicklingError, EOFError, KeyError, ValueError)


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
        import torch

        with torch.inference_mode():
            vectors = self._embed(open_clip.tokenize(list(texts)).to(self._device))
            vectors = torch.nn.functional.normalize(vectors.float(), dim=-1).cpu().numpy()
        if vectors.shape != (len(texts), self._dimension) or not np.isfinite(vectors).all():
            raise PerceptionError(
                f"the text encoder {self._name} gives {vectors.shape} for {len(texts)} texts, or"
                f" numbers that are not finite; {self._dimension} a text are expected"
            )
        return vectors


def require_torch() -> None:
    """Raises PerceptionError, with the way out, where torch or open_clip is not installed."""
    try:
        import torch  # noqa: F401

        ensure_torchvision()
        import open_clip  # noqa: F401
    except ImportError as error:
        raise PerceptionError(
            f"{error.name} is not installed: pip install 'scenemind[ultralytics]' here, or import"
            " published vectors of the words with `scenemind vocabulary import`"
        ) from error


def load_clip(name: str, weights: Path, dimension: int = 512) -> TorchTextEncoder:
    """OpenAI's CLIP (Radford et al. 2021), of which only the text tower is kept.

    Args:
        name: of the encoder.
        weights: OpenAI's TorchScript archive, or the state dict of the same model.
        dimension: of its vectors.

    Raises:
        PerceptionError: torch is not installed, or the file holds no CLIP.
    """
    require_torch()
    import open_clip

    device = torch_device()
    try:
        model = open_clip.load_openai_model(str(weights), precision="fp32", device=device)
    except UNREADABLE as error:
        raise unreadable(weights, error) from error
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
    require_torch()
    import torch

    device = torch_device()
    try:
        tower = torch.jit.load(str(weights), map_location=device).eval()
    except UNREADABLE as error:
        raise unreadable(weights, error) from error
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


def torch_device() -> Any:
    """A GPU where there is one."""
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def unreadable(weights: Path, error: Exception) -> PerceptionError:
    """What to say of a file in which there is something else."""
    first_line = str(error).strip().partition("\n")[0]
    return PerceptionError(
        f"{weights} is no such encoder ({first_line}): remove it, and it is fetched anew"
    )
