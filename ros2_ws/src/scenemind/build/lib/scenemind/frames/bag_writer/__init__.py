"""Writing recorded sequences as rosbag2 recordings."""

from scenemind.frames.bag_writer.messages import ImageEncoding, WriteOptions
from scenemind.frames.bag_writer.work_folder import size_text
from scenemind.frames.bag_writer.writer import (
    BagPlan,
    WrittenBag,
    plan_bag,
    write_bag,
)

__all__ = [
    "BagPlan",
    "ImageEncoding",
    "WriteOptions",
    "WrittenBag",
    "plan_bag",
    "size_text",
    "write_bag",
]
