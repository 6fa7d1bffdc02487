"""Exported open-vocabulary models: the same detections as in torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.perception import Detections, PerceptionError
from scenemind.perception.backends import make_detector

from .conftest import HEIGHT, WIDTH

pytestmark = pytest.mark.extras

MODELS = ("yoloe-26n-seg", "yolov8n-worldv2")
SLOTS = 12
VOCABULARY = ["chair", "table", "cup", "monitor"]
OTHER = ["lamp", "plant", "door", "sink", "mug"]


@pytest.fixture(scope="module")
def exported(
    random_weights: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Model -> ONNX file, with OpenVINO's own format beside it."""
    from scenemind.perception.backends.export import convert_to_openvino, export_onnx

    folder = tmp_path_factory.mktemp("exported")
    paths = {name: folder / f"{name}.onnx" for name in MODELS}
    for name, path in paths.items():
        export_onnx(str(random_weights[name]), path, SLOTS, (WIDTH, HEIGHT))
        convert_to_openvino(path)
    return paths


def settings(weights: Path, **more: object) -> DetectorConfig:
    values = {
        "weights": str(weights),
        "vocabulary": VOCABULARY,
        "input_size": WIDTH,
        "max_detections": 12,  # beyond, scores lie so near to each other that rounding orders them
        **more,
    }
    return DetectorConfig.model_validate(values)


def in_torch(name: str, path: Path, words: Any) -> Any:
    backend = "yolo_world" if "world" in name else "yoloe"
    config = settings(path, backend=backend, device="cpu", precision="float32")
    return make_detector(config, encoder=words)


def assert_same(ours: Detections, theirs: Detections, pixels: float) -> None:
    assert ours.labels == theirs.labels
    np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-3)
    np.testing.assert_allclose(ours.boxes_px, theirs.boxes_px, atol=pixels)
    for mask, other in zip(ours.masks, theirs.masks, strict=True):
        if mask is not None and other is not None and mask.bits.shape == other.bits.shape:
            assert (mask.bits != other.bits).mean() < 0.02


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("runtime", ["onnxruntime", "openvino"])
def test_exported_detections_equal_those_of_torch_with_any_vocabulary(
    name: str,
    runtime: str,
    exported: dict[str, Path],
    random_weights: dict[str, Path],
    frame: RGBDFrame,
    words: Any,
) -> None:
    config = settings(exported[name], runtime=runtime, precision="float32")
    ours = make_detector(config, encoder=words)
    theirs = in_torch(name, random_weights[name], words)
    for vocabulary in (VOCABULARY, OTHER):
        ours.set_vocabulary(vocabulary)
        theirs.set_vocabulary(vocabulary)
        expected = theirs.detect(frame)
        assert len(expected) > 5
        assert set(expected.labels) <= set(vocabulary)
        assert_same(ours.detect(frame), expected, pixels=0.1)


@pytest.mark.parametrize("name", MODELS)
def test_the_number_of_slots_changes_nothing(
    name: str, exported: dict[str, Path], frame: RGBDFrame, words: Any
) -> None:
    """Twelve slots with four words against twelve words of which only those four are kept."""
    config = settings(exported[name], runtime="onnxruntime")
    four = make_detector(config, encoder=words).detect(frame)
    assert len(four) > 5
    assert set(four.labels) <= set(VOCABULARY)


def test_openvinos_own_format_gives_the_same(
    exported: dict[str, Path], frame: RGBDFrame, words: Any
) -> None:
    path = exported["yoloe-26n-seg"]
    exact = make_detector(settings(path, runtime="openvino", precision="float32"), encoder=words)
    halved = settings(path.with_suffix(".xml"), precision="float32")
    found = make_detector(halved, encoder=words).detect(frame)
    expected = exact.detect(frame)
    sure = expected.scores > 0.3  # its weights are in half precision
    assert set(expected.select(sure).labels) <= set(found.labels)


def test_file_holds_its_metadata(exported: dict[str, Path]) -> None:
    from scenemind.perception.backends.runtimes import open_network

    for name, task, encoder in (
        ("yoloe-26n-seg", "segment", "mobileclip2"),
        ("yolov8n-worldv2", "detect", "clip_vit_b32"),
    ):
        for suffix in (".onnx", ".xml"):
            path = exported[name].with_suffix(suffix)
            network = open_network(path, DetectorConfig())
            assert network.texts_shape == (SLOTS, 512)
            assert network.fixed_size == (WIDTH, HEIGHT)
            expected = {"task": task, "text_encoder": encoder, "slots": "12", "stride": "32"}
            assert expected.items() <= network.metadata.items()
            assert network.metadata["end2end"] == str(task == "segment")


def test_error_of_more_words_than_slots_says_how_to_export(
    exported: dict[str, Path], words: Any
) -> None:
    detector = make_detector(settings(exported["yolov8n-worldv2"]), encoder=words)
    with pytest.raises(PerceptionError, match="13 words do not fit into the 12 slots"):
        detector.set_vocabulary([f"thing {i}" for i in range(13)])


def test_an_exported_file_is_not_exported_again(exported: dict[str, Path]) -> None:
    from scenemind.perception.backends.export import export_onnx

    with pytest.raises(PerceptionError, match=r"yoloe-26n-seg\.onnx is no model in torch"):
        export_onnx(str(exported["yoloe-26n-seg"]), Path("model.onnx"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": "yolov8n.yaml"}, "names neither a YOLO-World nor a YOLOE"),
        ({"size": (640, 481)}, "640x481.*multiples of 32"),
        ({"path": Path("model.pt")}, r"must end in \.onnx"),
        ({"weights": "yoloe-26q-seg"}, "yoloe-26q-seg"),
    ],
)
def test_error_names_models_that_cannot_be_exported(
    arguments: dict[str, Any], message: str
) -> None:
    from scenemind.perception.backends.export import export_onnx

    defaults = {"weights": "yoloe-26n-seg.yaml", "path": Path("model.onnx")}
    with pytest.raises(PerceptionError, match=message):
        export_onnx(**{**defaults, **arguments})
