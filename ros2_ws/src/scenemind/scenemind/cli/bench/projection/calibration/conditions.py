"""What makes boxes wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scenemind.cli.bench.projection.true_masks import MaskKind
from scenemind.simulation import DepthNoise, SimpleDepthNoise, StereoDepthNoise


@dataclass(frozen=True, slots=True)
class Condition:
    """
    Attributes:
        masks: of `TrueMasks`; depth: by depth and colour, where no segmenting model is.
        odometry_noise: see `simulate`.
        detector_errs: while mapping, as `DetectorNoise` says.
    """

    name: str
    depth_noise: DepthNoise
    masks: MaskKind | Literal["depth"]
    odometry_noise: float = 0.0
    detector_errs: bool = True


CONDITIONS = (
    Condition("exact masks", SimpleDepthNoise(), "exact", detector_errs=False),
    Condition("coarse masks", StereoDepthNoise(), "coarse"),
    Condition("erring masks", StereoDepthNoise(), "erring"),
    Condition("noisier depth", StereoDepthNoise(matching_px=0.16), "coarse"),
    Condition("drift", StereoDepthNoise(), "coarse", odometry_noise=2.0),
    Condition("no segmenting model", StereoDepthNoise(), "depth"),
)
"""A room each in turns; holes come with stereo depth. How often a robot meets which of them nobody
knows: a calibration is of this mixture."""
