"""The object map, MemTree3D, and what of them is written to disk."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scenemind.config.settings import Fraction, Positive, Settings


class ObjectMapConfig(Settings):
    """Fusing observations into objects (`memory.objects`)."""

    voxel_m: Positive = 0.03
    max_points: int = Field(2000, ge=100, description="surface sample kept of one object")
    confirm_observations: int = Field(3, ge=1)
    match_overlap: Fraction = Field(0.25, description="share of the smaller box that must overlap")
    merge_overlap: Fraction = 0.5
    forget_tentative_s: Positive = Field(5.0, description="unconfirmed objects live this long")


class TreeConfig(Settings):
    """MemTree3D (`memory.tree`; the paper's Algorithm 1 with the thresholds of section 4.1)."""

    translation_m: Positive = 1.5
    rotation_deg: Positive = 45.0
    max_trajectory_points: int = Field(32, ge=2, description="of a tracklet while it grows")
    closed_trajectory_points: int = Field(8, ge=2, description="of one in a closed location")
    trajectory_tolerance_m: Positive = Field(
        0.1, description="fewer points do for a closed one where they are this near to all"
    )


class StoreConfig(Settings):
    """What is written to disk (which frames: `memory.tree.key_frames`) and what stays there
    (`memory.disk.retention`)."""

    key_frame_translation_m: Positive = 0.15
    key_frame_rotation_deg: Positive = 10.0
    retention: Literal["all", "best_views", "byte_budget"] = Field(
        "byte_budget", description="which images stay: all, best_views or byte_budget"
    )
    views_per_object: int = Field(
        2, ge=1, le=16, description="best views kept of each object at each location"
    )
    budget_mb: Positive = Field(4000.0, description="of images, for byte_budget")
    jpeg_quality: int = Field(90, ge=30, le=100)
    depth_every_px: int = Field(
        2, ge=0, le=16, description="depth is stored of every n-th pixel of every n-th row; 0: none"
    )
    depth_error_1m_m: float = Field(
        0.002, ge=0.0, description="largest rounding at 1 m; grows with the distance squared"
    )
    queue_size: int = Field(16, ge=1, description="frames that wait for the disk; more are dropped")
    commit_s: Positive = Field(0.5, description="at most this much is lost when killed")
