"""The surfaces that several views show of one thing, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.agreement import agreement
from scenemind.reasoning.vlm_grounder.projection.surface import Surface

_AS_GOOD = 1.3  # noise that differs by less is the same


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceView:
    """A view of the target.

    Attributes:
        world_T_camera: as it was found to be; where poses are poor not the frame's own.
        slack_m: how far its pose may be off.
    """

    depth: DepthImage
    world_T_camera: Pose
    mask: BoxMask
    surface: Surface
    slack_m: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """
    Attributes:
        confirmed: (M,) bool: samples that another view saw in its mask as well.
    """

    surface: Surface
    confirmed: NDArray[np.bool_]


def fused(views: Sequence[SurfaceView]) -> Fused:
    """The union of all views' samples, each piece of surface once (paper, section 3.4).

    A sample goes that as many views contradict as support: they look through it, or have it outside
    their masks. Of what several views show, the samples of the least noisy one stay, of equally
    noisy ones the first's: so neither a near view's precision drowns in a far view's noise, nor
    does a view that is there twice count twice. Where nothing would be left, all samples stay.
    """
    kept, confirmed = [], []
    for number, view in enumerate(views):
        supporting, contradicting, is_spare = _votes(view, number, views)
        stays = (supporting > contradicting) & ~is_spare
        kept.append(view.surface.select(stays))
        confirmed.append(supporting[stays] > 1)
    union = Surface.union(kept)
    if len(union) == 0:
        union = Surface.union([view.surface for view in views])
        return Fused(union, np.zeros(len(union), np.bool_))
    return Fused(union, np.concatenate(confirmed))


def _votes(
    view: SurfaceView, number: int, views: Sequence[SurfaceView]
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.bool_]]:
    """For each sample: views for it, itself included; views against it; others show it better."""
    surface = view.surface
    supporting = np.ones(len(surface), np.int8)
    contradicting = np.zeros(len(surface), np.int8)
    is_spare = np.zeros(len(surface), np.bool_)
    for place, other in enumerate(views):
        if place == number:
            continue
        there = agreement(
            surface.points,
            surface.sigma_m,
            other.depth,
            other.world_T_camera,
            other.mask,
            view.slack_m + other.slack_m,
        )
        agrees = there.seen & there.in_mask
        supporting += agrees
        contradicting += there.through | (there.seen & ~there.in_mask)
        better = there.sigma_m * _AS_GOOD < surface.sigma_m
        if place < number:
            better |= there.sigma_m < surface.sigma_m * _AS_GOOD
        is_spare |= agrees & better
    return supporting, contradicting, is_spare
