"""Evidence of a recording in files whose frames can be read in any order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.doctor.evidence import CameraFacts, Evidence, Stream
from scenemind.cli.doctor.finding import Finding
from scenemind.cli.doctor.sampling import SAMPLE, sample
from scenemind.frames.indexed_sequence import IndexedSequence


def gather_indexed(sequence: IndexedSequence) -> Evidence:
    """Stamps and poses of all frames, pixels of a few."""
    entries = sequence.entries
    step = max(1, len(entries) // SAMPLE)
    looked_at = sequence.part(slice(None, None, step))
    frames, found = sample(looked_at, every=1)
    if sequence.drops:
        fix = "these frames are left out: record again where too many are lost"
        text = f"{_causes(sequence.drops)}, {len(entries)} are usable"
        found.append(Finding("frames", "warn", text, fix))
    if frames and looked_at.drops:
        fix = "such frames are left out: copy or download the recording again"
        text = f"{_causes(looked_at.drops)} among {len(looked_at)} frames that were looked at"
        found.append(Finding("images", "warn", text, fix))
    stamps_ns = np.array([entry.stamp_ns for entry in entries], np.int64)
    poses = [entry.world_T_camera for entry in entries]
    return Evidence(
        source=str(sequence.path),
        streams={
            "color": Stream("colour images", stamps_ns, _sizes([f.color for f in frames])),
            "depth": Stream("depth images", stamps_ns, _sizes([f.depth_m for f in frames])),
            "odometry": Stream("poses", stamps_ns),
        },
        camera=CameraFacts.of(sequence.camera),
        depth_calibration=sequence.depth_calibration,
        positions=np.array([pose.translation for pose in poses]),
        quaternions=np.array([pose.quaternion_xyzw() for pose in poses]),
        frames=tuple(frames),
        found=tuple(found),
    )


def _causes(drops: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {cause}" for cause, count in drops.items())


def _sizes(images: list[NDArray[Any]]) -> frozenset[tuple[int, int]]:
    return frozenset((image.shape[1], image.shape[0]) for image in images)
