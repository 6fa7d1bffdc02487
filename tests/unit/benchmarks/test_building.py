"""`python -m benchmarks building`, with four rooms."""

from __future__ import annotations

from benchmarks.building import bench_building


def test_each_question_is_timed() -> None:
    result = bench_building(objects=200, rounds=1)
    assert result["objects"] == 200
    times = result["questions"]
    assert all(result[key] > 0.0 for key in ("graph_ms", "first_ms"))
    assert max(times.values()) == result["slowest_ms"] == times[result["slowest"]]
    assert min(times.values()) <= result["median_ms"] <= result["slowest_ms"]
