"""One name for every sequence: a path, or `sim:SEED` for a simulated room."""

from __future__ import annotations

import re

from scenemind.frames import RecordedSequence, open_sequence
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.sequence import simulate

_SIMULATED = re.compile(r"sim(:.*)?")


def open_source(name: str) -> RecordedSequence:
    """A recorded sequence by path, or a simulated one by `sim:SEED`; `sim` is `sim:1`.

    Raises:
        FrameError: nothing is there, or no known format.
        SimulationError: the seed is no number, or gives no room.
    """
    if not _SIMULATED.fullmatch(name):
        return open_sequence(name)
    seed = name.removeprefix("sim").removeprefix(":") or "1"
    if not seed.isdecimal():
        raise SimulationError(f"{name!r} is no simulated sequence: write sim:1, sim:2, ...")
    return simulate(int(seed))
