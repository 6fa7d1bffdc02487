"""Depth Anything V2 with random weights: its input and output, not its accuracy."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.backends.depth_estimator import EXAMPLE_MODEL, MonocularDepth
from scenemind.perception.weights import OFFLINE_VARIABLE

pytestmark = pytest.mark.extras

FARTHEST_M = 20


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny model of the real architecture, whose output depends on the picture."""
    from scenemind.perception.torchvision_shim import ensure_torchvision

    ensure_torchvision()
    import torch
    from transformers import (
        DepthAnythingConfig,
        DepthAnythingForDepthEstimation,
        Dinov2Config,
        DPTImageProcessor,
    )

    torch.manual_seed(0)
    backbone = Dinov2Config(
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        mlp_ratio=2,
        image_size=56,
        patch_size=14,
        out_features=["stage1", "stage2", "stage3", "stage4"],
        reshape_hidden_states=False,
    )
    config = DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=32,
        neck_hidden_sizes=[8, 16, 16, 16],
        fusion_hidden_size=16,
        head_hidden_size=8,
        depth_estimation_type="metric",
        max_depth=FARTHEST_M,
    )
    network = DepthAnythingForDepthEstimation(config)
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.25)
    folder = tmp_path_factory.mktemp("models") / "tiny-metric"
    network.save_pretrained(folder)
    DPTImageProcessor(
        size={"height": 56, "width": 56}, ensure_multiple_of=14, keep_aspect_ratio=True
    ).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("size", [(48, 64), (300, 200), (1, 1), (37, 501)])
def test_every_pixel_has_metres(model: Path, size: tuple[int, int]) -> None:
    color = np.random.default_rng(0).integers(0, 256, (*size, 3)).astype(np.uint8)
    estimator = MonocularDepth(str(model))
    estimator.fetch()  # it is there
    depth_m = estimator.estimate(color)
    assert (depth_m.shape, depth_m.dtype) == (size, np.float32)
    assert np.isfinite(depth_m).all()
    assert ((depth_m > 0.0) & (depth_m <= FARTHEST_M)).all()


def test_depths_lie_at_their_pixels_of_the_picture(model: Path, picture: np.ndarray) -> None:
    """Depth computed at a small size comes back at the picture's size: nearly that of the small
    picture, and not of its mirror image."""
    estimator = MonocularDepth(str(model))
    large = estimator.estimate(picture)
    small = estimator.estimate(np.ascontiguousarray(picture[2::4, 2::4]))
    assert small.std() > 0.01

    def alike(other: np.ndarray) -> float:
        return float(np.corrcoef(large[2::4, 2::4].ravel(), other.ravel())[0, 1])

    assert alike(small) > 0.8 > alike(small[:, ::-1])


def test_unknown_depth_is_zero(model: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    broken = shutil.copytree(model, tmp_path / "broken")
    weights = load_file(broken / "model.safetensors")
    weights["head.conv3.bias"][:] = np.nan
    save_file(weights, broken / "model.safetensors", {"format": "pt"})
    depth_m = MonocularDepth(str(broken)).estimate(np.zeros((20, 30, 3), np.uint8))
    np.testing.assert_array_equal(depth_m, np.zeros((20, 30), np.float32))


def test_threads_get_the_same_depth_as_one(model: Path, picture: np.ndarray) -> None:
    pictures = [picture, picture[::-1].copy(), picture[:100].copy()]
    alone = [MonocularDepth(str(model)).estimate(p) for p in pictures]
    shared = MonocularDepth(str(model))
    with ThreadPoolExecutor(3) as pool:
        for expected, found in zip(alone, pool.map(shared.estimate, pictures), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize(
    "color", [np.zeros((4, 4), np.uint8), np.zeros((0, 4, 3), np.uint8), np.zeros((4, 4, 3))]
)
def test_other_arrays_are_refused(model: Path, color: np.ndarray) -> None:
    with pytest.raises(PerceptionError, match="a picture is"):
        MonocularDepth(str(model)).estimate(color)


@pytest.mark.parametrize("damage", ["cut", "missing", "no processor", "settings"])
def test_error_names_damaged_files(model: Path, tmp_path: Path, damage: str) -> None:
    broken = shutil.copytree(model, tmp_path / "broken")
    weights = broken / "model.safetensors"
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:1000])
    elif damage == "settings":
        settings = json.loads((broken / "config.json").read_text(encoding="utf-8"))
        settings["max_depth"] = "far"
        (broken / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    else:
        (weights if damage == "missing" else broken / "preprocessor_config.json").unlink()
    with pytest.raises(PerceptionError, match=r"broken cannot be read \("):
        MonocularDepth(str(broken)).estimate(np.zeros((8, 8, 3), np.uint8))


def test_a_relative_model_is_refused_before_its_weights_are_read(
    model: Path, tmp_path: Path
) -> None:
    settings = json.loads((model / "config.json").read_text(encoding="utf-8"))
    settings["depth_estimation_type"] = "relative"
    (tmp_path / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    with pytest.raises(PerceptionError, match="relative"):
        MonocularDepth(str(tmp_path))


def test_offline_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OFFLINE_VARIABLE, "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(PerceptionError, match=rf"is set.*hf download {EXAMPLE_MODEL}"):
        MonocularDepth(EXAMPLE_MODEL)
