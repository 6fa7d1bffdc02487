"""Disk space of a minute of mapping under each retention policy, and the time to reopen it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scenemind.bench.machine import machine, versions
from scenemind.bench.workload import RATE_HZ, STRETCH, bench_sequence, endless
from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera

_BYTES_PER_MB = 1e6
# The budget is small enough to be reached within a minute; `all_exact` shows the space that
# rounded depth and its lower resolution save.
_SETTINGS: dict[str, dict[str, Any]] = {
    "all_exact": {"retention": "all", "depth_every_px": 1, "depth_error_1m_m": 0.0},
    "all": {"retention": "all"},
    "best_views": {"retention": "best_views"},
    "best_views_of_1": {"retention": "best_views", "views_per_object": 1},
    "byte_budget_of_5_mb": {"retention": "byte_budget", "budget_mb": 5.0},
}


def bench_disk(seconds: float = 60.0, stretch: int = STRETCH) -> dict[str, Any]:
    """Map frames of a camera that goes back and forth, as fast as the disk takes them.

    Args:
        seconds: camera time at 30 Hz for each policy. stretch: frames to render.
    """
    sequence = bench_sequence(stretch)
    rendered = list(read_sequence(sequence))
    found = {
        name: _measure(settings, sequence.class_names, rendered, seconds)
        for name, settings in _SETTINGS.items()
    }
    keys = ("disk_mb_per_min", "images_mb_per_min", "images_kept", "images_removed", "reopen_s")
    by_key = {key: {name: values[key] for name, values in found.items()} for key in keys}
    return {**by_key, "seconds": seconds, "machine": machine(), "versions": versions()}


def _measure(
    settings: dict[str, Any],
    class_names: Mapping[int, str],
    rendered: list[RGBDFrame],
    seconds: float,
) -> dict[str, float]:
    config = SceneMindConfig.from_nested({"store": settings})
    minutes = seconds / 60.0
    with TemporaryDirectory(prefix="scenemind-bench-") as folder:
        path = Path(folder) / "place"
        with Memory.create(path, config) as memory:
            mapper = Mapper(InstanceCamera(class_names), memory, config)
            stream = islice(endless(rendered), max(1, round(seconds * RATE_HZ)))
            for count, frame in enumerate(stream, start=1):
                mapper.process(frame)
                if count % round(RATE_HZ) == 0:
                    memory.flush()
            memory.flush()
            stats = memory.stats()
        start = time.perf_counter()
        Memory.open(path, config).close()
        reopen_s = time.perf_counter() - start
        taken = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return {
        "disk_mb_per_min": taken / _BYTES_PER_MB / minutes,
        "images_mb_per_min": stats.image_bytes / _BYTES_PER_MB / minutes,
        "images_kept": stats.images,
        "images_removed": stats.images_removed,
        "reopen_s": reopen_s,
    }
