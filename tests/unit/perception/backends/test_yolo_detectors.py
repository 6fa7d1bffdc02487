"""YOLO detectors with fixed classes, and open-vocabulary ones."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from scenemind.perception.backends.yolo_detectors import PromptedDetector, encoder_of, padded
from scenemind.perception.protocols import OpenVocabularyDetector, TextEncoder
from scenemind.perception.text import default_vocabulary

INT8, FLOAT, YOLOX = "yolov8n-seg_int8", "yolov8n-seg_deq640", "yolox_nano"
LOUNGE = "hololens/images/00347.png"
KITCHEN = "redkitchen/frame-000000.color.jpg"
TABLE = "redkitchen/frame-000315.color.jpg"
# Objects in the pictures: frame, label, box (x0, y0, x1, y1) measured in the picture.
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


# A second thread of ONNX Runtime waits by computing, which costs the other tests a core.
ALONE = {"threads": 1}


@cache
def load(weights: Path) -> Detector:
    return make_detector(DetectorConfig.model_validate({"weights": str(weights), **ALONE}))


def detect(shared_data: Path, model: str, picture: str, **settings: object) -> Detections:
    weights = shared_data / "weights" / f"{model}.onnx"
    config = DetectorConfig.model_validate({"weights": str(weights), **ALONE, **settings})
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
def test_evident_objects_are_found(shared_data: Path, model: str, seen: Seen) -> None:
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
    """The int8 model at half the resolution finds the objects of high scores of the float model."""
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


def test_settings_filter_detections(shared_data: Path) -> None:
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


def test_name_has_model_and_runtime(shared_data: Path) -> None:
    weights = str(shared_data / "weights" / f"{YOLOX}.onnx")
    detector = make_detector(
        DetectorConfig(weights=weights, classes=["cup", "chair"], runtime="onnxruntime")
    )
    assert detector.name == "yolox_nano (ONNX Runtime, CPU)"
    assert set(detector.vocabulary) == {"cup", "chair"}


def test_error_of_an_unknown_class_names_the_nearest(shared_data: Path) -> None:
    weights = str(shared_data / "weights" / f"{YOLOX}.onnx")
    with pytest.raises(PerceptionError, match=r"'coach'.*couch"):
        make_detector(DetectorConfig(weights=weights, classes=["coach"]))


def test_error_of_a_missing_file_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PerceptionError, match=r"no such file: .*none\.onnx"):
        make_detector(DetectorConfig(weights=str(tmp_path / "none.onnx")))
    monkeypatch.delenv("SCENEMIND_WEIGHTS", raising=False)
    with pytest.raises(PerceptionError, match=r"detector\.weights"):
        make_detector(DetectorConfig())


def test_error_names_a_file_that_is_no_model(tmp_path: Path) -> None:
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


SIZE = 64
UNUSED_SCORE = 0.99


class ColourNetwork:
    """A network that finds one box as wide as the picture, with the word that fits its colour.

    Slots beyond the words give detections too, like those of a careless export.
    """

    fixed_size = (SIZE, SIZE)
    runtime = "numpy"
    metadata: Mapping[str, str] = {"text_encoder": "clip_vit_b32"}

    def __init__(self, slots: int | None = 6, dimension: int = 3) -> None:
        self.texts_shape = (slots, dimension)

    def run(self, images: np.ndarray, texts: np.ndarray | None = None) -> list[np.ndarray]:
        assert texts is not None
        assert self.texts_shape[0] in (None, texts.shape[1])
        scores = texts[0, :, :3] @ images[0].mean(axis=(1, 2))
        slot = int(scores.argmax())
        unused = np.array([5, 5, 30, 30, UNUSED_SCORE, 5], np.float32)
        box = np.array([0, 0, SIZE, SIZE, scores[slot], slot], np.float32)
        return [np.stack((unused, box, np.zeros(6, np.float32)))[None]]


class Colours:
    """The vectors of three colours."""

    name = "colours"
    dimension = 3
    known = ("red", "green", "blue", "white")

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        vectors = {**dict(zip(self.known, np.eye(3), strict=False)), "white": np.full(3, 3**-0.5)}
        if unknown := [text for text in texts if text not in vectors]:
            raise PerceptionError(f"{unknown} cannot be embedded")
        return np.array([vectors[text] for text in texts], np.float32)


def detector(slots: int | None = 6, **settings: object) -> PromptedDetector:
    config = DetectorConfig.model_validate({"vocabulary": ["red", "green"], **settings})
    return PromptedDetector(ColourNetwork(slots), Colours(), config, "colours")


def painted(frame: RGBDFrame, rgb: tuple[int, int, int]) -> RGBDFrame:
    return replace(frame, color=np.full_like(frame.color, rgb))


def test_it_is_an_open_vocabulary_detector_named_after_model_and_runtime() -> None:
    made = detector()
    assert isinstance(made, OpenVocabularyDetector)
    assert made.name == "colours (numpy)"
    assert made.vocabulary == ("red", "green")


def test_labels_come_from_the_vocabulary(frame: RGBDFrame) -> None:
    made = detector()
    assert made.detect(painted(frame, (255, 0, 0))).labels == ("red",)
    made.set_vocabulary(["blue", "Red"])
    assert made.detect(painted(frame, (255, 0, 0))).labels == ("red",)
    assert made.detect(painted(frame, (0, 0, 255))).labels == ("blue",)
    assert made.vocabulary == ("blue", "red")


@pytest.mark.parametrize("slots", [6, None])
def test_slots_without_a_word_never_count(frame: RGBDFrame, slots: int | None) -> None:
    found = detector(slots).detect(painted(frame, (255, 0, 0)))
    assert UNUSED_SCORE not in found.scores.round(2)
    assert found.labels == ("red",)


def test_only_wanted_classes_are_kept(frame: RGBDFrame) -> None:
    made = detector(classes=["green"])
    assert len(made.detect(painted(frame, (255, 0, 0)))) == 0
    assert made.detect(painted(frame, (0, 255, 0))).labels == ("green",)
    with pytest.raises(PerceptionError, match="'green'"):
        made.set_vocabulary(["red"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["red", "mauve"], r"mauve.*leave them out of detector\.vocabulary"),
        ([], "empty"),
        (["red", ""], "no name of a thing"),
        ([f"thing {i}" for i in range(7)], r"7 words do not fit into the 6 slots.*--slots 7"),
    ],
)
def test_a_refused_vocabulary_changes_nothing(
    frame: RGBDFrame, words: list[str], message: str
) -> None:
    made = detector()
    with pytest.raises(PerceptionError, match=message):
        made.set_vocabulary(words)
    assert made.vocabulary == ("red", "green")
    assert made.detect(painted(frame, (0, 255, 0))).labels == ("green",)


def test_words_change_as_a_whole_while_it_detects(frame: RGBDFrame) -> None:
    """Both vocabularies know the colour; one's words with the other's vectors would not."""
    made = detector()
    red = painted(frame, (255, 0, 0))
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            made.set_vocabulary(["blue", "green", "white", "red"])
            made.set_vocabulary(["red", "green"])

    thread = threading.Thread(target=change)
    thread.start()
    try:
        labels = {made.detect(red).labels for _ in range(300)}
    finally:
        stop.set()
        thread.join()
    assert labels == {("red",)}


def test_the_default_vocabulary_is_used_where_none_is_set(words: TextEncoder) -> None:
    made = PromptedDetector(ColourNetwork(None, dimension=512), words, DetectorConfig(), "colours")
    assert made.vocabulary == default_vocabulary()


def test_an_encoder_of_another_dimension_is_refused(words: TextEncoder) -> None:
    with pytest.raises(PerceptionError, match=r"vectors of 3 numbers.*hashed gives 512"):
        PromptedDetector(ColourNetwork(), words, DetectorConfig(), "colours")


def test_file_names_its_encoder() -> None:
    network = ColourNetwork()
    assert encoder_of(network, "colours").name == "clip_vit_b32"
    network.metadata = {}
    with pytest.raises(PerceptionError, match="detector export"):
        encoder_of(network, "colours")


def test_padding_is_zeros_behind_the_words() -> None:
    texts = padded(np.ones((2, 3), np.float32), slots=4)
    np.testing.assert_array_equal(texts[0].sum(axis=1), [3, 3, 0, 0])
    assert padded(np.ones((2, 3), np.float32), slots=None).shape == (1, 2, 3)
