"""Images that are lost while a question reads others."""

from __future__ import annotations

from scenemind.memory import Memory
from scenemind.memory.disk.images import color_path


def lose_image(memory: Memory, frame_number: int) -> None:
    """Delete an image, like the budget just before the memory notes it."""
    color_path(memory.path / "frames", frame_number).unlink()


def cut_image(memory: Memory, frame_number: int) -> None:
    """Truncate an image, like a power cut."""
    path = color_path(memory.path / "frames", frame_number)
    path.write_bytes(path.read_bytes()[:100])
