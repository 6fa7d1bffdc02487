"""Choice of the runtime of an exported file."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import onnxruntime
import pytest

from scenemind.config import DetectorConfig
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_detector
from scenemind.perception.backends.runtimes import (
    check_inputs,
    choose_runtime,
    open_session,
    providers_with_options,
)
from scenemind.perception.weights import cache_root

ONNX, IR = Path("model.onnx"), Path("model.xml")
CUDA, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


def choose(
    monkeypatch: pytest.MonkeyPatch, path: Path, *, cuda: bool, openvino: bool, **settings: object
) -> str:
    offered = [CUDA, CPU] if cuda else [CPU]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: offered)
    found = importlib.util.find_spec("numpy") if openvino else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: found)
    return choose_runtime(path, DetectorConfig.model_validate(settings))


def test_fastest_installed_runtime_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose(monkeypatch, ONNX, cuda=True, openvino=True) == "onnxruntime"
    assert choose(monkeypatch, ONNX, cuda=False, openvino=True) == "openvino"
    assert choose(monkeypatch, ONNX, cuda=False, openvino=False) == "onnxruntime"


def test_requested_runtime_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {"cuda": True, "openvino": True}
    assert choose(monkeypatch, ONNX, **here, runtime="openvino") == "openvino"
    assert choose(monkeypatch, IR, **here) == "openvino"
    here["cuda"] = False
    assert choose(monkeypatch, ONNX, **here, runtime="onnxruntime") == "onnxruntime"
    assert choose(monkeypatch, ONNX, **here, providers=[CPU]) == "onnxruntime"


@pytest.mark.parametrize(
    ("path", "settings", "message"),
    [
        (ONNX, {"runtime": "openvino", "providers": [CPU]}, "leave one of them out"),
        (IR, {"runtime": "onnxruntime"}, r"model\.xml is an OpenVINO model"),
        (IR, {"providers": [CPU]}, r"model\.xml is an OpenVINO model"),
    ],
)
def test_error_names_contradicting_settings(
    path: Path, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(PerceptionError, match=message):
        choose_runtime(path, DetectorConfig.model_validate(settings))


@pytest.mark.skipif(
    importlib.util.find_spec("openvino") is not None, reason="OpenVINO is installed here"
)
@pytest.mark.parametrize(
    ("name", "instead"),
    [("any.onnx", r"set detector\.runtime to auto"), ("any.xml", r"name the \.onnx file")],
)
def test_a_runtime_that_is_not_installed_says_how_to_get_it(
    name: str, instead: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(b"")
    ways = rf"{name}.*pip install -e '.*scenemind\[openvino\]'; or {instead}"
    with pytest.raises(PerceptionError, match=ways):
        make_detector(DetectorConfig(weights=str(path), runtime="openvino"))


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed here")
@pytest.mark.parametrize("backend", ["yolo_world", "yoloe"])
def test_a_torch_backend_without_torch_says_how_to_get_it(backend: str) -> None:
    config = DetectorConfig.model_validate({"backend": backend, "weights": "any.yaml"})
    with pytest.raises(PerceptionError, match=r"pip install -e '.*scenemind\[ultralytics\]'"):
        make_detector(config)


@pytest.mark.parametrize(
    "shapes",
    [
        {},
        {"images": (1, 480, 640, 3)},
        {"images": (1, 3, 480, 640), "texts": (80, 512)},
        {"images": (1, 3, 480, 640), "texts": (1, 80, None)},
        {"images": (1, 3, 480, 640), "texts": (1, 80, 512), "visual": (1, 80, 512)},
    ],
)
def test_error_names_unexpected_inputs(shapes: dict[str, tuple[int | None, ...]]) -> None:
    with pytest.raises(PerceptionError, match="not one float image"):
        check_inputs(ONNX, shapes)


def test_an_image_and_words_are_accepted() -> None:
    check_inputs(ONNX, {"images": (1, 3, None, None)})
    check_inputs(ONNX, {"images": (1, 3, 480, 640), "texts": (1, None, 512)})


def test_tensorrt_keeps_its_engines_and_rounds_only_when_it_may() -> None:
    (name, options), (other, none) = providers_with_options(
        ["TensorrtExecutionProvider", CPU], "auto"
    )
    assert (name, other, none) == ("TensorrtExecutionProvider", CPU, {})
    assert options["trt_engine_cache_enable"]
    assert options["trt_engine_cache_path"] == str(cache_root() / "tensorrt")
    assert options["trt_fp16_enable"]
    exact = providers_with_options(["TensorrtExecutionProvider"], "float32")
    assert not exact[0][1]["trt_fp16_enable"]


def test_a_provider_that_is_left_out_silently_is_an_error_or_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, shared_data: Path
) -> None:
    """ONNX Runtime lists CUDA and TensorRT where their libraries are missing."""
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU])
    weights = shared_data / "weights" / "yolox_nano.onnx"
    with pytest.raises(PerceptionError, match=r"could not start CUDAExecutionProvider.*providers"):
        open_session(weights, [CUDA, CPU], 1)
    session = open_session(weights, [], 1)
    assert session.get_providers() == [CPU]
    assert "could not start CUDAExecutionProvider" in caplog.text
    assert "detection runs on CPUExecutionProvider" in caplog.text
