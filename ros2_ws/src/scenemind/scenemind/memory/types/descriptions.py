"""What models say of objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Description:
    """What a vision-language model said of an object, from its best views.

    Attributes:
        attributes: name -> value, such as material -> "wood", caption -> "a low wooden shelf".
        by: the model. label: what the object was called when it was asked.
        stamp_ns: wall-clock time of the reply.
        observation_count: of the object when it was asked; asked again when it has grown a lot.
    """

    object_id: int
    attributes: Mapping[str, str]
    by: str
    label: str
    stamp_ns: int
    observation_count: int


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """An object's mean image vector by one encoder, for matching with words.

    Attributes:
        vector: (D,) float32, unit length.
        views: how many crops are in it.
    """

    object_id: int
    encoder: str
    vector: NDArray[np.float32]
    views: int
