"""Which image encoders there are; torch is not needed to be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.text import make_image_text_encoder


def test_nothing_is_loaded_before_the_first_picture(tmp_path: Path) -> None:
    encoder = make_image_text_encoder("clip_vit_b32", tmp_path)
    assert (encoder.name, encoder.dimension) == ("clip_vit_b32", 512)


def test_an_unknown_family_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PerceptionError, match=r"no image encoder 'mobileclip'.*clip_vit_b32"):
        make_image_text_encoder("mobileclip", tmp_path)
