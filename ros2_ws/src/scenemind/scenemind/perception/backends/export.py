"""YOLO-World and YOLOE to a file with two inputs, which runs without torch."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

from scenemind.perception.backends.torch_session import WORD_DIMENSION, describe
from scenemind.perception.backends.ultralytics_models import load_model
from scenemind.perception.errors import PerceptionError

DEFAULT_SLOTS = 256  # the default vocabulary has some 200 words
DEFAULT_SIZE = (640, 480)
_STRIDE = 32
_OPSET = 18


def export_onnx(
    weights: str,
    path: Path,
    slots: int = DEFAULT_SLOTS,
    size: tuple[int, int] = DEFAULT_SIZE,
) -> None:
    """Write an ONNX file: `images` (1, 3, h, w), `texts` (1, slots, 512) -> rows [, prototypes].

    See `PromptedNetwork` for both; the file's metadata tells `names` (none), `slots`,
    `text_encoder`, `task`, `stride`, `end2end`.

    Args:
        weights: see `load_model`.
        path: of the file, with the suffix .onnx.
        slots: the largest vocabulary.
        size: width and height of the image input.

    Raises:
        PerceptionError: the extra is not installed, no such weights, a size that the model cannot
            have, or the file cannot be written.
    """
    if min(size) < _STRIDE or any(length % _STRIDE for length in size) or slots < 1:
        raise PerceptionError(
            f"cannot export for images of {size[0]}x{size[1]} and {slots} words: sides must be"
            f" multiples of {_STRIDE}, and there must be at least one slot"
        )
    if path.suffix != ".onnx":
        raise PerceptionError(f"{path} must end in .onnx, so that it is recognised")
    model = load_model(weights)
    try:
        import onnx
        import torch
    except ImportError as error:
        raise PerceptionError(
            f"exporting needs the extra: {error}; pip install 'scenemind[ultralytics]'"
        ) from error
    from scenemind.perception.backends.prompted_network import PromptedNetwork

    network = PromptedNetwork(model).eval()
    inputs = (torch.zeros(1, 3, size[1], size[0]), torch.full((1, slots, WORD_DIMENSION), 0.04))
    metadata = {**describe(model, network), "slots": str(slots), "names": "{}"}
    names = ["rows", "prototypes"] if network.has_masks else ["rows"]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _trace(torch, network, inputs, path, names)
        _annotate(onnx, path, metadata)
    except OSError as error:
        raise PerceptionError(f"cannot write {path}: {error}") from error


def has_openvino() -> bool:
    return importlib.util.find_spec("openvino") is not None


def convert_to_openvino(path: Path) -> Path:
    """Write OpenVINO's own format beside an ONNX file, weights in half precision: an .xml file.

    Raises:
        PerceptionError: OpenVINO is not installed or cannot read the file.
    """
    try:
        import openvino
    except ImportError as error:
        raise PerceptionError(
            "OpenVINO is not installed: pip install 'scenemind[openvino]'"
        ) from error
    target = path.with_suffix(".xml")
    try:
        openvino.save_model(openvino.Core().read_model(path), target)
    except RuntimeError as error:
        raise PerceptionError(f"OpenVINO cannot convert {path}: {error}") from error
    return target


def _trace(torch: Any, network: Any, inputs: tuple[Any, Any], path: Path, names: list[str]) -> None:
    with warnings.catch_warnings(), torch.no_grad():
        # The newer exporter needs another package; tracing is exact, for the sizes are fixed.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            inputs,
            str(path),
            input_names=["images", "texts"],
            output_names=names,
            opset_version=_OPSET,
            dynamo=False,
        )


def _annotate(onnx: Any, path: Path, metadata: dict[str, str]) -> None:
    model = onnx.load(str(path))
    model.producer_name = "scenemind"
    onnx.helper.set_model_props(model, metadata)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
