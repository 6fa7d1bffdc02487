"""How likely measured boxes, and the map's, are right: measured in simulated rooms."""

from scenemind.cli.bench.projection.calibration.calibrate import bench_calibration

__all__ = ["bench_calibration"]
