"""Between two things, seen from above (the ternary relation of ReferIt3D)."""

from __future__ import annotations

import numpy as np

from scenemind.memory.graph.relations.columns import Bounds, Scores


def between(targets: Bounds, a: Bounds, b: Bounds) -> Scores:
    """The target's centre lies between those of the anchors a and b; (P,).

    The score is 1 on the line between the anchors' centres and falls to 0.5 where the target lies
    off the line by half the larger anchor's width plus half its own; beyond that, and beside either
    end, it does not hold. Anchors whose centres coincide have nothing between them.
    """
    start, end = _centers(a), _centers(b)
    span = np.linalg.norm(end - start, axis=1)
    along = (end - start) / np.maximum(span, 1e-9)[:, None]
    offset = _centers(targets) - start
    progress = (offset * along).sum(axis=1)
    aside = np.abs(offset[:, 1] * along[:, 0] - offset[:, 0] * along[:, 1])
    reach = (np.maximum(_widths(a), _widths(b)) + _widths(targets)) / 2.0
    score = 1.0 - 0.5 * aside / np.maximum(reach, 1e-9)
    holds = (progress > 0.0) & (progress < span) & (score >= 0.5)
    return np.where(holds, score, 0.0)


def _centers(a: Bounds) -> Bounds:
    return np.asarray((a[:, :2] + a[:, 3:5]) / 2.0)


def _widths(a: Bounds) -> Scores:
    return np.asarray(np.maximum(a[:, 3] - a[:, 0], a[:, 4] - a[:, 1]))
