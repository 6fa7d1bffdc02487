"""Open-vocabulary detectors and SAM written to ONNX files, which run without torch."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

from scenemind.errors import install_line
from scenemind.perception.backends.sam_segmenter import SIDE
from scenemind.perception.backends.sam_torch import load_sam
from scenemind.perception.backends.yolo_torch import WORD_DIMENSION, load_model, model_metadata
from scenemind.perception.types import PerceptionError

DEFAULT_SLOTS = 256  # the default vocabulary has some 200 words
DEFAULT_SIZE = (640, 480)
_STRIDE = 32
_OPSET = 18
_SAM_OPSET = 17
_CHANNELS, _CELLS, _MASK_SIDE = 256, SIDE // 16, SIDE // 4


def export_onnx(
    weights: str,
    path: Path,
    slots: int = DEFAULT_SLOTS,
    size: tuple[int, int] = DEFAULT_SIZE,
    *,
    half: bool = False,
    batch: int = 1,
) -> None:
    """Export a YOLO-World or YOLOE model to ONNX, with word vectors as an input.

    `images` (batch, 3, h, w), `texts` (1, slots, 512) -> rows [, prototypes]: `PromptedNetwork`.
    The file's metadata has `names` (none), `slots`, `text_encoder`, `task`, `stride`, `end2end`.

    Args:
        weights: see `load_model`.
        path: of the file, with the suffix .onnx.
        slots: size of the largest vocabulary.
        size: width and height of the image input.
        half: weights and inputs in float16, which GPUs compute faster; boxes stay in float32.
        batch: pictures at once; a detector takes one.

    Raises:
        PerceptionError: the extra is not installed, no such weights, an impossible size, or the
            file cannot be written.
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
            f"exporting needs the extra: {error}; {install_line('ultralytics')}"
        ) from error
    from scenemind.perception.backends.prompted_network import PromptedNetwork

    dtype = torch.float16 if half else torch.float32
    network = PromptedNetwork(model.module, model.family).to(dtype).eval()
    inputs = (
        torch.zeros(batch, 3, size[1], size[0], dtype=dtype),
        torch.full((1, slots, WORD_DIMENSION), 0.04, dtype=dtype),
    )
    metadata = {**model_metadata(model, network), "slots": str(slots), "names": "{}"}
    names = ["rows", "prototypes"] if network.has_masks else ["rows"]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _trace_detector(torch, network, inputs, path, names)
        _annotate(onnx, path, metadata)
    except OSError as error:
        raise PerceptionError(f"cannot write {path}: {error}") from error


def _trace_detector(
    torch: Any, network: Any, inputs: tuple[Any, Any], path: Path, names: list[str]
) -> None:
    with warnings.catch_warnings(), torch.no_grad():
        # The newer exporter needs another package; tracing is exact, since the sizes are fixed.
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


def export_sam(weights: str, folder: Path) -> tuple[Path, Path]:
    """Export SAM to two ONNX files: an encoder of one image, and a decoder of any number of boxes.

    The encoder takes a normalised image (1, 3, 1024, 1024). The decoder has the inputs and outputs
    of segment-anything's own export, without masks at the image's size: `SamOnnx` scales the
    chosen one.

    Args:
        weights: see `load_sam`.
        folder: of both files.

    Returns:
        Encoder and decoder, named after the weights.

    Raises:
        PerceptionError: the extra is not installed, no such weights, or the files cannot be
            written.
    """
    try:  # before a large download
        import onnx  # noqa: F401  # torch writes with it
        import torch
    except ImportError as error:
        raise PerceptionError(
            f"exporting SAM needs the extra: {error}; {install_line('segment')}"
        ) from error
    model = load_sam(weights)
    title = model.title.replace(",", "").replace(" ", "_")
    encoder, decoder = (folder / f"{title}_{part}.onnx" for part in ("encoder", "decoder"))
    image = {"images": torch.zeros(1, 3, SIDE, SIDE)}
    boxes = {
        "image_embeddings": torch.zeros(1, _CHANNELS, _CELLS, _CELLS),
        "point_coords": torch.zeros(2, 2, 2),  # a length of 1 would be traced as constant
        "point_labels": torch.tensor(((2.0, 3.0), (2.0, 3.0))),
        "mask_input": torch.zeros(1, 1, _MASK_SIDE, _MASK_SIDE),
        "has_mask_input": torch.zeros(1),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _trace_sam(model.module.image_encoder.eval(), image, ["image_embeddings"], encoder)
        _trace_sam(_decoder(model.module), boxes, ["iou_predictions", "low_res_masks"], decoder)
    except OSError as error:
        raise PerceptionError(f"cannot write to {folder}: {error}") from error
    return encoder, decoder


def _decoder(module: Any) -> Any:
    from segment_anything.utils.onnx import SamOnnxModel

    class Decoder(SamOnnxModel):
        """Without masks at the image's size."""

        def forward(self, embeddings: Any, points: Any, labels: Any, mask: Any, given: Any) -> Any:
            logits, overlaps = self.mask_decoder.predict_masks(
                image_embeddings=embeddings,
                image_pe=self.model.prompt_encoder.get_dense_pe(),
                sparse_prompt_embeddings=self._embed_points(points, labels),
                dense_prompt_embeddings=self._embed_masks(mask, given),
            )
            return overlaps, logits

    return Decoder(module, return_single_mask=False).eval()


def _trace_sam(network: Any, inputs: dict[str, Any], outputs: list[str], path: Path) -> None:
    import torch

    prompts = {name: {0: "boxes"} for name in ("point_coords", "point_labels") if name in inputs}
    with warnings.catch_warnings(), torch.no_grad():
        # The newer exporter needs another package.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            tuple(inputs.values()),
            str(path),
            input_names=list(inputs),
            output_names=outputs,
            dynamic_axes=prompts,
            opset_version=_SAM_OPSET,
            dynamo=False,
        )


def has_openvino() -> bool:
    return importlib.util.find_spec("openvino") is not None


def convert_to_openvino(path: Path) -> Path:
    """Convert an ONNX file to OpenVINO's format beside it, in half precision; returns the .xml.

    Raises:
        PerceptionError: OpenVINO is not installed or cannot read the file.
    """
    try:
        import openvino
    except ImportError as error:
        raise PerceptionError(f"OpenVINO is not installed: {install_line('openvino')}") from error
    target = path.with_suffix(".xml")
    try:
        openvino.save_model(openvino.Core().read_model(path), target)
    except RuntimeError as error:
        raise PerceptionError(f"OpenVINO cannot convert {path}: {error}") from error
    return target
