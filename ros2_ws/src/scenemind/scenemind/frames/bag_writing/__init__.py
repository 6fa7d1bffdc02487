"""Writing recorded sequences as rosbag2 recordings."""

from scenemind.frames.bag_writing.options import ImageEncoding, WriteOptions
from scenemind.frames.bag_writing.writer import WrittenBag, write_bag

__all__ = ["ImageEncoding", "WriteOptions", "WrittenBag", "write_bag"]
