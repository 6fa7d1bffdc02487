"""Parameters of the sequence player."""

from __future__ import annotations

from pydantic import Field

from scenemind.config import Settings
from scenemind_ros.parameters import OPTICAL_MOUNTING, PoseList, TopicParameters


class PlayerTopics(TopicParameters):
    """Where the frames go; instances only from a simulated sequence."""

    instances: str = "/camera/camera/instances/image_raw"
    instance_names: str = "/camera/camera/instances/names"
    processed: str = Field("/mapping_node/processed", description="acknowledged frames, for rate 0")


class PlayerParameters(Settings):
    sequence: str = Field("", description="folder, bag, or sim:SEED for a simulated room")
    rate: float = Field(
        1.0, ge=0.0, description="1: as recorded; N: N times as fast; 0: as fast as it is consumed"
    )
    loop: bool = Field(False, description="start again at the end")
    frames: int = Field(0, ge=0, description="stop after so many; 0: all")
    wait_s: float = Field(60.0, gt=0.0, description="give up when nobody subscribes for so long")
    map_frame: str = "map"
    base_frame: str = "base_link"
    camera_frame: str = "camera_color_optical_frame"
    base_T_camera: PoseList = OPTICAL_MOUNTING
    topics: PlayerTopics = PlayerTopics()
