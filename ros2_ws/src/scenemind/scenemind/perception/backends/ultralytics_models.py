"""YOLO-World and YOLOE from ultralytics (AGPL-3.0, extra `ultralytics`), imported only here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scenemind.perception.backends.backend_choice import (
    ARCHITECTURE,
    IN_TORCH,
    Family,
    family_of,
)
from scenemind.perception.cache_root import cache_root
from scenemind.perception.errors import PerceptionError
from scenemind.perception.torchvision_shim import ensure_torchvision
from scenemind.perception.weights import find_weights

# Ultralytics' name of a text encoder -> the family of `perception.text.make_text_encoder`.
_TEXT_ENCODERS = {
    "clip:ViT-B/32": "clip_vit_b32",
    "mobileclip:blt": "mobileclip",
    "mobileclip2:b": "mobileclip2",
}
# Of models that do not name theirs: YOLO-World has no other, YOLOE had no other at first.
_DEFAULT_TEXT_ENCODER: dict[Family, str] = {
    "yolo_world": "clip:ViT-B/32",
    "yoloe": "mobileclip:blt",
}


@dataclass(frozen=True, slots=True, eq=False)
class UltralyticsModel:
    """A model in evaluation mode with its batch normalisations folded.

    Attributes:
        module: ultralytics' WorldModel or YOLOEModel.
        title: the file's name, and whether its weights are random.
        family: which of the two.
        text_encoder: whose word vectors it compares with.
    """

    module: Any
    title: str
    family: Family
    text_encoder: str


def load_model(weights: str, family: Family | None = None) -> UltralyticsModel:
    """A model by name or path, on the CPU.

    Args:
        weights: a .pt file or its name; a .yaml name builds that architecture with random weights
            (from torch's seed), for measuring speed.
        family: None: from the name.

    Raises:
        PerceptionError: ultralytics is not installed, no such weights, or another model.
    """
    ultralytics = import_ultralytics()
    family = family or family_of(weights)
    random = weights.endswith(ARCHITECTURE)
    source = weights if random else str(find_weights(weights))
    if not source.endswith((*IN_TORCH, *ARCHITECTURE)):
        raise PerceptionError(f"{source} is no model in torch: name a .pt file")
    build = ultralytics.YOLOWorld if family == "yolo_world" else ultralytics.YOLOE
    try:
        module = build(source, verbose=False).model.eval()
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PerceptionError(f"{weights} does not load as a {family} model: {error}") from error
    _check_head(module, family, weights)
    if family == "yoloe":
        # Its one-to-one branch gives every object once; ultralytics prefers the other one.
        module.end2end = hasattr(module.model[-1], "one2one_cv2")
    module.fuse(verbose=False)
    stem = Path(weights).stem
    encoder = getattr(module, "text_model", _DEFAULT_TEXT_ENCODER[family])
    return UltralyticsModel(
        module.requires_grad_(False),
        f"{stem}, random weights" if random else stem,
        family,
        _TEXT_ENCODERS.get(encoder, encoder),
    )


def import_ultralytics() -> Any:
    """Ultralytics, kept from installing packages and from reporting home."""
    os.environ["YOLO_AUTOINSTALL"] = "false"
    os.environ["YOLO_OFFLINE"] = "true"
    folder = cache_root() / "ultralytics"
    os.environ.setdefault("YOLO_CONFIG_DIR", str(folder))
    os.environ.setdefault("YOLO_VERBOSE", "false")
    try:
        folder.mkdir(parents=True, exist_ok=True)  # without it the settings go elsewhere
        ensure_torchvision()
        import ultralytics
    except ImportError as error:
        raise PerceptionError(
            f"YOLO-World and YOLOE in torch need the extra: {error}; pip install"
            " 'scenemind[ultralytics]' (AGPL-3.0), or name a model that was exported where it is"
            " installed, an .onnx file"
        ) from error
    except OSError as error:
        raise PerceptionError(f"cannot make ultralytics' folder {folder}: {error}") from error
    return ultralytics


def _check_head(module: Any, family: Family, weights: str) -> None:
    from ultralytics.nn.modules.head import WorldDetect, YOLOEDetect

    head = module.model[-1]
    expected = WorldDetect if family == "yolo_world" else YOLOEDetect
    if not isinstance(head, expected):
        raise PerceptionError(
            f"{weights} has a {type(head).__name__} head, not {expected.__name__}: set"
            " detector.backend to the family of the model"
        )
    if hasattr(head, "lrpc"):
        raise PerceptionError(f"{weights} is prompt-free, its words are fixed: take another one")
    if any(not hasattr(compare, "norm") for compare in head.cv4):
        raise PerceptionError(f"{weights} is YOLO-World's first version: take a -worldv2 model")
    if getattr(head, "is_fused", False):
        raise PerceptionError(f"{weights} has its words fused in: take the model before that")
