"""Shares of a model's limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import ModelsConfig
from scenemind.evaluation.method import Share, most_workers, share_of


@given(st.integers(1, 64), st.integers(0, 500), st.data())
def test_all_together_they_keep_the_limits_and_none_is_left_without(
    parallel: int, per_minute: int, data: st.DataObject
) -> None:
    models = ModelsConfig(parallel_calls=parallel, requests_per_minute=per_minute)
    count = data.draw(st.integers(1, most_workers(models)))
    shares = [share_of(models, Share(number, count)) for number in range(count)]
    assert sum(one.parallel_calls for one in shares) == parallel
    assert sum(one.requests_per_minute for one in shares) == per_minute
    assert min(one.parallel_calls for one in shares) >= 1
    assert all((one.requests_per_minute > 0) == (per_minute > 0) for one in shares)
