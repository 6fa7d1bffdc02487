"""YOLO-World and YOLOE in torch."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import iou_matrix_2d
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_detector

from .conftest import WIDTH

pytestmark = pytest.mark.extras


def make(words: Any, **settings: object) -> Any:
    values = {"vocabulary": ["chair", "cup"], "device": "cpu", "precision": "float32"}
    values |= {"input_size": WIDTH, **settings}
    return make_detector(DetectorConfig.model_validate(values), encoder=words)


def test_it_detects_with_masks(
    random_weights: dict[str, Path], frame: RGBDFrame, words: Any
) -> None:
    detector = make(words, backend="yoloe", weights=str(random_weights["yoloe-11n-seg"]))
    assert detector.name == "yoloe-11n-seg (torch, cpu float32)"
    found = detector.detect(frame)
    assert len(found) > 5
    assert set(found.labels) <= {"chair", "cup"}
    assert all(mask is not None and mask.bits.size for mask in found.masks)
    assert detector.stage_ms.keys() == {"pre", "network", "post"}


def test_the_fastest_precision_moves_boxes_little(
    random_weights: dict[str, Path], frame: RGBDFrame, words: Any
) -> None:
    """In bfloat16 where the CPU has it; elsewhere both are float32."""
    settings = {"backend": "yoloe", "weights": str(random_weights["yoloe-11n-seg"])}
    exact = make(words, **settings).detect(frame)
    found = make(words, **settings, precision="auto").detect(frame)
    overlap = iou_matrix_2d(exact.boxes_px[:10], found.boxes_px)
    same = np.array([[a == b for b in found.labels] for a in exact.labels[:10]])
    assert np.median((overlap * same).max(axis=1)) > 0.9


def test_an_architecture_gets_random_weights_and_says_so(words: Any) -> None:
    detector = make(words, backend="yolo_world", weights="yolov8n-worldv2.yaml")
    assert detector.name == "yolov8n-worldv2, random weights (torch, cpu float32)"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"backend": "yoloe", "weights": "yolov8n-worldv2.yaml"}, "load as a yoloe model"),
        ({"backend": "yolo_world", "weights": "yolov8n-world.yaml"}, "-worldv2"),
        ({"backend": "yoloe", "weights": "/nowhere/yoloe.pt"}, "/nowhere/yoloe.pt"),
        (
            {"backend": "yoloe", "weights": "yoloe-26n-seg.yaml", "device": "cuda:99"},
            "'cuda:99'.*set it to cpu",
        ),
    ],
)
def test_what_cannot_be_used_is_named(
    settings: dict[str, object], message: str, words: Any
) -> None:
    with pytest.raises(PerceptionError, match=message):
        make(words, **settings)


def test_a_broken_file_is_named(tmp_path: Path, words: Any) -> None:
    path = tmp_path / "yoloe-broken.pt"
    path.write_bytes(b"this is not a network")
    with pytest.raises(PerceptionError, match=r"yoloe-broken\.pt does not load"):
        make(words, backend="yoloe", weights=str(path))


def test_ultralytics_is_kept_from_the_network() -> None:
    from scenemind.perception.backends.ultralytics_models import import_ultralytics

    import_ultralytics()
    assert (os.environ["YOLO_AUTOINSTALL"], os.environ["YOLO_OFFLINE"]) == ("false", "true")
    from ultralytics import utils

    assert not utils.ONLINE
