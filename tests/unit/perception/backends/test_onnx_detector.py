"""The ONNX detector on real frames, against boxes that were drawn by eye."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose, iou_matrix_2d
from scenemind.perception import Detections, Detector, PerceptionError
from scenemind.perception.backends import make_detector

INT8, FLOAT, YOLOX = "yolov8n-seg_int8", "yolov8n-seg_deq640", "yolox_nano"
LOUNGE = "hololens/images/00347.png"
KITCHEN = "redkitchen/frame-000000.color.jpg"
TABLE = "redkitchen/frame-000315.color.jpg"

# What is there: frame, label, box (x0, y0, x1, y1) measured in the picture.
PLANT = (LOUNGE, "potted plant", (183, 20, 437, 343))
SOFA = (LOUNGE, "couch", (356, 137, 540, 360))
FAR_CHAIR = (LOUNGE, "chair", (61, 22, 127, 109))
WHITE_CUP = (KITCHEN, "cup", (363, 164, 401, 201))
SMALL_CUP = (TABLE, "cup", (418, 246, 461, 298))

Seen = tuple[str, str, tuple[int, int, int, int]]


def read_frame(path: Path) -> RGBDFrame:
    color = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
    height, width = color.shape[:2]
    camera = PinholeCamera(width, height, 500.0, 500.0, width / 2, height / 2)
    depth = np.zeros((height, width), np.float32)
    return RGBDFrame(0, 0, color, depth, camera, Pose.identity())


@cache
def load(weights: Path) -> Detector:
    return make_detector(DetectorConfig(weights=str(weights)))


def detect(shared_data: Path, model: str, picture: str, **settings: object) -> Detections:
    weights = shared_data / "weights" / f"{model}.onnx"
    config = DetectorConfig.model_validate({"weights": str(weights), **settings})
    detector = make_detector(config) if settings else load(weights)
    return detector.detect(read_frame(shared_data / "sequences" / picture))


def ious(detections: Detections, label: str, box: tuple[int, ...]) -> np.ndarray:
    """IoU of every detection with the box, 0 where the label differs."""
    overlap = iou_matrix_2d(detections.boxes_px, np.array([box], np.float32))[:, 0]
    return overlap * np.array([name == label for name in detections.labels])


@pytest.mark.parametrize(
    ("model", "seen"),
    [
        (FLOAT, PLANT),
        (FLOAT, SOFA),
        (FLOAT, FAR_CHAIR),
        (FLOAT, WHITE_CUP),
        (FLOAT, SMALL_CUP),
        (INT8, PLANT),
        (INT8, SOFA),
        (INT8, FAR_CHAIR),
        (INT8, WHITE_CUP),
        (YOLOX, PLANT),
        (YOLOX, SOFA),
        (YOLOX, FAR_CHAIR),
        (YOLOX, WHITE_CUP),
        (YOLOX, SMALL_CUP),
    ],
)
def test_what_is_plainly_there_is_found(shared_data: Path, model: str, seen: Seen) -> None:
    picture, label, box = seen
    detections = detect(shared_data, model, picture)
    overlap = ious(detections, label, box)
    assert overlap.max() > 0.6
    assert detections.scores[overlap.argmax()] > 0.25


@pytest.mark.parametrize("model", [INT8, FLOAT])
def test_masks_lie_within_their_boxes_and_on_the_object(shared_data: Path, model: str) -> None:
    detections = detect(shared_data, model, LOUNGE)
    sofa = int(ious(detections, SOFA[1], SOFA[2]).argmax())
    mask = detections.masks[sofa]
    assert mask is not None
    x0, y0, x1, y1 = detections.boxes_px[sofa]
    height, width = mask.bits.shape
    assert mask.x_px >= int(x0)
    assert mask.y_px >= int(y0)
    assert mask.x_px + width <= np.ceil(x1)
    assert mask.y_px + height <= np.ceil(y1)
    # Pixel (480, 250) is cushion; (362, 352) is carpet beside the sofa's foot.
    assert mask.bits[250 - mask.y_px, 480 - mask.x_px]
    assert not mask.bits[352 - mask.y_px, 362 - mask.x_px]


def test_the_int8_model_agrees_with_its_float_twin(shared_data: Path) -> None:
    """What the float model is sure of, the int8 model at half the resolution sees, too."""
    found, missed = 0, []
    for picture in (LOUNGE, KITCHEN, TABLE):
        twin = detect(shared_data, INT8, picture)
        exact = detect(shared_data, FLOAT, picture)
        exact = exact.select(exact.scores > 0.5)
        for label, box in zip(exact.labels, exact.boxes_px, strict=True):
            agrees = ious(twin, label, tuple(box)).max() > 0.5
            found += agrees
            missed += [] if agrees else [(picture, label)]
    assert found >= 2 * len(missed), missed


def test_settings_filter(shared_data: Path) -> None:
    every = detect(shared_data, YOLOX, LOUNGE)
    assert every.scores.tolist() == sorted(every.scores.tolist(), reverse=True)
    chairs = detect(shared_data, YOLOX, LOUNGE, classes=["Chair"], max_detections=2)
    assert set(chairs.labels) == {"chair"}
    assert len(chairs) == 2 < every.labels.count("chair") + 1
    strict = detect(shared_data, YOLOX, LOUNGE, min_score=0.6)
    assert 0 < len(strict) < len(every)


def test_an_image_without_objects_gives_none(shared_data: Path) -> None:
    weights = str(shared_data / "weights" / f"{YOLOX}.onnx")
    grey = np.full((360, 540, 3), 128, np.uint8)
    camera = PinholeCamera(540, 360, 500.0, 500.0, 270.0, 180.0)
    frame = RGBDFrame(0, 0, grey, np.zeros((360, 540), np.float32), camera, Pose.identity())
    assert len(make_detector(DetectorConfig(weights=weights, min_score=0.5)).detect(frame)) == 0


def test_the_name_says_what_runs(shared_data: Path) -> None:
    weights = str(shared_data / "weights" / f"{YOLOX}.onnx")
    detector = make_detector(
        DetectorConfig(weights=weights, classes=["cup", "chair"], runtime="onnxruntime")
    )
    assert detector.name == "yolox_nano (ONNX Runtime, CPU)"
    assert set(detector.vocabulary) == {"cup", "chair"}


def test_an_unknown_class_names_the_nearest(shared_data: Path) -> None:
    weights = str(shared_data / "weights" / f"{YOLOX}.onnx")
    with pytest.raises(PerceptionError, match=r"'coach'.*couch"):
        make_detector(DetectorConfig(weights=weights, classes=["coach"]))


def test_a_missing_file_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PerceptionError, match=r"none\.onnx: give the path of a file"):
        make_detector(DetectorConfig(weights=str(tmp_path / "none.onnx")))
    monkeypatch.delenv("SCENEMIND_WEIGHTS", raising=False)
    with pytest.raises(PerceptionError, match=r"detector\.weights"):
        make_detector(DetectorConfig())


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"this is not a network")
    with pytest.raises(PerceptionError, match=r"broken\.onnx does not load"):
        make_detector(DetectorConfig(weights=str(path)))


def test_an_unknown_provider_lists_those_there_are(tmp_path: Path) -> None:
    path = tmp_path / "any.onnx"
    path.write_bytes(b"")
    with pytest.raises(PerceptionError, match="CPUExecutionProvider"):
        make_detector(DetectorConfig(weights=str(path), providers=["NoSuchProvider"]))


def test_the_instance_camera_needs_names() -> None:
    with pytest.raises(PerceptionError, match="only simulated sequences"):
        make_detector(DetectorConfig(backend="instance_camera"))
