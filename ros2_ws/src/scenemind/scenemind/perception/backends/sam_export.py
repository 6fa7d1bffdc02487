"""SAM to two ONNX files, which run without torch."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from scenemind.perception.backends.sam_image import SIDE
from scenemind.perception.backends.sam_models import load_sam
from scenemind.perception.errors import PerceptionError

_OPSET = 17
_CHANNELS, _CELLS, _MASK_SIDE = 256, SIDE // 16, SIDE // 4


def export_sam(weights: str, folder: Path) -> tuple[Path, Path]:
    """Write an encoder, of one normalised image (1, 3, 1024, 1024), and a decoder of any number of
    boxes, with the inputs and outputs of segment-anything's own export but for the masks at the
    image's size: `SamOnnx` scales the one that is taken.

    Args:
        weights: see `load_sam`.

    Returns:
        Encoder and decoder, named after the weights.

    Raises:
        PerceptionError: the extra is not installed, no such weights, or the files cannot be
            written.
    """
    try:  # before much is fetched
        import onnx  # noqa: F401  # torch writes with it
        import torch
    except ImportError as error:
        raise PerceptionError(
            f"exporting SAM needs the extra: {error}; pip install 'scenemind[segment]'"
        ) from error
    model = load_sam(weights)
    title = model.title.replace(",", "").replace(" ", "_")
    encoder, decoder = (folder / f"{title}_{part}.onnx" for part in ("encoder", "decoder"))
    image = {"images": torch.zeros(1, 3, SIDE, SIDE)}
    boxes = {
        "image_embeddings": torch.zeros(1, _CHANNELS, _CELLS, _CELLS),
        "point_coords": torch.zeros(2, 2, 2),  # 1 would be taken for a constant
        "point_labels": torch.tensor(((2.0, 3.0), (2.0, 3.0))),
        "mask_input": torch.zeros(1, 1, _MASK_SIDE, _MASK_SIDE),
        "has_mask_input": torch.zeros(1),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _trace(model.module.image_encoder.eval(), image, ["image_embeddings"], encoder)
        _trace(_decoder(model.module), boxes, ["iou_predictions", "low_res_masks"], decoder)
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


def _trace(network: Any, inputs: dict[str, Any], outputs: list[str], path: Path) -> None:
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
            opset_version=_OPSET,
            dynamo=False,
        )
