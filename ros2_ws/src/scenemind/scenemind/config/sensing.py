"""What comes from the sensors: pairing of streams, and depth that counts."""

from __future__ import annotations

from pydantic import Field

from scenemind.config.settings import Positive, Settings


class SyncConfig(Settings):
    """Pairing of colour, depth and odometry (`frames.synchronizer`)."""

    tolerance_s: Positive = Field(0.02, description="largest stamp difference colour to depth")
    odometry_gap_s: Positive = Field(0.5, description="largest gap to interpolate a pose across")
    queue_size: int = Field(30, ge=2, description="messages kept a stream while waiting")
    jump_s: Positive = Field(1.0, description="a stamp that goes back further resets the streams")


class DepthConfig(Settings):
    """Depth that counts as measured, and how it stands to colour."""

    min_m: Positive = 0.2
    max_m: Positive = 8.0
    aligned: bool = Field(True, description="false: register it with the calibration below")
    color_T_depth: list[float] = Field(
        default_factory=list, description="x y z qx qy qz qw, needed when not aligned"
    )
