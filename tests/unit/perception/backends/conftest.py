"""Models with random weights that behave like trained ones, for the tests of the extras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose

WIDTH, HEIGHT = 320, 256


class HashedWords:
    """A text encoder without a model: every word has its own random direction."""

    name = "hashed"
    dimension = 512

    def encode(self, texts: Any) -> np.ndarray:
        vectors = [np.random.default_rng(list(text.encode())).normal(size=512) for text in texts]
        return np.array([v / np.linalg.norm(v) for v in vectors], np.float32)


@pytest.fixture(scope="session")
def words() -> HashedWords:
    return HashedWords()


@pytest.fixture(scope="session")
def picture() -> np.ndarray:
    """Smooth coloured blobs, (256, 320, 3) uint8."""
    coarse = np.random.default_rng(3).integers(0, 256, (8, 10, 3)).astype(np.uint8)
    return cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)


@pytest.fixture(scope="session")
def frame(picture: np.ndarray) -> RGBDFrame:
    camera = PinholeCamera(WIDTH, HEIGHT, 300.0, 300.0, WIDTH / 2, HEIGHT / 2)
    depth = np.zeros((HEIGHT, WIDTH), np.float32)
    return RGBDFrame(0, 0, picture, depth, camera, Pose.identity())


@pytest.fixture(scope="session")
def random_weights(
    tmp_path_factory: pytest.TempPathFactory, picture: np.ndarray
) -> dict[str, Path]:
    """Architecture -> .pt file.

    Activations of random weights die out or explode, and all anchors look alike. So every batch
    normalisation is set from the picture, as training does it, and biases so that some scores pass.
    """
    folder = tmp_path_factory.mktemp("weights")
    return {
        name: _save(name, folder / f"{name}.pt", picture)
        for name in ("yoloe-26n-seg", "yoloe-11n-seg", "yolov8n-worldv2")
    }


def _save(name: str, path: Path, picture: np.ndarray) -> Path:
    from scenemind.perception.backends.yolo_torch import import_ultralytics

    ultralytics = import_ultralytics()
    import torch

    torch.manual_seed(0)
    build = ultralytics.YOLOWorld if "world" in name else ultralytics.YOLOE
    model = build(f"{name}.yaml", verbose=False)
    module, head = model.model, model.model.model[-1]
    for layer in module.modules():
        if isinstance(layer, torch.nn.BatchNorm2d):
            layer.reset_running_stats()
            layer.momentum = None  # the mean over what is seen
    image = torch.from_numpy(picture.copy()).permute(2, 0, 1)[None].float() / 255
    with torch.no_grad():
        module.train()(image.repeat(2, 1, 1, 1))
        for compare in (*head.cv4, *getattr(head, "one2one_cv4", ())):
            compare.bias.fill_(-2.0)
        if hasattr(head, "reprta"):  # begins as the identity
            head.reprta.m.w3.weight.normal_(0.0, 0.03)
            head.reprta.m.w3.bias.normal_(0.0, 0.03)
    module.eval()
    model.save(path)
    return path
