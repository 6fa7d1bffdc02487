"""What a detector takes for a frame on this machine, to compare searching frames with the tree."""

from __future__ import annotations

import time

from scenemind.cli.bench.scene import bench_sequence
from scenemind.cli.detector import data_beside_the_repository
from scenemind.config import DetectorConfig
from scenemind.frames import read_sequence
from scenemind.perception.backends import make_detector

# As small as open-vocabulary detectors come; it takes no words, but its network is theirs.
_WEIGHTS = "weights/yolov8n-seg_deq640.onnx"
_WITHOUT_WEIGHTS_MS = 40.0
_FRAMES, _RUNS = 4, 12


def detector_ms(stated_ms: float | None) -> tuple[float, str]:
    """Milliseconds for a 640x480 frame, and where the figure comes from.

    Args:
        stated_ms: taken as it is; None: measured where the weights are here.
    """
    if stated_ms is not None:
        return stated_ms, "stated by who asked"
    weights = data_beside_the_repository(_WEIGHTS)
    if weights is None:
        return _WITHOUT_WEIGHTS_MS, "assumed: there are no weights beside the repository"
    detector = make_detector(DetectorConfig(weights=str(weights)))
    frames = list(read_sequence(bench_sequence(_FRAMES)))
    times = []
    for run in range(_RUNS):
        started = time.perf_counter()
        detector.detect(frames[run % _FRAMES])
        times.append(time.perf_counter() - started)
    # Other programs only make it slower.
    return 1e3 * min(times), f"measured: {detector.name}"
