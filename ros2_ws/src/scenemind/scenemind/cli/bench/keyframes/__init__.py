"""`scenemind bench keyframes`: how fast and how well frames are chosen for a question."""

from scenemind.cli.bench.keyframes.bench import bench_keyframes

__all__ = ["bench_keyframes"]
