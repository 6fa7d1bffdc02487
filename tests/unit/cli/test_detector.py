"""Which weights are taken: named, configured, from the environment, or said what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.cli import detector
from scenemind.cli.detector import choose_detector, detector_settings, find_weights
from scenemind.cli.errors import CommandError
from scenemind.config import DetectorConfig, SceneMindConfig
from scenemind.simulation import simulate

PLAIN = SceneMindConfig()


@pytest.fixture(autouse=True)
def _nothing_beside_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SCENEMIND_WEIGHTS", raising=False)
    monkeypatch.setattr(detector, "__file__", str(tmp_path / "cli" / "detector.py"))


def onnx(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_the_command_line_wins_over_settings_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, configured, exported = (onnx(tmp_path / f"{n}.onnx") for n in ("named", "conf", "env"))
    config = SceneMindConfig(detector=DetectorConfig(weights=str(configured)))
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(exported))
    assert find_weights(config, named) == named
    assert find_weights(config) == configured
    assert find_weights(PLAIN) == exported


def test_the_environment_may_name_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(tmp_path))
    with pytest.raises(CommandError, match=f"no ONNX file at {tmp_path}"):
        find_weights(PLAIN)
    onnx(tmp_path / "other.onnx")
    known = onnx(tmp_path / "yolox_nano.onnx")
    assert find_weights(PLAIN) == known


def test_models_with_masks_beside_the_repository_are_preferred(tmp_path: Path) -> None:
    weights = tmp_path / "shared" / "data" / "weights"
    onnx(weights / "yolox_nano.onnx")
    with_masks = onnx(weights / "yolov8n-seg_deq640.onnx")
    assert find_weights(PLAIN) == with_masks


def test_without_weights_the_error_says_where_to_get_some() -> None:
    with pytest.raises(CommandError, match=r"--detector.*SCENEMIND_WEIGHTS.*detector export"):
        find_weights(PLAIN)


def test_a_simulated_room_looks_through_its_instance_camera() -> None:
    settings, camera = choose_detector(PLAIN, simulate(1, 2), None)
    assert settings.detector.backend == "instance_camera"
    assert camera.name == "simulated instance camera"
    assert "chair" in camera.vocabulary


def test_a_simulated_room_takes_weights_when_they_are_named(tmp_path: Path) -> None:
    named = onnx(tmp_path / "model.onnx")
    settings = detector_settings(PLAIN, simulate(1, 2), named)
    assert (settings.detector.backend, settings.detector.weights) == ("onnx", str(named))
