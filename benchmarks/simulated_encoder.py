"""Vectors of pictures and words without a model: the content of each picture is given."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SimulationError

_DIMENSION = 512


class SimulatedEncoder:
    """An `ImageTextEncoder` in which each label has a random direction.

    The vector of a picture is the sum of its labels' directions, weighted by the root of each
    label's share of the picture; that of a text is the sum over the labels among its words. To the
    normalized vector a random direction is added, which depends only on the picture or text.
    """

    name = "simulated image-text encoder"
    dimension = _DIMENSION

    def __init__(self, labels: Sequence[str], noise: float) -> None:
        """Create an encoder for a set of labels.

        Args:
            labels: all labels, lower case.
            noise: length of the random direction that is added.
        """
        self._directions = {label: _direction(label.encode()) for label in labels}
        self._noise = noise
        self._shown: dict[bytes, Mapping[str, float]] = {}

    def learn(self, picture: NDArray[np.uint8], shares: Mapping[str, float]) -> None:
        """Set the content of a picture.

        Args:
            picture: (H, W, 3) RGB, as for the encoder.
            shares: label -> share of the picture's pixels.
        """
        self._shown[_digest(picture)] = shares

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, dimension) of unit length."""
        named = [
            {
                label: 1.0
                for label in self._directions
                if re.search(rf"\b{re.escape(label)}\b", text)
            }
            for text in map(str.lower, texts)
        ]
        return self._vectors(zip(named, (text.encode() for text in texts), strict=True))

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, dimension) of unit length.

        Raises:
            SimulationError: the content of a picture was not set.
        """
        digests = [_digest(image) for image in images]
        unknown = next((n for n, digest in enumerate(digests) if digest not in self._shown), None)
        if unknown is not None:
            raise SimulationError(f"{self.name}: the content of picture {unknown} was not set")
        return self._vectors((self._shown[digest], digest) for digest in digests)

    def _vectors(
        self, mixtures: Iterable[tuple[Mapping[str, float], bytes]]
    ) -> NDArray[np.float32]:
        """Vector of weights by label; `key` decides the noise."""
        rows = [self._vector(weights, key) for weights, key in mixtures]
        return np.array(rows, np.float32).reshape(-1, _DIMENSION)

    def _vector(self, weights: Mapping[str, float], key: bytes) -> NDArray[np.float64]:
        known = [(self._directions[label], np.sqrt(weight)) for label, weight in weights.items()]
        mixture = sum((weight * direction for direction, weight in known), np.zeros(_DIMENSION))
        length = np.linalg.norm(mixture)
        clean = mixture / length if length > 0.0 else mixture
        noisy = clean + max(self._noise, 1e-6) * _direction(b"noise" + key)
        return np.asarray(noisy / np.linalg.norm(noisy))


def _direction(key: bytes) -> NDArray[np.float64]:
    """(512,): a random unit vector that the key decides."""
    direction = np.random.default_rng(zlib.crc32(key)).normal(size=_DIMENSION)
    return np.asarray(direction / np.linalg.norm(direction))


def _digest(picture: NDArray[np.uint8]) -> bytes:
    return hashlib.blake2b(picture.tobytes(), digest_size=16).digest()
