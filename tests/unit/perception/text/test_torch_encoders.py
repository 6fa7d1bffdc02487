"""The real towers, small and with random weights, from files as their publishers make them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text import make_text_encoder
from scenemind.perception.text.torch_encoders import load_clip, load_mobileclip
from tests.unit.perception.text.conftest import DIMENSION

pytestmark = pytest.mark.extras

WORDS = ["cup", "dad's mug", "3d printer", "椅子", "a rather long name of a thing " * 2]


def load(kind: str, files: dict[str, Path]) -> TextEncoder:
    if kind == "tower":
        return load_mobileclip("mobileclip", files[kind], DIMENSION)
    return load_clip("clip_vit_b32", files[kind], DIMENSION)


@pytest.mark.parametrize("kind", ["archive", "state", "tower"])
def test_vectors_are_the_towers_own_of_unit_length(
    clip: Any, files: dict[str, Path], kind: str
) -> None:
    import open_clip
    import torch

    vectors = load(kind, files).encode(WORDS)
    assert (vectors.shape, vectors.dtype) == ((len(WORDS), DIMENSION), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    with torch.inference_mode():
        expected = clip.encode_text(open_clip.tokenize(WORDS), normalize=True).numpy()
    # OpenAI's files are read as half precision numbers.
    assert np.allclose(vectors, expected, atol=1e-6 if kind == "tower" else 2e-3)


@pytest.mark.parametrize("kind", ["archive", "tower"])
def test_a_word_has_one_vector_whatever_it_comes_with(files: dict[str, Path], kind: str) -> None:
    encoder = load(kind, files)
    many = encoder.encode([f"thing {n}" for n in range(130)])
    assert many.shape == (130, DIMENSION)
    assert np.allclose(many[97], encoder.encode(["thing 97"])[0], atol=1e-5)
    assert encoder.encode([]).shape == (0, DIMENSION)


def test_a_file_of_something_else_is_said(tmp_path: Path, clip: Any) -> None:
    del clip
    other = tmp_path / "other.pt"
    other.write_bytes(b"no weights")
    for reader in (load_clip, load_mobileclip):
        with pytest.raises(PerceptionError, match=r"other\.pt is no such encoder .*remove it"):
            reader("clip", other)


def test_another_size_than_the_detectors_is_refused(files: dict[str, Path]) -> None:
    with pytest.raises(PerceptionError, match=r"gives \(1, 64\) .*\(1, 512\) is expected"):
        load_mobileclip("mobileclip", files["tower"]).encode(["cup"])


def test_the_weights_are_looked_for_by_name(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = tmp_path / "mobileclip_blt.ts"
    weights.symlink_to(files["tower"])
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(tmp_path))
    with pytest.raises(PerceptionError, match=r"gives \(1, 64\)"):
        make_text_encoder("mobileclip", tmp_path).encode(["cup"])
