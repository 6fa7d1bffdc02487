"""How large a memory is and what it could not keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """For diagnostics.

    Attributes:
        frames: the number that the next frame gets: all that were integrated, or more.
        objects: confirmed and not deleted by a person.
        images: key frames handed to the frame store, in all sessions.
        images_dropped, images_failed: since opening: the disk was behind; the disk failed.
        image_bytes: written since opening.
        failed_commits: since opening; what was to be committed waits for the next one.
        lost_frames: frame rows given up because commits failed for too long.
    """

    frames: int
    objects: int
    locations: int
    images: int
    images_dropped: int
    images_failed: int
    image_bytes: int
    failed_commits: int
    lost_frames: int
