"""YOLO-World or YOLOE in torch, on the CPU or a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.perception.backends.backend_choice import Family
from scenemind.perception.backends.ultralytics_models import UltralyticsModel, load_model
from scenemind.perception.errors import PerceptionError

WORD_DIMENSION = 512  # of every text encoder of both families


class TorchSession:
    """A `Network` that takes any number of words."""

    def __init__(self, config: DetectorConfig) -> None:
        """Load the model and move it to the device.

        Unless precision is float32 it computes in half precision on CUDA, and in bfloat16 on CPUs
        with instructions for it; boxes are decoded in float32 all the same.

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
            network = PromptedNetwork(model).to(self._device, self._dtype).eval()
            self._network = network.to(memory_format=torch.channels_last)
        except RuntimeError as error:
            raise PerceptionError(f"{model.title} does not fit {self._device}: {error}") from error
        self._metadata = describe(model, self._network)

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
        """Such as `torch, cuda:0 float16`."""
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


def describe(model: UltralyticsModel, network: Any) -> dict[str, str]:
    """What a `Network` tells about itself; an exported file carries the same."""
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
    capabilities = getattr(torch.cpu, "get_capabilities", None)  # older releases do not tell
    can: dict[str, Any] = capabilities() if capabilities else {}
    return torch.bfloat16 if can.get("avx512_bf16") or can.get("amx_bf16") else torch.float32


def torch_device(torch: Any, wanted: str, setting: str) -> Any:
    """
    Args:
        wanted: such as cpu or cuda:1; auto: a GPU where there is one.
        setting: where it was told, for the message.

    Raises:
        PerceptionError: torch cannot use it here.
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
