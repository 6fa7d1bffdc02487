"""SAM as two networks, whatever runs them: one for an image, one for boxes in it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class SamNetwork(Protocol):
    """Takes images and boxes as `SamImage` makes them."""

    @property
    def runtime(self) -> str:
        """What runs it and where, such as `torch, cpu float32`."""
        ...

    def encode(self, image: NDArray[np.float32]) -> Any:
        """What `decode` needs of an image (1, 3, 1024, 1024); stays as it is.

        Raises:
            PerceptionError: the runtime failed.
        """
        ...

    def decode(
        self, embedding: Any, boxes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Masks (N, M, 256, 256) of boxes (N, 4) as logits, and what overlap (N, M) with the thing
        the network expects of each.

        Raises:
            PerceptionError: the runtime failed.
        """
        ...
