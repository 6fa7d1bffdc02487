"""OpenVINO against ONNX Runtime, with trained weights on recorded pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose, iou_matrix_2d
from scenemind.perception import Detections, PerceptionError
from scenemind.perception.backends import make_detector
from scenemind.perception.backends.runtimes import open_network

pytestmark = pytest.mark.extras

MODELS = ("yolov8n-seg_deq640", "yolov8n-seg_int8", "yolox_nano")
PICTURES = (
    "hololens/images/00347.png",
    "redkitchen/frame-000000.color.jpg",
    "redkitchen/frame-000315.color.jpg",
)


def detect(shared_data: Path, model: str, **settings: object) -> list[Detections]:
    weights = str(shared_data / "weights" / f"{model}.onnx")
    config = DetectorConfig.model_validate({"weights": weights, "min_score": 0.25, **settings})
    detector = make_detector(config)
    return [detector.detect(read(shared_data / "sequences" / name)) for name in PICTURES]


def read(path: Path) -> RGBDFrame:
    color = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
    height, width = color.shape[:2]
    camera = PinholeCamera(width, height, 500.0, 500.0, width / 2, height / 2)
    return RGBDFrame(0, 0, color, np.zeros((height, width), np.float32), camera, Pose.identity())


def matches(ours: Detections, theirs: Detections) -> list[tuple[int, int]]:
    """Rows of OpenVINO and ONNX Runtime of one label and with the largest overlap, at least 0.5."""
    if not len(ours) or not len(theirs):
        return []
    same = np.array([[a == b for b in theirs.labels] for a in ours.labels])
    overlap = iou_matrix_2d(ours.boxes_px, theirs.boxes_px) * same
    return [(i, int(row.argmax())) for i, row in enumerate(overlap) if row.max() > 0.5]


@pytest.mark.parametrize("model", ["yolov8n-seg_deq640", "yolox_nano"])
def test_float32_detections_equal_those_of_onnx_runtime(shared_data: Path, model: str) -> None:
    exact = detect(shared_data, model, runtime="onnxruntime")
    found = detect(shared_data, model, runtime="openvino", precision="float32")
    assert sum(map(len, exact)) > 10
    for ours, theirs in zip(found, exact, strict=True):
        assert ours.labels == theirs.labels
        np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-3)
        np.testing.assert_allclose(ours.boxes_px, theirs.boxes_px, atol=0.1)
        for mask, other in zip(ours.masks, theirs.masks, strict=True):
            if mask is not None and other is not None and mask.bits.shape == other.bits.shape:
                assert (mask.bits != other.bits).mean() < 0.01


@pytest.mark.parametrize("model", MODELS)
def test_bfloat16_moves_boxes_by_less_than_detectors_err(shared_data: Path, model: str) -> None:
    """Every object of a high score is found again, its box within a few pixels."""
    exact = detect(shared_data, model, runtime="onnxruntime")
    found = detect(shared_data, model, runtime="openvino")
    pixels, scores, missed = [], [], []
    for ours, theirs in zip(found, exact, strict=True):
        pairs = matches(theirs, ours)
        missed += [theirs.scores[i] for i in range(len(theirs)) if i not in dict(pairs)]
        pixels += [np.abs(theirs.boxes_px[i] - ours.boxes_px[j]).max() for i, j in pairs]
        scores += [abs(theirs.scores[i] - ours.scores[j]) for i, j in pairs]
    assert max(missed, default=0.0) < 0.35, "only what barely passed may be lost"
    assert np.median(pixels) < 3.0
    assert np.median(scores) < 0.03


@pytest.fixture
def mean_of_any_size(tmp_path: Path) -> Path:
    """A network that takes any picture and two words, and gives the mean colour and the words."""
    onnx = pytest.importorskip("onnx")
    helper, single = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [
            helper.make_node("GlobalAveragePool", ["images"], ["mean"]),
            helper.make_node("Identity", ["texts"], ["words"]),
        ],
        "mean",
        [
            helper.make_tensor_value_info("images", single, (1, 3, "h", "w")),
            helper.make_tensor_value_info("texts", single, (1, 2, 4)),
        ],
        [
            helper.make_tensor_value_info("mean", single, (1, 3, 1, 1)),
            helper.make_tensor_value_info("words", single, (1, 2, 4)),
        ],
    )
    path = tmp_path / "mean.onnx"
    opsets = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)
    return path


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_pictures_may_change_their_size(mean_of_any_size: Path, runtime: str) -> None:
    config = DetectorConfig.model_validate({"runtime": runtime, "precision": "float32"})
    network = open_network(mean_of_any_size, config)
    assert network.fixed_size is None
    assert network.texts_shape == (2, 4)
    rng = np.random.default_rng(0)
    texts = rng.normal(size=(1, 2, 4)).astype(np.float32)
    for shape in ((1, 3, 64, 96), (1, 3, 32, 32), (1, 3, 64, 96)):
        image = rng.random(shape, dtype=np.float32)
        mean, words = network.run(image, texts)
        np.testing.assert_allclose(mean[0, :, 0, 0], image[0].mean(axis=(1, 2)), rtol=1e-4)
        np.testing.assert_array_equal(words, texts)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_words_of_another_shape_are_an_error(mean_of_any_size: Path, runtime: str) -> None:
    network = open_network(mean_of_any_size, DetectorConfig.model_validate({"runtime": runtime}))
    with pytest.raises(PerceptionError, match=r"failed on .*\(1, 3, 4\)"):
        network.run(np.zeros((1, 3, 32, 32), np.float32), np.zeros((1, 3, 4), np.float32))


def test_the_name_says_the_precision(shared_data: Path) -> None:
    weights = str(shared_data / "weights" / "yolox_nano.onnx")
    config = DetectorConfig(weights=weights, runtime="openvino", precision="float32")
    assert make_detector(config).name == "yolox_nano (OpenVINO, CPU f32)"


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"this is not a network")
    with pytest.raises(PerceptionError, match=r"broken\.onnx does not load as an ONNX model"):
        make_detector(DetectorConfig(weights=str(path), runtime="openvino"))
