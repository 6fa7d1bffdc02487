"""What a benchmark's scorer gets besides predictions, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scenemind.evaluation.columns import Column
from scenemind.evaluation.scene_source import NamedSource
from scenemind.evaluation.scenes import Scenes


@dataclass(frozen=True, slots=True)
class Material:
    """
    Attributes:
        source: what the method knew of the scenes.
        truth: the scenes' true objects; None: not given.
        judgements: row id -> a judge's mark from 1 to 5.
    """

    source: NamedSource
    truth: Scenes | None = None
    judgements: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """
    Attributes:
        columns: by metric, a value a prediction.
        groups: of each prediction, beside those that its row says.
        baselines: name -> columns of doing something simple instead.
        notes: what who reads the scores has to know.
    """

    columns: Mapping[str, Column]
    groups: Sequence[tuple[str, ...]]
    baselines: Mapping[str, Mapping[str, Column]]
    notes: tuple[str, ...] = ()


Scorer = Callable[[Sequence[Any], Material], Scored]
"""Predictions of one benchmark, all of its kind, in any order."""
