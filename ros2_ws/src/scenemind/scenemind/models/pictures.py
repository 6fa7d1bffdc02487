"""Pictures as small as a model needs them."""

from __future__ import annotations

import cv2
import numpy as np

from scenemind.models.errors import ModelError

_JPEG_START = b"\xff\xd8\xff"


def fitted(jpeg: bytes, longest_px: int, quality: int) -> bytes:
    """The same picture with no side longer than that; untouched where it is small enough.

    Args:
        jpeg: a JPEG file. One that has to be made smaller is turned upright as its EXIF data says,
            which the smaller one does not carry.
        quality: 0 to 100, of the smaller file.

    Raises:
        ModelError: it is no JPEG file, or a damaged one.
    """
    file = np.frombuffer(jpeg, np.uint8)
    bgr = cv2.imdecode(file, cv2.IMREAD_COLOR) if jpeg.startswith(_JPEG_START) else None
    if bgr is None:
        raise ModelError(
            "rejected",
            f"a picture for the model is no JPEG file ({len(jpeg)} bytes from {jpeg[:8]!r}):"
            " encode it with cv2.imencode('.jpg', ...)",
        )
    height, width = bgr.shape[:2]
    scale = longest_px / max(height, width)
    if scale >= 1.0:
        return jpeg
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", small, (cv2.IMWRITE_JPEG_QUALITY, quality))
    return data.tobytes()
