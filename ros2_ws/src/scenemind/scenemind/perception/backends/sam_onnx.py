"""SAM exported to two ONNX files, an encoder and a decoder: nothing else need be installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.perception.backends.onnx_session import open_session
from scenemind.perception.backends.open_network import open_network
from scenemind.perception.backends.sam_image import SIDE
from scenemind.perception.errors import PerceptionError

_MASK_SIDE = SIDE // 4
_CORNERS = (2.0, 3.0)  # how SAM labels the points that are a box's first and last corner
_EMBEDDING, _MASKS, _OVERLAPS = "image_embeddings", "low_res_masks", "iou_predictions"
_NEEDED = {_EMBEDDING, "point_coords", "point_labels"}
_INPUTS = _NEEDED | {"mask_input", "has_mask_input", "orig_im_size"}
_OUTPUTS = {_MASKS, _OVERLAPS}


class SamOnnx:
    """A `SamNetwork`: an encoder of normalised images (1, 3, 1024, 1024), and a decoder with the
    inputs and outputs of segment-anything's own export."""

    def __init__(self, encoder: Path, decoder: Path) -> None:
        """
        Raises:
            PerceptionError: no ONNX models, or with other inputs or outputs.
        """
        self._encoder = open_network(encoder, DetectorConfig(backend="onnx", weights=str(encoder)))
        if self._encoder.fixed_size not in (None, (SIDE, SIDE)) or self._encoder.texts_shape:
            raise PerceptionError(
                f"{encoder} takes images of {self._encoder.fixed_size}: the encoder of SAM takes"
                f" one image (1, 3, {SIDE}, {SIDE})"
            )
        self._path = decoder
        self._decoder = open_session(decoder, (), 0)
        self._takes = {port.name: port for port in self._decoder.get_inputs()}
        gives = {port.name for port in self._decoder.get_outputs()}
        if not (_NEEDED <= set(self._takes) <= _INPUTS and gives >= _OUTPUTS):
            raise PerceptionError(
                f"{decoder} takes {', '.join(self._takes)} and gives {', '.join(sorted(gives))}:"
                f" the decoder of SAM takes {', '.join(sorted(_INPUTS))} and gives {_MASKS} and"
                f" {_OVERLAPS}; export it with segment-anything's export_onnx_model.py"
            )

    @property
    def runtime(self) -> str:
        return self._encoder.runtime

    def encode(self, image: NDArray[np.float32]) -> Any:
        """See `SamNetwork`."""
        return self._encoder.run(image)[0].copy()

    def decode(
        self, embedding: Any, boxes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `SamNetwork`; in one run where the export takes several prompts."""
        takes_one = self._takes["point_coords"].shape[0] == 1
        parts = [boxes[i : i + 1] for i in range(len(boxes))] if takes_one else [boxes]
        found = [self._run(embedding, part) for part in parts]
        logits, overlaps = (np.concatenate(column) for column in zip(*found, strict=True))
        return logits, overlaps

    def _run(self, embedding: Any, boxes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        feed = {
            _EMBEDDING: embedding,
            "point_coords": boxes.reshape(-1, 2, 2),
            "point_labels": np.tile(np.array(_CORNERS, np.float32), (len(boxes), 1)),
            "mask_input": np.zeros((1, 1, _MASK_SIDE, _MASK_SIDE), np.float32),
            "has_mask_input": np.zeros(1, np.float32),
            # Only its masks at the image's size would follow it; those are not asked for.
            "orig_im_size": np.array((_MASK_SIDE, _MASK_SIDE), np.float32),
        }
        try:
            found = self._decoder.run(
                [_MASKS, _OVERLAPS], {name: feed[name] for name in self._takes}
            )
        except Exception as error:  # ONNX Runtime has a dozen kinds without a base
            raise PerceptionError(f"{self._path} failed on {len(boxes)} boxes: {error}") from error
        logits, overlaps = (np.asarray(output, np.float32) for output in found)
        if logits.shape != (*overlaps.shape, _MASK_SIDE, _MASK_SIDE) or len(overlaps) != len(boxes):
            raise PerceptionError(
                f"{self._path} gives masks {logits.shape} with overlaps {overlaps.shape} for"
                f" {len(boxes)} boxes: SAM's are (N, M, {_MASK_SIDE}, {_MASK_SIDE}) and (N, M)"
            )
        return [logits, overlaps]


def find_pair(named: Path) -> tuple[Path, Path]:
    """Encoder and decoder of a folder that has one of each, or of a file of which the other lies
    beside it and is named alike.

    Raises:
        PerceptionError: there are not both.
    """
    if named.is_dir():
        encoders = sorted(named.glob("*encoder*.onnx"))
        decoders = sorted(named.glob("*decoder*.onnx"))
        if len(encoders) == len(decoders) == 1:
            return encoders[0], decoders[0]
        raise PerceptionError(
            f"{named} must have one *encoder*.onnx and one *decoder*.onnx, not {len(encoders)} and"
            f" {len(decoders)}"
        )
    encoder = named.with_name(named.name.replace("decoder", "encoder"))
    decoder = named.with_name(named.name.replace("encoder", "decoder"))
    if encoder == decoder or not (encoder.is_file() and decoder.is_file()):
        raise PerceptionError(
            f"SAM in ONNX is two files that are named alike, such as mobile_sam_encoder.onnx and"
            f" mobile_sam_decoder.onnx: {named} has no other half beside it"
        )
    return encoder, decoder
