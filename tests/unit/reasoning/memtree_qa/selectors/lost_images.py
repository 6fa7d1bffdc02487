"""Images that go while somebody looks at others."""

from __future__ import annotations

from scenemind.memory import Memory
from scenemind.memory.disk.frame_files import color_path


def lose_image(memory: Memory, frame_number: int) -> None:
    """As when room is made for new ones, a moment before the memory knows."""
    color_path(memory.path / "frames", frame_number).unlink()


def cut_image(memory: Memory, frame_number: int) -> None:
    """As a power cut leaves it."""
    path = color_path(memory.path / "frames", frame_number)
    path.write_bytes(path.read_bytes()[:100])
