"""`python -m benchmarks relations`, once round."""

from __future__ import annotations

from benchmarks.relations import bench_relations


def test_output_has_all_keys() -> None:
    result = bench_relations(rounds=1)
    times = ("scratch_200_ms", "scratch_2000_ms", "update_2000_ms")
    asked = ("lookup_2000_ms", "relate_40x2000_ms")
    assert all(result[key] > 0.0 for key in (*times, *asked))
    assert result["relations_of_2000"] > 5 * 2000
    assert result["slowest_lookup"]
    assert result["slowest_relation"]
