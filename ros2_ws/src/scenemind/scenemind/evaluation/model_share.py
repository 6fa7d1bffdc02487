"""Limits of models that several workers keep together: each gets its part."""

from __future__ import annotations

from scenemind.config import ModelsConfig
from scenemind.evaluation.method import Share


def most_workers(models: ModelsConfig) -> int:
    """So many workers can have a part of each limit."""
    limits = (models.parallel_calls, models.requests_per_minute or models.parallel_calls)
    return min(limits)


def share_of(models: ModelsConfig, share: Share) -> ModelsConfig:
    """The configuration of one worker; of all together the limits are as configured. What a day may
    cost is counted over all processes of a machine anyway.

    Args:
        share: of no more than `most_workers`.
    """
    return models.model_copy(
        update={
            "parallel_calls": _part(models.parallel_calls, share),
            "requests_per_minute": _part(models.requests_per_minute, share),
        }
    )


def _part(total: int, share: Share) -> int:
    whole, left = divmod(total, share.of)
    return whole + (share.number < left)
