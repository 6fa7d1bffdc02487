"""Higher and lower than: wherever both stand in the room (SynergAI, Table A.1).

Only differences of heights count. (A peer measures heights from the middle of the scene, so what
holds there depends on where the map has its origin.)
"""

from __future__ import annotations

import numpy as np

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations.columns import HEIGHT_NOISE_M, Bounds, Scores


def higher_than(upper: Bounds, lower: Bounds, config: RelationConfig) -> Scores:
    """Neither its bottom nor its top is lower, and its middle is at least `higher_m` higher.

    So a wardrobe is not lower than the switch beside it. 3 cm of noise are allowed at bottom and
    top. The score is 0.5 at the limit and 1 from twice the limit on.
    """
    middle = (upper[:, 2] + upper[:, 5] - lower[:, 2] - lower[:, 5]) / 2.0
    bottom, top = upper[:, 2] - lower[:, 2], upper[:, 5] - lower[:, 5]
    holds = (np.minimum(bottom, top) >= -HEIGHT_NOISE_M) & (middle >= config.higher_m)
    return np.where(holds, np.minimum(0.5 * middle / config.higher_m, 1.0), 0.0)


def lower_than(lower: Bounds, upper: Bounds, config: RelationConfig) -> Scores:
    """The other one is `higher_than` this one."""
    return higher_than(upper, lower, config)
