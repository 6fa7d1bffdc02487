"""One name for every sequence: a path, or `sim:SEED:key=value,...` for a simulated room."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from scenemind.frames import RecordedSequence, open_sequence
from scenemind.simulation.depth_noise import DepthNoise
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.sequence import SimulatedSequence, simulate
from scenemind.simulation.stereo_noise import StereoDepthNoise

_SIMULATED = re.compile(r"sim(:.*)?")
_COUNTS = {"objects": "objects", "loops": "loops", "changes": "changes", "frames": "frame_count"}
_DEPTHS: dict[str, float | DepthNoise] = {
    "exact": 0.0,
    "simple": 1.0,
    "stereo": StereoDepthNoise(),
}
_FRAMES_A_LOOP = 300
_EXAMPLE = "write sim:1, or sim:1:objects=50,loops=2"


def open_source(name: str) -> RecordedSequence:
    """A recorded sequence by path, or a simulated one by `sim:SEED`; `sim` is `sim:1`.

    A simulated one may have settings, as in `sim:3:objects=50,loops=2`: `objects` (20 to 60),
    `loops`, `changes` between loops, `frames` (300 a loop), `odometry` (1 for a good one that
    drifts) and `depth` (simple, exact or stereo); `simulate` explains them.

    Raises:
        FrameError: nothing is there, or no known format.
        SimulationError: no such simulated room.
    """
    if not _SIMULATED.fullmatch(name):
        return open_sequence(name)
    _, _, rest = name.partition(":")
    seed, _, settings = rest.partition(":")
    if not (seed or "1").isdecimal():
        raise SimulationError(f"{name!r} is no simulated sequence: {_EXAMPLE}")
    return _simulated(int(seed or "1"), settings)


def _simulated(seed: int, settings: str) -> SimulatedSequence:
    options: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        key, _, value = (part.strip() for part in setting.partition("="))
        if key in _COUNTS:
            options[_COUNTS[key]] = _whole_number(setting, value)
        elif key == "odometry":
            options["odometry_noise"] = _amount(setting, value)
        elif key == "depth":
            options["depth_noise"] = _depth_noise(value)
        else:
            known = ", ".join([*_COUNTS, "odometry", "depth"])
            raise SimulationError(f"{setting!r}: a simulated sequence has {known}; {_EXAMPLE}")
    options.setdefault("frame_count", _FRAMES_A_LOOP * options.get("loops", 1))
    return replace(simulate(seed, **options), variant=settings)


def _whole_number(setting: str, value: str) -> int:
    if not value.isdecimal():
        raise SimulationError(f"{setting!r}: not a whole number; {_EXAMPLE}")
    return int(value)


def _amount(setting: str, value: str) -> float:
    if not re.fullmatch(r"\d+(\.\d+)?", value):
        raise SimulationError(f"{setting!r}: not an amount such as 1 or 0.5; 0 is exact")
    return float(value)


def _depth_noise(value: str) -> float | DepthNoise:
    if value not in _DEPTHS:
        raise SimulationError(f"'depth={value}': depth is one of {', '.join(_DEPTHS)}")
    return _DEPTHS[value]
