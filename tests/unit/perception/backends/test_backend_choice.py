"""Choice of the backend for the name of a detector."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.config import DetectorConfig
from scenemind.perception import PerceptionError
from scenemind.perception.backends.backend_choice import with_backend


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SCENEMIND_WEIGHTS", raising=False)
    monkeypatch.setenv("SCENEMIND_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name in ("a.onnx", "a.xml", "my-yoloe.pt", "kitchen-worldv2.pth", "kitchen.pt", "a.tflite"):
        (tmp_path / name).touch()


def chosen(**settings: object) -> tuple[str, str]:
    config = with_backend(DetectorConfig.model_validate(settings))
    return config.backend, config.weights


@pytest.mark.parametrize(
    ("weights", "backend"),
    [
        ("a.onnx", "onnx"),
        ("a.xml", "onnx"),
        ("my-yoloe.pt", "yoloe"),
        ("kitchen-worldv2.pth", "yolo_world"),
        ("yoloe-11s-seg", "yoloe"),
        ("yolov8m-worldv2.pt", "yolo_world"),
        ("yoloe-26n-seg.yaml", "yoloe"),
    ],
)
def test_name_decides_the_backend(weights: str, backend: str, tmp_path: Path) -> None:
    full = str(tmp_path / weights) if (tmp_path / weights).exists() else weights
    assert chosen(weights=full) == (backend, full)
    assert chosen(weights=full, backend=backend) == (backend, full)


def test_without_weights_a_family_has_its_smallest_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENEMIND_WEIGHTS", "a.onnx")
    assert chosen(backend="yolo_world") == ("yolo_world", "yolov8s-worldv2.pt")
    assert chosen(backend="yoloe") == ("yoloe", "yoloe-26n-seg.pt")


def test_environment_names_weights_where_settings_do_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(PerceptionError, match=r"no detector is named.*SCENEMIND_WEIGHTS"):
        chosen()
    xml, onnx = str(tmp_path / "a.xml"), str(tmp_path / "a.onnx")
    monkeypatch.setenv("SCENEMIND_WEIGHTS", xml)
    assert chosen() == chosen(backend="onnx") == ("onnx", xml)
    assert chosen(weights=onnx) == ("onnx", onnx)
    assert chosen(backend="instance_camera") == ("instance_camera", "")


def test_setting_decides_the_family_where_the_name_does_not(tmp_path: Path) -> None:
    weights = str(tmp_path / "kitchen.pt")
    with pytest.raises(PerceptionError, match=r"kitchen\.pt.*set detector\.backend"):
        chosen(weights=weights)
    assert chosen(weights=weights, backend="yoloe") == ("yoloe", weights)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"weights": "./a.tflite"}, r"a\.tflite ends in \.tflite: .*\.onnx and \.xml"),
        ({"weights": "./a.onnx", "backend": "yoloe"}, r"yoloe, which cannot run .*a\.onnx.*auto"),
        ({"weights": "./my-yoloe.pt", "backend": "onnx"}, r"onnx, which cannot run .*my-yoloe\.pt"),
    ],
)
def test_error_names_files_that_no_backend_runs(settings: dict[str, object], says: str) -> None:
    with pytest.raises(PerceptionError, match=says):
        chosen(**settings)
