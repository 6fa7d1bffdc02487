"""How large a memory is and what it could not keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """For diagnostics.

    Attributes:
        frames: the number that the next frame gets: all that were integrated, or more.
        objects: confirmed and not deleted by a person.
        images: key frames whose image is kept, on disk or on its way there, of all sessions.
        images_removed: given up since opening, see `StoreConfig.retention`.
        images_dropped, images_failed: since opening: the disk was behind; the disk failed.
        image_bytes: what the images on disk take.
        image_bytes_written: since opening.
        failed_commits: since opening; what was to be committed waits for the next one.
        lost_frames: frame rows given up because commits failed for too long.
        descriptions, embeddings: what models said of objects, see `describing`.
    """

    frames: int
    objects: int
    locations: int
    images: int
    images_removed: int
    images_dropped: int
    images_failed: int
    image_bytes: int
    image_bytes_written: int
    failed_commits: int
    lost_frames: int
    descriptions: int
    embeddings: int
