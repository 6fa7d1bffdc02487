"""`scenemind bench stitching`: how fast pictures come on sheets, and whether their ids are read."""

from scenemind.cli.bench.stitching.bench import bench_stitching

__all__ = ["bench_stitching"]
