"""The text and image towers of CLIP and MobileCLIP in torch (extra `ultralytics`)."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.errors import install_line
from scenemind.perception.torchvision_shim import ensure_torchvision
from scenemind.perception.types import PerceptionError

# Errors of torch for a file with other content.
_UNREADABLE = (RuntimeError, pickle.UnpicklingError, EOFError, KeyError, ValueError)
_WORD_BATCH = 64  # texts at once: 77 tokens each
_IMAGE_BATCH = 16


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
    tower, device = load_tower(weights, _load_script)
    # The published tower was traced with 32-bit tokens.
    return TorchTextEncoder(name, dimension, lambda tokens: tower(tokens.int()), device)


def load_clip_images(name: str, weights: Path, dimension: int = 512) -> TorchImageEncoder:
    """OpenAI's CLIP (Radford et al. 2021), of which only the image tower is kept.

    Args:
        name: of the encoder.
        weights: OpenAI's TorchScript archive, or the state dict of the same model.
        dimension: of its vectors.

    Raises:
        PerceptionError: torch is not installed, or the file holds no CLIP.
    """
    model, device = load_openai_clip(weights)
    return TorchImageEncoder(name, dimension, model.visual, device)


class TorchTextEncoder:
    """A text tower with CLIP's tokenizer.

    Words are embedded without a sentence around them, as in the training of YOLO-World and YOLOE.
    """

    def __init__(self, name: str, dimension: int, embed: Callable[[Any], Any], device: Any) -> None:
        """Args: embed: from tokens (N, 77) to (N, dimension), both tensors on the device."""
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
            PerceptionError: an output of another shape: the weights are another model's.
        """
        batches = [
            self._encode(texts[n : n + _WORD_BATCH]) for n in range(0, len(texts), _WORD_BATCH)
        ]
        if not batches:
            return np.zeros((0, self._dimension), np.float32)
        return np.concatenate(batches)

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import open_clip

        tokens = open_clip.tokenize(list(texts)).to(self._device)
        return unit_vectors(self._embed, tokens, self._dimension, f"text encoder {self._name}")


def _without_padding(model: Any) -> Callable[[Any], Any]:
    """CLIP's text tower on as many tokens as the longest text has.

    A token attends only to those before it, and the vector is read at the last one: padding to 77
    tokens changes nothing, but takes 18 times as long for names of objects.
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


class TorchImageEncoder:
    """CLIP's image tower.

    The whole picture is fitted into the tower's square, padded with the mean colour: CLIP's own
    centre crop would cut off parts of the object.
    """

    def __init__(self, name: str, dimension: int, tower: Any, device: Any) -> None:
        """`tower` is open_clip's visual part, with `image_size`."""
        self._name = name
        self._dimension = dimension
        self._tower = tower
        self._device = device
        size = tower.image_size
        self._side_px: int = size[0] if isinstance(size, tuple) else size

    def encode(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, dimension) of unit length, of pictures (H, W, 3) RGB.

        Raises:
            PerceptionError: no picture, or weights of another model.
        """
        for image in images:
            if image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
                raise PerceptionError(f"a picture to encode is (H, W, 3), not {image.shape}")
        batches = [
            self._encode(images[n : n + _IMAGE_BATCH]) for n in range(0, len(images), _IMAGE_BATCH)
        ]
        return np.concatenate([np.zeros((0, self._dimension), np.float32), *batches])

    def _encode(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        import torch

        pixels = torch.from_numpy(np.stack([self._fitted(image) for image in images]))
        return unit_vectors(
            self._tower,
            pixels.to(self._device),
            self._dimension,
            f"image encoder {self._name}",
        )

    def _fitted(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The picture (3, side, side), normalised; 0 is the mean colour."""
        import open_clip

        height, width = image.shape[:2]
        scale = self._side_px / max(height, width)
        size = max(round(width * scale), 1), max(round(height * scale), 1)
        method = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_CUBIC
        small = cv2.resize(image, size, interpolation=method).astype(np.float32) / 255.0
        normal = (small - open_clip.OPENAI_DATASET_MEAN) / open_clip.OPENAI_DATASET_STD
        square = np.zeros((self._side_px, self._side_px, 3), np.float32)
        left, top = (self._side_px - size[0]) // 2, (self._side_px - size[1]) // 2
        square[top : top + size[1], left : left + size[0]] = normal
        return square.transpose(2, 0, 1)


def require_torch() -> None:
    """Raise PerceptionError, with the remedy, where torch or open_clip is not installed."""
    try:
        import torch  # noqa: F401

        ensure_torchvision()
        import open_clip  # noqa: F401
    except ImportError as error:
        raise PerceptionError(
            f"{error.name} is not installed: {install_line('ultralytics')}; or import"
            " published vectors of the words with `scenemind vocabulary import`"
        ) from error


def load_tower(weights: Path, load: Callable[[str, Any], Any]) -> tuple[Any, Any]:
    """The tower of a file, and its device: a GPU where there is one.

    Args:
        load: from path and device to the tower.

    Raises:
        PerceptionError: torch is not installed, or a file with other content.
    """
    require_torch()
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return load(str(weights), device), device
    except _UNREADABLE as error:
        first_line = str(error).strip().partition("\n")[0]
        raise PerceptionError(
            f"{weights} is no such encoder ({first_line}): remove it, and it is fetched anew"
        ) from error


def load_openai_clip(weights: Path) -> tuple[Any, Any]:
    """OpenAI's CLIP (Radford et al. 2021), both towers, and the device that it is on.

    Args:
        weights: OpenAI's TorchScript archive, or the state dict of the same model.

    Raises:
        PerceptionError: torch is not installed, or the file holds no CLIP.
    """

    def load(path: str, device: Any) -> Any:
        import open_clip

        return open_clip.load_openai_model(path, precision="fp32", device=device)

    return load_tower(weights, load)


def unit_vectors(
    tower: Callable[[Any], Any], given: Any, dimension: int, name: str
) -> NDArray[np.float32]:
    """Vectors (N, dimension) of unit length, of a tensor of N inputs.

    Args:
        tower: from the tensor to (N, dimension), on the device of both.
        name: of the encoder, such as "text encoder clip".

    Raises:
        PerceptionError: an output of another shape: the weights are another model's.
    """
    import torch

    with torch.inference_mode():
        vectors = torch.nn.functional.normalize(tower(given).float(), dim=-1).cpu().numpy()
    if vectors.shape != (len(given), dimension) or not np.isfinite(vectors).all():
        raise PerceptionError(
            f"the {name} gives {vectors.shape} or numbers that are not finite;"
            f" {(len(given), dimension)} is expected"
        )
    return vectors
