"""What the text and the image towers share in torch (extra `ultralytics`), imported only here."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.errors import PerceptionError
from scenemind.perception.torchvision_shim import ensure_torchvision

# What torch raises for a file in which there is something else.
_UNREADABLE = (RuntimeError, pickle.UnpicklingError, EOFError, KeyError, ValueError)


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


def load_model(weights: Path, load: Callable[[str, Any], Any]) -> tuple[Any, Any]:
    """What `load` makes of a file and a device, and the device: a GPU where there is one.

    Raises:
        PerceptionError: torch is not installed, or the file holds something else.
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

    return load_model(weights, load)


def unit_vectors(
    tower: Callable[[Any], Any], given: Any, dimension: int, name: str
) -> NDArray[np.float32]:
    """(N, dimension) of unit length, of a tensor of N things.

    Args:
        tower: from the tensor to (N, dimension), on the device of both.
        name: of the encoder, such as "text encoder clip".

    Raises:
        PerceptionError: the tower gives something else; its weights are another model's.
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
