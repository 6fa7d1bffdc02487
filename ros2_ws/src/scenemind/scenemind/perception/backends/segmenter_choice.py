"""The segmenter that is configured."""

from __future__ import annotations

import logging
import os
from functools import cache
from pathlib import Path
from typing import Literal

from scenemind.config.vlm_grounder import SegmenterConfig
from scenemind.perception.backends.backend_choice import ARCHITECTURE, IN_TORCH
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.perception.errors import PerceptionError
from scenemind.perception.protocols import Segmenter
from scenemind.perception.weights import locate_weights

_log = logging.getLogger(__name__)

SEGMENTER_VARIABLE = "SCENEMIND_SEGMENTER"
_DEFAULT_WEIGHTS = "sam_vit_b_01ec64.pth"
_EXAMPLES = "sam_vit_b_01ec64.pth, mobile_sam.pt, or a folder with an encoder and a decoder in ONNX"


def make_segmenter(config: SegmenterConfig) -> Segmenter:
    """Read from disk when this returns, and fetched where it has a known name.

    Raises:
        PerceptionError: the model cannot be had, or used here; says what to do.
    """
    weights = config.weights or os.environ.get(SEGMENTER_VARIABLE, "")
    backend = _backend_of(weights) if config.backend == "auto" else config.backend
    if backend != "depth" and weights and _is_exported(weights) != (backend == "sam_onnx"):
        raise PerceptionError(
            f"segmenter.backend is {backend}, which cannot run {weights}: leave it at auto"
        )
    if backend == "depth":
        if config.backend == "auto":
            _say_that_there_is_no_model()
        return DepthSegmenter()
    # A backend's runtime is imported only where the backend is used.
    from scenemind.perception.backends.sam_segmenter import SamSegmenter

    if backend == "sam_onnx":
        from scenemind.perception.backends.sam_onnx import SamOnnx, find_pair

        if not weights:
            raise PerceptionError(
                "segmenter.backend is sam_onnx, but no files are named: set segmenter.weights to a"
                " folder with an encoder and a decoder"
            )
        encoder, decoder = find_pair(_path_of(weights))
        title = encoder.stem.replace("encoder", "").strip("_-. ") or "SAM"
        return SamSegmenter(SamOnnx(encoder, decoder), title)
    from scenemind.perception.backends.sam_models import load_sam
    from scenemind.perception.backends.sam_torch import SamTorch

    model = load_sam(weights or _DEFAULT_WEIGHTS)
    return SamSegmenter(SamTorch(model, config.device), model.title)


def _backend_of(weights: str) -> Literal["depth", "sam", "sam_onnx"]:
    if not weights:
        return "depth"
    if _is_exported(weights):
        return "sam_onnx"
    suffix = Path(weights).suffix
    if suffix in (*IN_TORCH, *ARCHITECTURE) or not suffix:
        return "sam"
    raise PerceptionError(
        f"segmenter.weights {weights!r} ends in {suffix}: name weights of SAM, such as {_EXAMPLES}"
    )


def _is_exported(weights: str) -> bool:
    return Path(weights).suffix == ".onnx" or Path(weights).expanduser().is_dir()


def _path_of(weights: str) -> Path:
    path = Path(weights).expanduser()
    return path if path.is_dir() else locate_weights(weights)


@cache  # once a process
def _say_that_there_is_no_model() -> None:
    _log.warning(
        "no SAM is configured: masks come from depth and colour, and are coarser; name weights in"
        " vlm_grounder.segmenter.weights or $%s, such as %s",
        SEGMENTER_VARIABLE,
        _EXAMPLES,
    )
