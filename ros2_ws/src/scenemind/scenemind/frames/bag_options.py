"""How the streams of a bag are named and put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenemind.config import DepthConfig, SyncConfig
from scenemind.geometry import Pose


@dataclass(frozen=True, slots=True)
class BagTopics:
    """Topic names; the defaults are the RealSense driver's and /odom.

    An image topic that is not in the bag is looked for under its image_transport names too
    (`/compressed`, `/compressedDepth`).

    Attributes:
        depth: depth aligned to colour.
        raw_depth, raw_depth_info: depth of a camera of its own and its camera_info; taken where
            aligned depth was not recorded, and registered.
        tf, instances, instance_names: written beside the others (`bag_writing`), for those who
            play a bag; instances are a simulator's. They are not read.
    """

    color: str = "/camera/camera/color/image_raw"
    camera_info: str = "/camera/camera/color/camera_info"
    depth: str = "/camera/camera/aligned_depth_to_color/image_raw"
    raw_depth: str = "/camera/camera/depth/image_rect_raw"
    raw_depth_info: str = "/camera/camera/depth/camera_info"
    odometry: str = "/odom"
    tf_static: str = "/tf_static"
    tf: str = "/tf"
    instances: str = "/camera/camera/instances/image_raw"
    instance_names: str = "/camera/camera/instances/names"


@dataclass(frozen=True, slots=True)
class BagOptions:
    """What a bag does not say itself.

    Attributes:
        base_T_camera: mounting of the colour camera (optical frame) on the frame that odometry
            moves; None takes it from /tf_static.
        depth: `aligned` false takes raw depth even where aligned depth was recorded too;
            `color_T_depth` registers it, or /tf_static where that is empty.
    """

    topics: BagTopics = field(default_factory=BagTopics)
    base_T_camera: Pose | None = None
    depth: DepthConfig = field(default_factory=DepthConfig)
    sync: SyncConfig = field(default_factory=SyncConfig)
