"""Evidence of a folder of image files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.doctor.evidence import CameraFacts, Evidence, Stream
from scenemind.cli.doctor.finding import Finding
from scenemind.cli.doctor.sampling import SAMPLE, sample
from scenemind.frames.readers.folder import FolderSequence


def gather_folder(sequence: FolderSequence) -> Evidence:
    """Stamps and poses of all frames, pixels of a few."""
    entries = sequence.entries
    chosen = entries[:: max(1, len(entries) // SAMPLE)]
    frames, found = sample(replace(sequence, entries=chosen, drops={}), every=1)
    if sequence.drops:
        causes = ", ".join(f"{count} {cause}" for cause, count in sequence.drops.items())
        fix = "these frames are left out: record again where too many are lost"
        found.append(Finding("frames", "warn", f"{causes}, {len(entries)} are usable", fix))
    stamps_ns = np.array([entry.stamp_ns for entry in entries], np.int64)
    poses = [entry.world_T_camera for entry in entries]
    return Evidence(
        source=str(sequence.path),
        streams={
            "color": Stream("colour files", stamps_ns, _sizes([f.color for f in frames])),
            "depth": Stream("depth files", stamps_ns, _sizes([f.depth_m for f in frames])),
            "odometry": Stream("poses", stamps_ns),
        },
        camera=CameraFacts.of(sequence.camera),
        depth_calibration=sequence.depth_calibration,
        positions=np.array([pose.translation for pose in poses]),
        quaternions=np.array([pose.quaternion_xyzw() for pose in poses]),
        frames=tuple(frames),
        found=tuple(found),
    )


def _sizes(images: list[NDArray[Any]]) -> frozenset[tuple[int, int]]:
    return frozenset((image.shape[1], image.shape[0]) for image in images)
