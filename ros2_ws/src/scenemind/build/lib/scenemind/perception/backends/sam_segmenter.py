"""Segmentation of boxes by SAM (Kirillov et al. 2023), and SAM run from two ONNX files."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.perception.backends.depth_segmenter import check_boxes
from scenemind.perception.backends.runtimes import open_network, open_session
from scenemind.perception.types import BoxMask, PerceptionError, cut_mask

SIDE = 1024
_PIXELS_A_CELL = 4  # of the input, in a mask
_MEAN = np.array((123.675, 116.28, 103.53), np.float32)
_DEVIATION = np.array((58.395, 57.12, 57.375), np.float32)
_MASK_SIDE = SIDE // 4
_CORNERS = (2.0, 3.0)  # SAM's labels of a box's first and last corner
_EMBEDDING, _MASKS, _OVERLAPS = "image_embeddings", "low_res_masks", "iou_predictions"
_NEEDED = {_EMBEDDING, "point_coords", "point_labels"}
_INPUTS = _NEEDED | {"mask_input", "has_mask_input", "orig_im_size"}
_OUTPUTS = {_MASKS, _OVERLAPS}
_MOST_BOXES = 16  # in one run of the decoder
_KEPT_IMAGES = 8  # their embeddings are 4 MB each


class SamSegmenter:
    """A `Segmenter` by SAM. Thread-safe: one image at a time.

    Encoding takes nearly all of the time, and the embeddings of the last images are kept. Of the
    masks that SAM proposes for a box, the one with the largest predicted IoU is used.
    """

    def __init__(self, network: SamNetwork, title: str) -> None:
        self._network = network
        self._title = title
        self._lock = threading.Lock()  # guards the network and the embeddings
        self._embeddings: OrderedDict[bytes, Any] = OrderedDict()

    @property
    def name(self) -> str:
        return f"{self._title} ({self._network.runtime})"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`; depth is not used."""
        check_boxes(boxes_px)
        if len(boxes_px) == 0:
            return ()
        image = SamImage.fit(frame.camera.width, frame.camera.height)
        boxes = image.boxes_of(boxes_px)
        has_area = np.all(boxes[:, 2:] > boxes[:, :2], axis=1, keepdims=True)[:, 0]
        with self._lock:
            embedding = self._embedding(frame.color, image)
            logits = iter(self._decode(embedding, boxes[has_area]))
        return tuple(image.mask_of(next(logits)) if shown else None for shown in has_area)

    def _embedding(self, color: NDArray[np.uint8], image: SamImage) -> Any:
        content = hashlib.blake2b(np.ascontiguousarray(color).data, digest_size=16)
        key = content.digest() + repr(color.shape).encode()
        if key not in self._embeddings:
            self._embeddings[key] = self._network.encode(image.input_of(color))
            if len(self._embeddings) > _KEPT_IMAGES:
                self._embeddings.popitem(last=False)
        self._embeddings.move_to_end(key)
        return self._embeddings[key]

    def _decode(self, embedding: Any, boxes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """The best mask (256, 256) of each box."""
        best: list[NDArray[np.float32]] = []
        for first in range(0, len(boxes), _MOST_BOXES):
            logits, overlaps = self._network.decode(embedding, boxes[first : first + _MOST_BOXES])
            best += list(logits[np.arange(len(logits)), overlaps.argmax(axis=1)])
        return best


@dataclass(frozen=True, slots=True)
class SamImage:
    """Map from pixels of an image to those of SAM's input, and of its masks back.

    Kirillov et al. 2023 (Segment Anything, arXiv:2304.02643): the longer side is scaled to 1024
    pixels, the rest is padded at right and bottom; masks have a quarter of that resolution.

    Attributes:
        image_size, scaled_size: width and height.
    """

    image_size: tuple[int, int]
    scaled_size: tuple[int, int]

    @classmethod
    def fit(cls, width: int, height: int) -> SamImage:
        """The map of an image, rounded as in SAM's code."""
        ratio = SIDE / max(width, height)
        return cls((width, height), (int(width * ratio + 0.5), int(height * ratio + 0.5)))

    @property
    def scale(self) -> NDArray[np.float32]:
        """(2,), x and y."""
        scale: NDArray[np.float32] = np.divide(self.scaled_size, self.image_size).astype(np.float32)
        return scale

    def input_of(self, color: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Image (H, W, 3) RGB as normalised input (1, 3, 1024, 1024)."""
        width, height = self.scaled_size
        shrinks = width < self.image_size[0]
        how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        scaled = cv2.resize(color, self.scaled_size, interpolation=how)
        padded = np.zeros((1, 3, SIDE, SIDE), np.float32)
        padded[0, :, :height, :width] = ((scaled - _MEAN) / _DEVIATION).transpose(2, 0, 1)
        return padded

    def boxes_of(self, boxes_px: NDArray[np.floating]) -> NDArray[np.float32]:
        """Boxes (N, 4) of the image in the input, clipped at the image border."""
        limit = np.tile(np.array(self.image_size, np.float32), 2)
        inside = np.clip(boxes_px.astype(np.float32), 0.0, limit)
        boxes: NDArray[np.float32] = inside * np.tile(self.scale, 2)
        return boxes

    def mask_of(self, logits: NDArray[np.float32]) -> BoxMask | None:
        """Mask logits (256, 256) of the input as a mask in the image; None where empty."""
        scale_x, scale_y = (self.scale / _PIXELS_A_CELL).tolist()
        # Pixel centres are integers in both images.
        to_cells = np.array(
            ((scale_x, 0.0, scale_x / 2 - 0.5), (0.0, scale_y, scale_y / 2 - 0.5)), np.float64
        )
        in_image = cv2.warpAffine(
            logits,
            to_cells,
            self.image_size,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        return cut_mask(in_image > 0.0)  # a probability of 0.5 is a logit of 0


class SamNetwork(Protocol):
    """SAM in any runtime: one network for an image, one for boxes in it (see `SamImage`)."""

    @property
    def runtime(self) -> str:
        """Runtime and device, such as `torch, cpu float32`."""
        ...

    def encode(self, image: NDArray[np.float32]) -> Any:
        """Embedding of an image (1, 3, 1024, 1024) for `decode`; not overwritten later.

        Raises:
            PerceptionError: the runtime failed.
        """
        ...

    def decode(
        self, embedding: Any, boxes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Mask logits (N, M, 256, 256) of boxes (N, 4), and the predicted IoU (N, M) of each.

        Raises:
            PerceptionError: the runtime failed.
        """
        ...


class SamOnnx:
    """A `SamNetwork` of two ONNX files, as exported by `export_sam` or segment-anything."""

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
        """See `SamNetwork`; in one run where the export accepts several prompts."""
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
            # Affects only masks at the image's size, which are not requested.
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
    """Encoder and decoder in a folder, or a file and its counterpart beside it.

    Raises:
        PerceptionError: not exactly one of each.
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
