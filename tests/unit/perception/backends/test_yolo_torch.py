"""YOLO-World and YOLOE in torch."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import iou_matrix_2d
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_detector

from .conftest import WIDTH

pytestmark = pytest.mark.extras
MODELS = ("yoloe-26n-seg", "yoloe-11n-seg", "yolov8n-worldv2")
WORDS = ("chair", "table", "cup", "monitor", "lamp", "plant")
SLOTS = 10


def outputs(path: Path, picture: np.ndarray, words: Any) -> tuple[Any, Any, Any]:
    """Ultralytics' prediction, our rows and our prototypes (None without masks)."""
    from scenemind.perception.backends.yolo_torch import load_model

    model = load_model(str(path))
    import torch

    from scenemind.perception.backends.prompted_network import PromptedNetwork

    theirs = copy.deepcopy(model.module)
    network = PromptedNetwork(model.module, model.family).eval()
    image = torch.from_numpy(picture.copy()).permute(2, 0, 1)[None].float() / 255
    texts = torch.from_numpy(words.encode(WORDS))[None]
    padded = torch.zeros(1, SLOTS, 512)
    padded[:, : len(WORDS)] = texts
    theirs.model[-1].nc = len(WORDS)
    prompts = {"tpe": texts} if model.family == "yoloe" else {"txt_feats": texts}
    with torch.no_grad():
        expected = theirs.predict(image, **prompts)[0]
        rows, *prototypes = network(image, padded)
    if not prototypes:
        return expected[0], rows[0], None
    np.testing.assert_allclose(prototypes[0], expected[1], atol=1e-4)
    return expected[0][0], rows[0], prototypes[0]


@pytest.mark.parametrize("name", MODELS)
def test_rows_equal_ultralytics_predictions(
    name: str, random_weights: dict[str, Path], picture: np.ndarray, words: Any
) -> None:
    expected, rows, _ = outputs(random_weights[name], picture, words)
    if name == "yoloe-26n-seg":  # its own end-to-end rows
        best = expected
    else:  # columns: centre, size, scores, mask weights
        scores = expected[4 : 4 + len(WORDS)]
        score, slot = scores.max(0)
        score, anchor = score.topk(len(rows))
        center, half = expected[:2, anchor], expected[2:4, anchor] / 2
        import torch

        parts = (center - half, center + half, score[None], slot[anchor][None].float())
        best = torch.cat((*parts, expected[4 + len(WORDS) :, anchor])).t()
    np.testing.assert_allclose(rows[:, 4], best[:, 4], atol=1e-5)
    # Rows whose score stands apart from its neighbours' have one place; 64 are enough to see.
    gaps = np.abs(np.diff(np.asarray(best[:, 4])))
    apart = np.flatnonzero(np.minimum(gaps[:-1], gaps[1:]) > 1e-5)[:64] + 1
    assert len(apart) == 64
    np.testing.assert_array_equal(rows[apart, 5], best[apart, 5])
    np.testing.assert_allclose(rows[apart, :4], best[apart, :4], atol=0.01)
    np.testing.assert_allclose(rows[apart, 6:], best[apart, 6:], atol=1e-3)
    assert len(np.unique(rows[apart, 5])) > 1, "the words differ"


def test_end_to_end_models_keep_their_head(random_weights: dict[str, Path]) -> None:
    from scenemind.perception.backends.yolo_torch import load_model

    assert load_model(str(random_weights["yoloe-26n-seg"])).module.model[-1].end2end
    assert not load_model(str(random_weights["yoloe-11n-seg"])).module.model[-1].end2end


def make(words: Any, **settings: object) -> Any:
    values = {"vocabulary": ["chair", "cup"], "device": "cpu", "precision": "float32"}
    values |= {"input_size": WIDTH, **settings}
    return make_detector(DetectorConfig.model_validate(values), encoder=words)


def test_it_detects_with_masks(
    random_weights: dict[str, Path], frame: RGBDFrame, words: Any
) -> None:
    detector = make(words, backend="yoloe", weights=str(random_weights["yoloe-11n-seg"]))
    assert detector.name == "yoloe-11n-seg (torch, cpu float32)"
    found = detector.detect(frame)
    assert len(found) > 5
    assert set(found.labels) <= {"chair", "cup"}
    assert all(mask is not None and mask.bits.size for mask in found.masks)
    assert detector.stage_ms.keys() == {"pre", "network", "post"}


def test_the_fastest_precision_moves_boxes_little(
    random_weights: dict[str, Path], frame: RGBDFrame, words: Any
) -> None:
    """In bfloat16 where the CPU has it; elsewhere both are float32."""
    settings = {"backend": "yoloe", "weights": str(random_weights["yoloe-11n-seg"])}
    exact = make(words, **settings).detect(frame)
    found = make(words, **settings, precision="auto").detect(frame)
    overlap = iou_matrix_2d(exact.boxes_px[:10], found.boxes_px)
    same = np.array([[a == b for b in found.labels] for a in exact.labels[:10]])
    assert np.median((overlap * same).max(axis=1)) > 0.9


def test_an_architecture_gets_random_weights_and_says_so(words: Any) -> None:
    detector = make(words, backend="yolo_world", weights="yolov8n-worldv2.yaml")
    assert detector.name == "yolov8n-worldv2, random weights (torch, cpu float32)"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"backend": "yoloe", "weights": "yolov8n-worldv2.yaml"}, "load as a yoloe model"),
        ({"backend": "yolo_world", "weights": "yolov8n-world.yaml"}, "-worldv2"),
        ({"backend": "yoloe", "weights": "/nowhere/yoloe.pt"}, "/nowhere/yoloe.pt"),
        (
            {"backend": "yoloe", "weights": "yoloe-26n-seg.yaml", "device": "cuda:99"},
            "'cuda:99'.*set it to cpu",
        ),
    ],
)
def test_error_names_files_that_cannot_be_used(
    settings: dict[str, object], message: str, words: Any
) -> None:
    with pytest.raises(PerceptionError, match=message):
        make(words, **settings)


def test_error_names_a_broken_file(tmp_path: Path, words: Any) -> None:
    path = tmp_path / "yoloe-broken.pt"
    path.write_bytes(b"this is not a network")
    with pytest.raises(PerceptionError, match=r"yoloe-broken\.pt cannot be read as weights alone"):
        make(words, backend="yoloe", weights=str(path))


def test_ultralytics_is_kept_from_the_network() -> None:
    from scenemind.perception.backends.yolo_torch import import_ultralytics

    import_ultralytics()
    assert (os.environ["YOLO_AUTOINSTALL"], os.environ["YOLO_OFFLINE"]) == ("false", "true")
    from ultralytics import utils

    assert not utils.ONLINE
