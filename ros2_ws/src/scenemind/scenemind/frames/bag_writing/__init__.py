"""Writing recorded sequences as rosbag2 recordings."""

from scenemind.frames.bag_writing.disk_space import size_text
from scenemind.frames.bag_writing.options import ImageEncoding, WriteOptions
from scenemind.frames.bag_writing.plan import BagPlan, plan_bag
from scenemind.frames.bag_writing.writer import WrittenBag, write_bag, write_planned

__all__ = [
    "BagPlan",
    "ImageEncoding",
    "WriteOptions",
    "WrittenBag",
    "plan_bag",
    "size_text",
    "write_bag",
    "write_planned",
]
