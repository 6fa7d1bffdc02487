"""YOLO-World and YOLOE as one function: the same numbers as ultralytics' own models give."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.extras

MODELS = ("yoloe-26n-seg", "yoloe-11n-seg", "yolov8n-worldv2")
WORDS = ("chair", "table", "cup", "monitor", "lamp", "plant")
SLOTS = 10


def outputs(path: Path, picture: np.ndarray, words: Any) -> tuple[Any, Any, Any]:
    """Ultralytics' prediction, our rows and our prototypes (None without masks)."""
    from scenemind.perception.backends.ultralytics_models import load_model

    model = load_model(str(path))
    import torch

    from scenemind.perception.backends.prompted_network import PromptedNetwork

    theirs = copy.deepcopy(model.module)
    network = PromptedNetwork(model).eval()
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
def test_rows_are_what_ultralytics_predicts(
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
    from scenemind.perception.backends.ultralytics_models import load_model

    assert load_model(str(random_weights["yoloe-26n-seg"])).module.model[-1].end2end
    assert not load_model(str(random_weights["yoloe-11n-seg"])).module.model[-1].end2end
