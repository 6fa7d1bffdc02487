"""What was measured in a recording, and its box in frames that were held out, as pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from scenemind.cli.bench.projection.held_out import HeldOut
from scenemind.memory import FrameIndex, MemoryAccess
from scenemind.reasoning.vlm_grounder.projection import pictures_of
from scenemind.reasoning.vlm_grounder.projection.pictures import draw_box
from scenemind.reasoning.vlm_grounder.types import Measured

_SHOWN = 3  # held-out frames of a picture
_DETECTED_BGR = (0, 165, 255)
_JPEG = (cv2.IMWRITE_JPEG_QUALITY, 85)


def write_pictures(
    folder: Path,
    name: str,
    measured: Measured,
    found: list[HeldOut],
    memory: MemoryAccess,
    index: FrameIndex,
) -> None:
    """What was measured, and frames that were held out, from the worst to the best."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = name.replace(" ", "-")
    for number, picture in enumerate(pictures_of(measured), start=1):
        (folder / f"{stem}-{number}.jpg").write_bytes(picture.jpeg)
    ordered = sorted(found, key=lambda held: held.iou)
    shown = ordered[:: max(1, -(-len(ordered) // _SHOWN))]
    images = []
    for held in shown:
        number = int(index.frame_numbers[index.detection_frames[held.row]])
        image = draw_box(memory.key_frame(number), measured.box)
        if image is not None:
            x0, y0, x1, y1 = (round(value) for value in held.box_px)
            cv2.rectangle(image, (x0, y0), (x1, y1), _DETECTED_BGR, 1)
            images.append(image)
    _, jpeg = cv2.imencode(".jpg", np.hstack(images), _JPEG)
    (folder / f"{stem}-held-out.jpg").write_bytes(jpeg.tobytes())
