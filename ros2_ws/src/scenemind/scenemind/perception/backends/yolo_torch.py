"""YOLO-World and YOLOE in torch, from ultralytics (AGPL-3.0, extra `ultralytics`).

Imported only on use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.errors import install_line
from scenemind.perception.backends.backend_choice import ARCHITECTURE, IN_TORCH, Family, family_of
from scenemind.perception.backends.safe_checkpoint import (
    build_model,
    packaged_architecture,
    read_checkpoint,
)
from scenemind.perception.torchvision_shim import ensure_torchvision
from scenemind.perception.types import PerceptionError
from scenemind.perception.weights import DETECTORS, cache_root, find_weights

# Ultralytics' name of a text encoder -> family of `perception.text.make_text_encoder`.
_TEXT_ENCODERS = {
    "clip:ViT-B/32": "clip_vit_b32",
    "mobileclip:blt": "mobileclip",
    "mobileclip2:b": "mobileclip2",
}
# For models without a name of theirs: YOLO-World has no other, YOLOE had no other at first.
_DEFAULT_TEXT_ENCODER: dict[Family, str] = {
    "yolo_world": "clip:ViT-B/32",
    "yoloe": "mobileclip:blt",
}
WORD_DIMENSION = 512  # of every text encoder of both families


class TorchSession:
    """A `Network` in torch, for any number of words."""

    def __init__(self, config: DetectorConfig) -> None:
        """Load the model and move it to the device.

        Unless precision is float32 it computes in half precision on CUDA, and in bfloat16 on CPUs
        with instructions for it; boxes are always decoded in float32.

        Raises:
            PerceptionError: ultralytics is not installed, no such weights or device.
        """
        family: Family = "yolo_world" if config.backend == "yolo_world" else "yoloe"
        model = load_model(config.weights, family)
        import torch

        from scenemind.perception.backends.prompted_network import PromptedNetwork

        self._torch = torch
        self._device = torch_device(torch, config.device, "detector.device")
        exact = config.precision == "float32"
        self._dtype = torch.float32 if exact else fastest_type(torch, self._device)
        if config.threads:
            torch.set_num_threads(config.threads)
        try:
            network = (
                PromptedNetwork(model.module, model.family).to(self._device, self._dtype).eval()
            )
            self._network = network.to(memory_format=torch.channels_last)
        except RuntimeError as error:
            raise PerceptionError(f"{model.title} does not fit {self._device}: {error}") from error
        self._metadata = model_metadata(model, self._network)

    @property
    def fixed_size(self) -> tuple[int, int] | None:
        return None

    @property
    def texts_shape(self) -> tuple[int | None, int]:
        return None, WORD_DIMENSION

    @property
    def metadata(self) -> Mapping[str, str]:
        return self._metadata

    @property
    def runtime(self) -> str:
        """Name of the runtime, such as `torch, cuda:0 float16`."""
        return f"torch, {self._device} {str(self._dtype).removeprefix('torch.')}"

    def run(
        self, images: NDArray[np.float32], texts: NDArray[np.float32] | None = None
    ) -> list[NDArray[np.float32]]:
        """See `Network`."""
        if texts is None:
            raise PerceptionError("this network compares with word vectors: none were given")
        with self._torch.inference_mode():
            try:
                outputs = self._network(self._moved(images), self._moved(texts))
                return [output.float().cpu().numpy() for output in outputs]
            except RuntimeError as error:  # out of memory among them
                raise PerceptionError(
                    f"torch failed on {images.shape} with {texts.shape[1]} words on"
                    f" {self._device}: {error}; a smaller detector.input_size needs less memory"
                ) from error

    def _moved(self, array: NDArray[np.float32]) -> Any:
        return self._torch.from_numpy(array).to(self._device, self._dtype)


@dataclass(frozen=True, slots=True, eq=False)
class UltralyticsModel:
    """A model in evaluation mode with its batch normalisations folded.

    Attributes:
        module: ultralytics' WorldModel or YOLOEModel.
        title: the file's name, and whether its weights are random.
        text_encoder: encoder of its word vectors.
    """

    module: Any
    title: str
    family: Family
    text_encoder: str


def load_model(weights: str, family: Family | None = None) -> UltralyticsModel:
    """A model by name or path, on the CPU.

    Args:
        weights: a .pt file or its name; a .yaml name builds that architecture with random weights
            (from torch's seed), for measuring speed.
        family: None: taken from the name.

    Raises:
        PerceptionError: ultralytics is not installed, no such weights, or another model.
    """
    ultralytics = import_ultralytics()
    family = family or family_of(weights)
    random = weights.endswith(ARCHITECTURE)
    encoder = ""
    try:
        if random:
            build = ultralytics.YOLOWorld if family == "yolo_world" else ultralytics.YOLOE
            place = packaged_architecture(weights, ultralytics)
            module = build(str(place), verbose=False).model.eval()
        else:
            source = find_weights(weights, DETECTORS)
            if source.suffix not in IN_TORCH:
                raise PerceptionError(f"{source} is no model in torch: name a .pt file")
            checkpoint = read_checkpoint(source)
            _check_head(checkpoint.head, checkpoint.head.kind, family, weights)
            encoder = checkpoint.text_encoder
            module = build_model(checkpoint, ultralytics).eval()
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, PerceptionError):
            raise
        raise PerceptionError(f"{weights} does not load as a {family} model: {error}") from error
    head = module.model[-1]
    _check_head(head, type(head).__name__, family, weights)
    if family == "yoloe":
        # Its one-to-one branch gives every object once; ultralytics' default is the other branch.
        module.end2end = hasattr(module.model[-1], "one2one_cv2")
    module.fuse(verbose=False)
    stem = Path(weights).stem
    encoder = encoder or getattr(module, "text_model", _DEFAULT_TEXT_ENCODER[family])
    return UltralyticsModel(
        module.requires_grad_(False),
        f"{stem}, random weights" if random else stem,
        family,
        _TEXT_ENCODERS.get(encoder, encoder),
    )


def import_ultralytics() -> Any:
    """Import ultralytics, with its package installation and telemetry disabled."""
    os.environ["YOLO_AUTOINSTALL"] = "false"
    os.environ["YOLO_OFFLINE"] = "true"
    folder = cache_root() / "ultralytics"
    os.environ.setdefault("YOLO_CONFIG_DIR", str(folder))
    os.environ.setdefault("YOLO_VERBOSE", "false")
    try:
        folder.mkdir(parents=True, exist_ok=True)  # without it the settings go elsewhere
        ensure_torchvision()
        import ultralytics
    except ImportError as error:
        raise PerceptionError(
            f"YOLO-World and YOLOE in torch need the extra: {error};"
            f" {install_line('ultralytics')} (AGPL-3.0), or name a model that was exported"
            " where it is installed, an .onnx file"
        ) from error
    except OSError as error:
        raise PerceptionError(f"cannot make ultralytics' folder {folder}: {error}") from error
    return ultralytics


def _check_head(head: Any, kind: str, family: Family, weights: str) -> None:
    """
    Args:
        head: the last layer, or what a file has of it.
        kind: name of its class.
    """
    expected = "WorldDetect" if family == "yolo_world" else "YOLOE"
    if not kind.startswith(expected):
        raise PerceptionError(
            f"{weights} has a {kind} head, not {expected}: set detector.backend to the family of"
            " the model"
        )
    if hasattr(head, "lrpc"):
        raise PerceptionError(f"{weights} is prompt-free, its words are fixed: take another one")
    if any(not hasattr(compare, "norm") for compare in head.cv4):
        raise PerceptionError(f"{weights} is YOLO-World's first version: take a -worldv2 model")
    if getattr(head, "is_fused", False):
        raise PerceptionError(f"{weights} has its words fused in: take the model before that")


def model_metadata(model: UltralyticsModel, network: Any) -> dict[str, str]:
    """Metadata of a `Network`; an exported file has the same."""
    return {
        "description": model.title,
        "text_encoder": model.text_encoder,
        "task": "segment" if network.has_masks else "detect",
        "end2end": str(network.end_to_end),
        "stride": str(int(network.layers[-1].stride.max())),
    }


def fastest_type(torch: Any, device: Any) -> Any:
    """Half precision where the device computes faster in it."""
    if device.type == "cuda":
        return torch.float16
    capabilities = getattr(torch.cpu, "get_capabilities", None)  # missing in older releases
    can: dict[str, Any] = capabilities() if capabilities else {}
    return torch.bfloat16 if can.get("avx512_bf16") or can.get("amx_bf16") else torch.float32


def torch_device(torch: Any, wanted: str, setting: str) -> Any:
    """The torch device of a setting.

    Args:
        wanted: such as cpu or cuda:1; auto: a GPU where there is one.
        setting: name of the setting, for the message.

    Raises:
        PerceptionError: torch cannot use the device.
    """
    if wanted == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # torch without CUDA asserts
        raise PerceptionError(
            f"{setting} is {wanted!r}, which torch {torch.__version__} cannot use here:"
            f" {error}; set it to cpu, or install a torch with CUDA"
        ) from error
    return device
