"""The configured segmenter."""

from __future__ import annotations

import importlib.util
import logging
from pathlib import Path

import pytest

from scenemind.config.reasoning import SegmenterConfig
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_segmenter
from scenemind.perception.backends.depth_segmenter import DepthSegmenter


@pytest.fixture(autouse=True)
def nothing_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCENEMIND_SEGMENTER", raising=False)
    monkeypatch.setenv("SCENEMIND_OFFLINE", "1")


def test_depth_gives_masks_without_a_model_and_one_log_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from scenemind.perception.backends.factory import _warn_without_model

    _warn_without_model.cache_clear()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert isinstance(make_segmenter(SegmenterConfig()), DepthSegmenter)
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "no SAM is configured"
    ]
    assert "without a model" in DepthSegmenter().name


def test_requested_depth_segmenter_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    make_segmenter(SegmenterConfig(backend="depth", weights="/nowhere/sam.pth"))
    assert not caplog.records


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weights": "sam.txt"}, r"'sam\.txt' ends in \.txt: name weights of SAM"),
        ({"backend": "sam_onnx"}, "no files are named"),
        ({"weights": "/nowhere/sam_encoder.onnx"}, "no such file: /nowhere/sam_encoder.onnx"),
        ({"backend": "sam", "weights": "/"}, "backend is sam, which cannot run /: leave it at"),
        ({"backend": "sam", "weights": "sam_encoder.onnx"}, "cannot run sam_encoder.onnx"),
        ({"backend": "sam_onnx", "weights": "mobile_sam.pt"}, "cannot run mobile_sam.pt"),
    ],
)
def test_error_names_settings_that_cannot_be_used(settings: dict[str, str], message: str) -> None:
    with pytest.raises(PerceptionError, match=message):
        make_segmenter(SegmenterConfig.model_validate(settings))


def test_the_environment_names_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sam_encoder.onnx").touch()
    monkeypatch.setenv("SCENEMIND_SEGMENTER", str(tmp_path))
    with pytest.raises(PerceptionError, match=r"one \*encoder\*.onnx and one \*decoder\*.onnx"):
        make_segmenter(SegmenterConfig())
    monkeypatch.setenv("SCENEMIND_SEGMENTER", str(tmp_path / "sam_encoder.onnx"))
    with pytest.raises(PerceptionError, match="no other half beside it"):
        make_segmenter(SegmenterConfig())


@pytest.mark.skipif(
    importlib.util.find_spec("segment_anything") is not None, reason="the extra is installed"
)
@pytest.mark.parametrize("weights", ["sam_vit_b_01ec64.pth", "mobile_sam.yaml"])
def test_error_without_the_extra_names_a_remedy(weights: str) -> None:
    with pytest.raises(PerceptionError, match=r"scenemind\[segment\]'.* need no torch"):
        make_segmenter(SegmenterConfig(weights=weights))
