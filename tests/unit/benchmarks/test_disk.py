"""`python -m benchmarks disk`, small: each policy keeps less than the one before."""

from __future__ import annotations

from benchmarks.disk import bench_disk


def test_each_policy_keeps_less_than_the_one_before() -> None:
    result = bench_disk(seconds=1.0, stretch=15)
    taken = result["disk_mb_per_min"]
    assert list(taken) == [
        "all_exact",
        "all",
        "best_views",
        "best_views_of_1",
        "byte_budget_of_5_mb",
    ]
    assert taken["all_exact"] > taken["all"] > taken["best_views"] > taken["best_views_of_1"]
    images = result["images_mb_per_min"]  # the rest, of one second, is mostly what objects are
    assert images["all_exact"] > 2 * images["all"] > 2 * images["best_views"]
    assert result["images_kept"]["all"] == result["images_kept"]["all_exact"]
    assert result["images_removed"]["all"] == 0
