"""`scenemind bench frame`, small: its keys and its measurements."""

from __future__ import annotations

import gc
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from scenemind.bench.frame import DETECT, STAGES, FrameTimings, GarbagePauses, measure
from scenemind.bench.machine import run_module
from scenemind.bench.workload import bench_sequence, endless, prefill
from scenemind.cli.main import app
from scenemind.config import SceneMindConfig, StoreConfig
from scenemind.frames import read_sequence
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera


def test_the_total_is_without_the_detector() -> None:
    timings = FrameTimings(3)
    for factor in (1.0, 2.0, 6.0):
        stages = {DETECT: 100.0 * factor, **dict.fromkeys(STAGES, factor)}
        timings.add(stages, cpu_ms=7.0 * factor, detections=20)

    summary = timings.summary()

    assert summary["total_ms"] == 2.0 * len(STAGES)
    assert summary["total_ms_p99"] == pytest.approx(len(STAGES) * (2.0 + 0.98 * 4.0))
    assert summary["detector_ms"] == 200.0
    assert summary["cpu_ms"] == 14.0
    assert summary["total_ms_by_tenth"] == [len(STAGES) * factor for factor in (1.0, 2.0, 6.0)]
    assert summary["stages_ms"] == dict.fromkeys(STAGES, 2.0)


def test_frames_show_about_twenty_things() -> None:
    whole = bench_sequence()
    sequence = replace(whole, true_poses=whole.true_poses[::20])
    detector = InstanceCamera(sequence.class_names)
    counts = [len(detector.detect(frame)) for frame in read_sequence(sequence)]
    assert 15 <= np.median(counts) <= 25


def test_the_stream_goes_back_and_forth_with_rising_stamps() -> None:
    rendered = list(read_sequence(bench_sequence(3)))
    stream = [frame for frame, _ in zip(endless(rendered), range(6), strict=False)]
    order = [next(i for i, r in enumerate(rendered) if r.color is f.color) for f in stream]
    assert order == [0, 1, 2, 1, 0, 1]
    assert [frame.number for frame in stream] == [0, 1, 2, 3, 4, 5]
    assert np.ptp(np.diff([frame.stamp_ns for frame in stream])) == 0


def test_a_prefilled_memory_knows_every_object() -> None:
    config = SceneMindConfig()
    (frame,) = read_sequence(bench_sequence(1))
    with Memory.create(None, config) as memory:
        prefill(memory, 45, frame, config.object_map.confirm_observations)
        assert len(memory.snapshot().objects) == 45


def test_output_has_all_documented_keys() -> None:
    result = measure(objects=60, frames=5, stretch=8)
    assert {
        "frames",
        "objects",
        "total_ms",
        "total_ms_p99",
        "stages_ms",
        "rss_growth_mb",
        "disk_mb_per_min",
        "machine",
        "versions",
    } <= set(result)
    assert result["frames"] == 5
    assert 26 <= result["objects"] <= 60
    assert result["detector"] == "simulated instance camera"
    assert json.loads(json.dumps(result)) == result


@pytest.mark.slow
def test_the_command_prints_one_json_object_measured_on_one_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run_first(module: str, arguments: list[str], environment: dict[str, str]) -> Any:
        """Run the child with the default retention; another takes as long."""
        if arguments[-1] == StoreConfig().retention:
            return run_module(module, arguments, environment)
        return {"disk_mb_per_min": 7.0}

    monkeypatch.setattr("scenemind.bench.frame.run_module", run_first)
    done = CliRunner().invoke(app, ["bench", "frame", "--objects", "40", "--frames", "3", "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["frames"] == 3
    mine = {StoreConfig().retention: result["disk_mb_per_min"]}
    others = {"all": 7.0, "best_views": 7.0, "byte_budget": 7.0}
    assert result["disk_mb_per_min_by_retention"] == {**others, **mine}
    assert result["machine"]["cores"] == 1


def test_pauses_for_garbage_are_counted_only_meanwhile() -> None:
    with GarbagePauses() as pauses:
        gc.collect()
    assert 0.0 < pauses.longest_ms <= pauses.total_ms
    total_ms = pauses.total_ms
    gc.collect()
    assert pauses.total_ms == total_ms
