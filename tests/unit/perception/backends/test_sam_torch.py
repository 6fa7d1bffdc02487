"""SAM's real architectures, with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from scenemind.config.reasoning import SegmenterConfig
from scenemind.frames import RGBDFrame
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_segmenter
from scenemind.perception.backends.sam_segmenter import SamImage

from .conftest import HEIGHT, WIDTH

pytestmark = pytest.mark.extras

BOXES = np.array([[20, 30, 120, 200], [150, 10, 320, 256], [0, 0, 320, 256]], np.float32)


def model_of(weights: str, seed: int = 0) -> Any:
    import torch

    from scenemind.perception.backends.sam_torch import load_sam

    torch.manual_seed(seed)
    return load_sam(weights)


@pytest.fixture(scope="module")
def mobile_sam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch

    path = tmp_path_factory.mktemp("sam") / "mobile_sam.pt"
    torch.save(model_of("mobile_sam.yaml").module.state_dict(), path)
    return path


def test_a_file_of_mobile_sam_is_recognised(mobile_sam: Path, frame: RGBDFrame) -> None:
    segmenter = make_segmenter(SegmenterConfig(weights=str(mobile_sam), device="cpu"))
    assert segmenter.name.startswith("mobile_sam (torch, cpu ")
    masks = segmenter.segment(frame, BOXES)
    assert len(masks) == len(BOXES)
    for mask in masks:
        assert mask is not None
        height, width = mask.bits.shape
        assert 0 <= mask.x_px <= mask.x_px + width <= WIDTH
        assert 0 <= mask.y_px <= mask.y_px + height <= HEIGHT


def test_masks_are_those_of_segment_anythings_own_predictor(mobile_sam: Path) -> None:
    """The image is as wide as SAM's input, since scaling is not compared."""
    import torch
    from segment_anything import SamPredictor

    from scenemind.perception.backends.sam_torch import SamTorch

    coarse = np.random.default_rng(5).integers(0, 256, (9, 16, 3)).astype(np.uint8)
    color = cv2.resize(coarse, (1024, 576), interpolation=cv2.INTER_CUBIC)
    box = np.array([200, 150, 700, 500], np.float32)
    model = model_of(str(mobile_sam))
    image = SamImage.fit(1024, 576)
    network = SamTorch(model, "cpu")
    network._dtype = torch.float32  # bfloat16 is not compared
    logits, overlaps = network.decode(
        network.encode(image.input_of(color)), image.boxes_of(box[None])
    )
    predictor = SamPredictor(model.module)
    predictor.set_image(color)
    their_masks, their_overlaps, their_logits = predictor.predict(box=box, multimask_output=True)
    np.testing.assert_allclose(overlaps[0, 1:], their_overlaps, atol=1e-4)
    np.testing.assert_allclose(logits[0, 1:], their_logits, atol=1e-3)
    for own, theirs in zip(logits[0, 1:], their_masks, strict=True):
        mask = image.mask_of(own)
        full = np.zeros((576, 1024), np.bool_)
        if mask is not None:
            height, width = mask.bits.shape
            full[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width] = mask.bits
        assert (full == theirs).mean() > 0.99


def test_all_sizes_of_sam_are_known(tmp_path: Path) -> None:
    """ViT-L and ViT-H differ from ViT-B in size alone, so only their size is tested."""
    import torch

    from scenemind.perception.backends.sam_torch import load_sam

    path = tmp_path / "sam_of_mine.pth"
    torch.save({"model": model_of("sam_vit_b.yaml").module.state_dict()}, path)
    loaded = load_sam(str(path))
    assert loaded.title == "sam_of_mine"
    assert len(loaded.module.image_encoder.blocks) == 12


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"this is not a network", "does not load as weights of SAM"),
        ({"head.weight": 1}, "no SAM ViT-B.*begins with head.weight.*exported to ONNX"),
        ([1, 2], "holds a list"),
    ],
)
def test_error_names_other_files(content: Any, message: str, tmp_path: Path) -> None:
    import torch

    path = tmp_path / "sam_vit_b.pth"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(content, path)
    with pytest.raises(PerceptionError, match=message):
        make_segmenter(SegmenterConfig(weights=str(path)))


def test_code_in_a_file_is_not_run(tmp_path: Path) -> None:
    import pickle

    path, trace = tmp_path / "sam_vit_b.pth", tmp_path / "trace"

    class Touch:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (trace,))

    path.write_bytes(pickle.dumps(Touch(), 2))
    with pytest.raises(PerceptionError, match="does not load"):
        make_segmenter(SegmenterConfig(weights=str(path)))
    assert not trace.exists()


def test_error_names_a_missing_device() -> None:
    with pytest.raises(PerceptionError, match=r"segmenter\.device is 'cuda:99'.*set it to cpu"):
        make_segmenter(SegmenterConfig(weights="mobile_sam.yaml", device="cuda:99"))


def test_unknown_size_is_an_error() -> None:
    with pytest.raises(PerceptionError, match="'sam_vit_x' names none of the sizes of SAM"):
        make_segmenter(SegmenterConfig(weights="sam_vit_x.yaml"))
