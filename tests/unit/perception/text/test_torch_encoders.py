"""CLIP's towers in torch."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.perception import PerceptionError
from scenemind.perception.protocols import ImageTextEncoder, TextEncoder
from scenemind.perception.text import make_image_text_encoder, make_text_encoder
from scenemind.perception.text.encoders import PairedEncoder
from scenemind.perception.text.torch_encoders import load_clip, load_clip_images, load_mobileclip
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
def test_vector_of_a_word_is_the_same_in_any_batch(files: dict[str, Path], kind: str) -> None:
    encoder = load(kind, files)
    many = encoder.encode([f"thing {n}" for n in range(130)])
    assert many.shape == (130, DIMENSION)
    assert np.allclose(many[97], encoder.encode(["thing 97"])[0], atol=1e-5)
    assert encoder.encode([]).shape == (0, DIMENSION)


def test_other_files_are_an_error(tmp_path: Path, clip: Any) -> None:
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


SIDE_PX = 64  # of the small tower


def pictures(*sizes: tuple[int, int]) -> list[NDArray[np.uint8]]:
    rng = np.random.default_rng(3)
    return [rng.integers(0, 256, (*size, 3), dtype=np.uint8) for size in sizes]


@pytest.fixture(scope="module")
def encoder(files: dict[str, Path]) -> ImageTextEncoder:
    path = files["archive"]
    texts = load_clip("clip_vit_b32", path, DIMENSION)
    return PairedEncoder(texts, lambda: load_clip_images("clip_vit_b32", path, DIMENSION))


def test_image_vectors_are_the_towers_own_of_unit_length(
    clip: Any, encoder: ImageTextEncoder
) -> None:
    import open_clip
    import torch

    images = pictures((SIDE_PX, SIDE_PX), (SIDE_PX, SIDE_PX))
    vectors = encoder.encode_images(images)
    assert (vectors.shape, vectors.dtype) == ((2, DIMENSION), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    mean = torch.tensor(open_clip.OPENAI_DATASET_MEAN)[:, None, None]
    std = torch.tensor(open_clip.OPENAI_DATASET_STD)[:, None, None]
    pixels = torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2) / 255.0
    with torch.inference_mode():
        expected = clip.encode_image((pixels - mean) / std, normalize=True).numpy()
    assert np.allclose(vectors, expected, atol=2e-3)  # OpenAI's files are half precision


def test_pictures_and_words_are_in_one_space(encoder: ImageTextEncoder) -> None:
    words = encoder.encode_texts(["cup", "chair", "lamp"])
    assert words.shape == (3, encoder.dimension) == (3, DIMENSION)
    assert (encoder.encode_images(pictures((40, 30))) @ words.T).shape == (1, 3)
    assert encoder.name == "clip_vit_b32"


def test_any_shape_is_taken_whole_and_alone_as_in_a_batch(encoder: ImageTextEncoder) -> None:
    images = pictures((200, 20), (1, 1), (30, 300), *[(64, 48)] * 20)
    vectors = encoder.encode_images(images)
    assert vectors.shape == (23, DIMENSION)
    for n in (0, 1, 2, 22):
        assert np.allclose(vectors[n], encoder.encode_images([images[n]])[0], atol=1e-4)
    # The far end of a long picture is not cut off.
    other_end = images[2].copy()
    other_end[:, 250:] = 255 - other_end[:, 250:]
    assert not np.allclose(encoder.encode_images([other_end])[0], vectors[2], atol=1e-3)


def test_no_pictures_make_no_vectors(encoder: ImageTextEncoder) -> None:
    assert encoder.encode_images([]).shape == (0, DIMENSION)


@pytest.mark.parametrize("shape", [(0, 5, 3), (5, 5), (5, 5, 4)])
def test_other_arrays_are_an_error(encoder: ImageTextEncoder, shape: tuple[int, ...]) -> None:
    with pytest.raises(PerceptionError, match=r"a picture to encode is \(H, W, 3\)"):
        encoder.encode_images([np.zeros(shape, np.uint8)])


def test_several_threads_may_ask(encoder: ImageTextEncoder) -> None:
    image = pictures((50, 40))[0]
    found: list[NDArray[np.float32]] = []
    threads = [
        threading.Thread(target=lambda: found.append(encoder.encode_images([image])))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(np.allclose(vectors, found[0], atol=1e-5) for vectors in found)


def test_weights_of_images_are_looked_for_by_name(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ViT-B-32.pt").symlink_to(files["archive"])
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(tmp_path))
    encoder = make_image_text_encoder("clip_vit_b32", tmp_path / "cache")
    with pytest.raises(PerceptionError, match=r"gives \(1, 64\) .*\(1, 512\) is expected"):
        encoder.encode_images(pictures((9, 9)))


def test_a_file_of_something_else_is_no_image_tower(tmp_path: Path, clip: Any) -> None:
    del clip
    other = tmp_path / "other.pt"
    other.write_bytes(b"no weights")
    with pytest.raises(PerceptionError, match=r"other\.pt is no such encoder"):
        load_clip_images("clip", other)
