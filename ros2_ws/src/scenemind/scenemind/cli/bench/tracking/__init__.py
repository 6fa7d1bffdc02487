"""`scenemind bench tracking`: identity switches and cost by source of the camera's motion."""

from scenemind.cli.bench.tracking.bench import bench_tracking

__all__ = ["bench_tracking"]
