"""The choice of a detector: named, configured, from the environment; or what is missing."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from scenemind import composition
from scenemind.cli.main import app
from scenemind.cli.options import named_detector
from scenemind.composition import choose_detector, detector_settings
from scenemind.config import DetectorConfig, SceneMindConfig
from scenemind.perception import PerceptionError
from scenemind.perception.backends.export import export_onnx
from scenemind.perception.text import EmbeddingCache
from scenemind.simulation import simulate

DATA = "data of this test"
NEEDS_NO_TORCH = pytest.mark.skipif(
    importlib.util.find_spec("torch") is not None, reason="torch is installed here"
)


@pytest.fixture(autouse=True)
def _nothing_beside_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SCENEMIND_WEIGHTS", raising=False)
    monkeypatch.setenv("SCENEMIND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SCENEMIND_OFFLINE", "1")
    monkeypatch.setattr(composition, "__file__", str(tmp_path / "composition.py"))
    monkeypatch.setattr(composition, "_DATA_BESIDE_THE_REPOSITORY", Path(DATA))
    monkeypatch.chdir(tmp_path)


def touched(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return str(path)


def chosen(
    named: str | None = None, *, is_simulated: bool = False, **settings: object
) -> tuple[str, str]:
    """Backend and weights."""
    config = SceneMindConfig(detector=DetectorConfig.model_validate(settings))
    detector = detector_settings(config, named, is_simulated=is_simulated).detector
    return detector.backend, detector.weights


def mistake(*arguments: str) -> str:
    """The error of `scenemind map`, which then maps nothing."""
    result = CliRunner().invoke(app, ["map", "sim:1", "--memory-root", "memories", *arguments])
    assert result.exit_code == 1, result.output
    assert not Path("memories").exists()
    return result.output


def test_the_command_line_wins_over_settings_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, configured, exported = (touched(tmp_path / f"{name}.onnx") for name in "nce")
    monkeypatch.setenv("SCENEMIND_WEIGHTS", exported)
    assert chosen(named, weights=configured) == ("onnx", named)
    assert chosen(weights=configured) == ("onnx", configured)
    assert chosen() == ("onnx", exported)
    monkeypatch.setenv("SCENEMIND_WEIGHTS", "yoloe-26n-seg")
    assert chosen() == ("yoloe", "yoloe-26n-seg")


def test_a_simulated_room_looks_through_its_instance_camera_unless_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, camera = choose_detector(SceneMindConfig(), simulate(1, 2), None)
    assert settings.detector.backend == "instance_camera"
    assert camera.name == "simulated instance camera"
    assert "chair" in camera.vocabulary

    model = touched(tmp_path / "model.onnx")
    monkeypatch.setenv("SCENEMIND_WEIGHTS", model)
    assert chosen(is_simulated=True)[0] == "instance_camera"
    assert chosen(model, is_simulated=True) == ("onnx", model)
    assert chosen(is_simulated=True, weights=model) == ("onnx", model)
    assert chosen(model, is_simulated=True, backend="instance_camera") == ("onnx", model)


def test_the_best_beside_the_repository_is_taken_where_none_is_named(tmp_path: Path) -> None:
    weights = tmp_path / DATA / "weights"
    touched(weights / "yolox_nano.onnx")
    with_masks = touched(weights / "yolov8n-seg_deq640.onnx")
    assert chosen() == ("onnx", with_masks)
    assert chosen(backend="yolo_world") == ("yolo_world", "yolov8s-worldv2.pt")
    assert chosen("yolox_nano") == ("onnx", str(weights / "yolox_nano.onnx"))


def test_the_choice_and_its_reason_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(composition, "make_detector", lambda *_: SimpleNamespace(name="camera"))

    def printed(named: str | None = None, *, simulated: bool = False, **settings: object) -> str:
        config = SceneMindConfig(detector=DetectorConfig.model_validate(settings))
        named_detector(config, simulate(1, 2) if simulated else None, named)
        return capsys.readouterr().err

    weights = tmp_path / DATA / "weights"
    file = touched(weights / "yolov8n-seg_deq640.onnx")
    name = f"detector: {Path(file).name}"
    assert printed() == f"{name} (found in {weights}, as none is named)\n"
    assert printed(file) == f"{name} (--detector)\n"
    assert printed(weights=file) == f"{name} (detector.weights)\n"
    assert printed(backend="yoloe") == "detector: yoloe-26n-seg.pt (detector.backend)\n"
    assert printed(simulated=True) == "detector: camera (the room is simulated)\n"
    touched(weights / "yolox_nano.onnx")
    others = "; also there: yolox_nano.onnx"
    assert printed() == f"{name} (found in {weights}, as none is named{others})\n"
    assert printed(str(weights)) == f"{name} (--detector{others})\n"
    assert printed(file) == f"{name} (--detector)\n"
    assert printed("yolox_nano") == "detector: yolox_nano.onnx (--detector)\n"
    monkeypatch.setenv("SCENEMIND_WEIGHTS", file)
    assert printed() == f"{name} ($SCENEMIND_WEIGHTS)\n"


def test_where_none_can_be_found_it_says_how_to_name_one() -> None:
    ways = r"--detector FILE\.onnx.*SCENEMIND_WEIGHTS.*detector\.weights.*scenemind detector"
    with pytest.raises(PerceptionError, match=ways):
        chosen()


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("nowhere/yoloe.pt", "no weights at nowhere/yoloe.pt"),
        ("yoloe-26n-sg", "did you mean yoloe-26n-seg.pt"),
        ("model.engine", "write ./model.engine"),
        ("./model.engine", "ends in .engine: detectors are .onnx and .xml"),
        ("kitchen.pt", "write ./kitchen.pt"),
        ("./kitchen.pt", "set detector.backend to yolo_world or yoloe"),
        ("ViT-B-32", "names neither a YOLO-World nor a YOLOE model"),
        ("empty", "write ./empty"),
        ("./empty", "empty is a folder without a detector"),
    ],
)
def test_a_name_that_is_none_is_answered_with_the_way_out(
    named: str, says: str, tmp_path: Path
) -> None:
    touched(tmp_path / "model.engine")
    touched(tmp_path / "kitchen.pt")
    (tmp_path / "empty").mkdir()
    assert says in mistake("--detector", named)


@NEEDS_NO_TORCH
def test_without_torch_a_known_name_says_what_to_install() -> None:
    for name in ("yoloe-26n-seg", "yolov8s-worldv2"):
        said = mistake("--detector", name)
        assert "scenemind[ultralytics]" in said
        assert ".onnx" in said


@pytest.mark.extras
def test_without_a_network_a_known_name_says_where_to_put_the_file(tmp_path: Path) -> None:
    said = mistake("--detector", "yolov8s-worldv2")
    assert "releases/download/v8.4.0/yolov8s-worldv2.pt" in said
    assert str(tmp_path / "cache" / "weights" / "yolov8s-worldv2.pt") in said


@pytest.mark.extras
@pytest.mark.parametrize(
    ("model", "encoder"),
    [("yoloe-26n-seg", "mobileclip2"), ("yolov8s-worldv2", "clip_vit_b32")],
)
def test_a_model_in_torch_and_exported_maps_without_more_settings(
    model: str, encoder: str, tmp_path: Path
) -> None:
    vectors = np.eye(2, 512, dtype=np.float32)
    EmbeddingCache(encoder).put(["chair", "table"], vectors)
    config = touched(tmp_path / "two_words.yaml")
    Path(config).write_text("detector: {vocabulary: [chair, table]}", encoding="utf-8")

    def detector_of(named: str) -> str:
        command = ["map", "sim:1", "--frames", "1", "--replace", "--memory-root", str(tmp_path)]
        command += ["--config", config, "--json", "--detector", named]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
        return str(json.loads(result.output.splitlines()[-1])["detector"])

    assert detector_of(f"{model}.yaml").startswith(f"{model}, random weights (torch")
    export_onnx(f"{model}.yaml", tmp_path / f"{model}.onnx", 2, (96, 64))
    assert detector_of(f"./{model}.onnx").startswith(f"{model} (")
