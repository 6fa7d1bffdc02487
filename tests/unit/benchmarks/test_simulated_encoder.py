"""Simulated image-text encoder: vectors from the content of pictures."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.simulated_encoder import SimulatedEncoder
from scenemind.simulation import SimulationError

LABELS = ("cup", "table", "tv")


def picture(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=np.uint8)


def cosines(noise: float, *shown: dict[str, float]) -> list[float]:
    """Cosines of a question about the cup with pictures of labels of given shares."""
    encoder = SimulatedEncoder(LABELS, noise)
    pictures = [picture(seed) for seed in range(len(shown))]
    for image, shares in zip(pictures, shown, strict=True):
        encoder.learn(image, shares)
    (wanted,) = encoder.encode_texts(["Where is the cup?"])
    return (encoder.encode_images(pictures) @ wanted).tolist()


def test_cosine_grows_with_the_share_of_the_named_label():
    alone, half, little, other = cosines(
        0.0, {"cup": 0.2}, {"cup": 0.1, "table": 0.1}, {"cup": 0.01, "table": 0.3}, {"table": 0.3}
    )
    assert alone == pytest.approx(1.0)
    assert half == pytest.approx(np.sqrt(0.5), abs=0.1)  # random directions are nearly orthogonal
    assert alone > half > little > other
    assert abs(other) < 0.2


def test_vectors_are_of_unit_length_and_the_same_every_time():
    first, again = cosines(0.7, {"cup": 0.2}), cosines(0.7, {"cup": 0.2})
    assert first == again
    assert first[0] < 0.9
    encoder = SimulatedEncoder(LABELS, 0.7)
    vectors = encoder.encode_texts(["cups and tables", "a cup on a table", "nothing of these"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0)
    assert vectors.shape == (3, encoder.dimension)


def test_pictures_of_nothing_have_noise_alone():
    assert np.abs(cosines(1.0, {}, {}, {})).max() < 0.2


def test_name_and_error_about_unknown_words():
    encoder = SimulatedEncoder(LABELS, 0.5)
    assert encoder.name.startswith("simulated")
    with pytest.raises(SimulationError, match="was not set"):
        encoder.encode_images([picture(0)])
