"""Lets ultralytics be imported where torchvision's compiled operators do not fit torch.

The registry's torchvision wheel links CUDA. Beside a CPU torch its library does not load, and
`import torchvision` fails for want of `torchvision::nms`, though nothing here calls it.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from scenemind.perception.types import PerceptionError

_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_libraries: list[Any] = []  # operators live as long as the object that defines them


def ensure_torchvision() -> None:
    """Make `import torchvision` work; call it before the first import.

    Does nothing where torchvision's own operators load, or on a second call.

    Raises:
        PerceptionError: torchvision is not installed.
    """
    import torch

    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        raise PerceptionError("torchvision is not installed: pip install it, as it fits torch")
    if _libraries or _real_operators_load(torch, Path(spec.origin).parent):
        return
    library = torch.library.Library("torchvision", "DEF")
    for schema in _SCHEMAS:
        library.define(schema)
    library.impl("nms", _suppress, "CPU")
    _libraries.append(library)
    import torchvision

    torchvision.extension._has_ops = lambda: True


def _real_operators_load(torch: Any, folder: Path) -> bool:
    for path in (*folder.glob("_C*.so"), *folder.glob("_C*.pyd")):
        try:
            torch.ops.load_library(str(path))
        except OSError:
            continue
        return True
    return False


def _suppress(boxes: Any, scores: Any, iou_threshold: float) -> Any:
    """Greedy non-maximum suppression: indices of the kept boxes, best first.

    Args:
        boxes: (N, 4) tensor, x0, y0, x1, y1.
        scores: (N,) tensor.
    """
    import torch

    corners = boxes.detach().numpy().astype(np.float64)
    corners[:, 2:] -= corners[:, :2]  # OpenCV takes x, y, width, height
    ranks = scores.detach().numpy().astype(np.float64)
    ranks = ranks - ranks.min(initial=0.0) + 1.0  # OpenCV drops scores at or below the threshold
    kept = cv2.dnn.NMSBoxes(corners, ranks, 0.0, iou_threshold)
    return torch.as_tensor(np.asarray(kept, dtype=np.int64).reshape(-1))
