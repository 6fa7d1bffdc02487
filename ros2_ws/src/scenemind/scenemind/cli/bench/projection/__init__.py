"""`scenemind bench projection`: how fast and how well boxes are measured from masks."""

from scenemind.cli.bench.projection.bench import bench_projection

__all__ = ["bench_projection"]
