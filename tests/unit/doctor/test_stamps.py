"""Stamps, judged on made ones."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.doctor.stream_checks import (
    check_clock,
    check_odometry_covers,
    check_order,
    check_pairing,
    check_rate,
)

MS = 1_000_000
S = 1000 * MS


def at_30_hz(count: int = 90) -> NDArray[np.int64]:
    return S + np.arange(count) * (S // 30)


def test_rising_stamps_are_fine() -> None:
    assert check_order("color", at_30_hz()).status == "ok"


@pytest.mark.parametrize(
    ("number", "stamp", "status"), [(5, 0, "fail"), (5, S // 2, "fail"), (5, None, "warn")]
)
def test_one_bad_stamp_is_found(number: int, stamp: int | None, status: str) -> None:
    stamps = at_30_hz()
    stamps[number] = stamps[number - 1] if stamp is None else stamp
    assert check_order("color", stamps).status == status


def test_a_loop_says_how_far_it_goes_back() -> None:
    stamps = np.concatenate((at_30_hz(31), at_30_hz(31)))
    assert "by up to 1.000 s" in check_order("color", stamps).measured


def test_the_rate_is_the_median_one() -> None:
    assert "30.0 Hz" in check_rate("color", at_30_hz()).measured


def test_a_gap_is_found() -> None:
    stamps = at_30_hz()
    stamps[50:] += S
    finding = check_rate("color", stamps)
    assert finding.status == "warn"
    assert "1.033 s" in finding.measured


@pytest.mark.parametrize(("intervals", "status"), [(4.9, "ok"), (5.1, "warn")])
def test_a_gap_is_five_intervals(intervals: float, status: str) -> None:
    stamps = at_30_hz()
    stamps[50:] += round((intervals - 1.0) * (S // 30))
    assert check_rate("color", stamps).status == status


@pytest.mark.parametrize(("rate_hz", "status"), [(1.9, "warn"), (2.1, "ok")])
def test_a_slow_camera_is_named(rate_hz: float, status: str) -> None:
    assert check_rate("color", S + np.arange(9) * round(S / rate_hz)).status == status


def test_a_single_message_has_no_rate() -> None:
    assert check_rate("color", np.array([S])).status == "fail"


@pytest.mark.parametrize(("late_ms", "status"), [(0, "ok"), (15, "ok"), (16.6, "ok"), (25, "fail")])
def test_colour_and_depth_apart_in_time(late_ms: float, status: str) -> None:
    # At 5 Hz, so that the nearest depth is the one that was shifted.
    color = S + np.arange(40) * (S // 5)
    finding = check_pairing(color, color + round(late_ms * MS), tolerance_s=0.02)
    assert finding.status == status
    assert f"median {late_ms:.1f} ms" in finding.measured
    if status != "ok":
        assert "sync.tolerance_s:=0.025" in finding.fix


def test_depth_that_comes_every_other_time() -> None:
    finding = check_pairing(at_30_hz(), at_30_hz()[::2], tolerance_s=0.02)
    assert finding.status == "warn"
    assert "50% beyond" in finding.measured


@pytest.mark.parametrize(
    ("odometry", "status", "word"),
    [
        (at_30_hz(), "ok", "100%"),
        (S + np.arange(-1, 200) * 17 * MS, "ok", "100%"),
        (at_30_hz()[9:], "warn", "start odometry before"),
        (S + np.arange(4) * S, "fail", "sync.odometry_gap_s:=1.00"),
        (at_30_hz() + 3600 * S, "fail", "use_sim_time"),
        (np.zeros(0, np.int64), "fail", "topics.odometry"),
    ],
)
def test_poses_for_the_images(odometry: NDArray[np.int64], status: str, word: str) -> None:
    # Off the odometry's own seconds, where every pose would be exact.
    color = at_30_hz() if len(odometry) != 4 else at_30_hz() + 7 * MS
    finding = check_odometry_covers(color, odometry, gap_s=0.5)
    assert finding.status == status
    assert word in finding.measured + finding.fix


@pytest.mark.parametrize(
    ("age_s", "status"), [(0.03, "ok"), (5.0, "warn"), (-1.0, "warn"), (1e6, "warn")]
)
def test_images_of_another_clock(age_s: float, status: str) -> None:
    assert check_clock(age_s).status == status
