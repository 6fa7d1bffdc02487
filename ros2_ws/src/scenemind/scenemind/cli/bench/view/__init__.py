"""`scenemind bench view`: what the browser view costs on a large map."""

from scenemind.cli.bench.view.bench import bench_view

__all__ = ["bench_view"]
