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
    assert taken["all_exact"] > 2 * taken["all"] > 2 * taken["best_views"]
    assert taken["best_views"] > taken["best_views_of_1"]
    assert result["images_kept"]["all"] == result["images_kept"]["all_exact"]
    assert result["images_removed"]["all"] == 0
