"""One name for every sequence."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.frames import FrameError
from scenemind.simulation import SimulatedSequence, SimulationError, open_source


@pytest.mark.parametrize(("name", "seed"), [("sim", 1), ("sim:", 1), ("sim:7", 7)])
def test_simulated_rooms_have_a_seed(name: str, seed: int) -> None:
    sequence = open_source(name)
    assert isinstance(sequence, SimulatedSequence)
    assert sequence.room.seed == seed


def test_a_seed_is_a_number() -> None:
    with pytest.raises(SimulationError, match="sim:1"):
        open_source("sim:one")


def test_other_names_are_paths(tmp_path: Path) -> None:
    # Not everything that begins with sim is simulated.
    with pytest.raises(FrameError, match="simple"):
        open_source(str(tmp_path / "simple"))
