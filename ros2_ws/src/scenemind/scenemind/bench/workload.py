"""Workloads of the benches: a simulated drive, a large map, and detectors with random weights."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import Memory
from scenemind.memory.state import IntegrationOptions
from scenemind.perception.backends import make_detector
from scenemind.perception.backends.runtimes import Network, open_network
from scenemind.perception.backends.yolo_detectors import padded
from scenemind.perception.colors import COLOR_NAMES, HISTOGRAM_LENGTH
from scenemind.perception.protocols import Detector
from scenemind.perception.text import default_vocabulary
from scenemind.perception.types import Detections, Observation
from scenemind.perception.weights import cache_root
from scenemind.simulation import SimpleDepthNoise, SimulatedSequence, make_room
from scenemind.simulation.trajectory import look

RATE_HZ = 30.0
_FRAME_NS = round(1e9 / RATE_HZ)
_SEED = 2
_CAMERA = PinholeCamera(640, 480, 330.0, 330.0, 319.5, 239.5)  # 88 degrees across
_RADIUS_M, _HEIGHT_M, _PITCH_RAD = 3.0, 2.2, np.deg2rad(-25.0)
_SPEED_M_S = 0.75
STRETCH = 120  # frames that are rendered; the camera goes back and forth on them
_LABELS = ("chair", "cup", "book", "bottle", "potted plant", "monitor", "bin", "box")
_SPACING_M = 0.8
_SIZE_M = 0.4
_SURFACE_POINTS = 400
_IN_A_ROOM, _ABOVE_M = 60, 12.0
_NO_UPKEEP = IntegrationOptions(relations=False, upkeep=False)


def bench_sequence(count: int = STRETCH) -> SimulatedSequence:
    """640x480 frames of a camera under the ceiling that drives along a wall, looking in."""
    step_rad = _SPEED_M_S / RATE_HZ / _RADIUS_M
    poses = tuple(_pose(step_rad * number) for number in range(count))
    return SimulatedSequence(make_room(_SEED), _CAMERA, poses, SimpleDepthNoise())


def endless(frames: list[RGBDFrame]) -> Iterator[RGBDFrame]:
    """Repeat frames forwards and backwards, numbered and stamped as one recording at 30 Hz."""
    there_and_back = [*frames, *frames[-2:0:-1]]
    for number, frame in enumerate(itertools.cycle(there_and_back)):
        yield replace(frame, number=number, stamp_ns=(number + 1) * _FRAME_NS)


def prefill(memory: Memory, count: int, frame: RGBDFrame, times: int) -> None:
    """Add `count` objects outside the room to a memory, each observed `times` times.

    They stand in rows, near enough to each other to have relations, and are observed from above, as
    many at once as one room holds.
    """
    numbers = itertools.count()
    for first in range(0, count, _IN_A_ROOM):
        observations = [_thing(i) for i in range(first, min(first + _IN_A_ROOM, count))]
        seen = Detections(
            tuple(o.label for o in observations),
            np.array([o.score for o in observations], np.float32),
            np.stack([o.box_px for o in observations]),
            (None,) * len(observations),
        )
        above = np.mean([o.box.center for o in observations], axis=0)
        above[2] += _ABOVE_M
        pose = Pose(frame.world_T_camera.rotation, above)
        for number in itertools.islice(numbers, times):
            at = replace(
                frame, number=number, stamp_ns=(number + 1) * _FRAME_NS, world_T_camera=pose
            )
            track_ids = np.array([o.track_id for o in observations])
            memory.integrate(at, seen, track_ids, observations, options=_NO_UPKEEP)


def _pose(angle_rad: float) -> Pose:
    x, y = _RADIUS_M * np.cos(angle_rad), _RADIUS_M * np.sin(angle_rad)
    return look(float(x), float(y), _HEIGHT_M, angle_rad + np.pi, float(_PITCH_RAD))


def _thing(number: int) -> Observation:
    row, column = divmod(number, 20)
    center = np.array([6.0 + row * _SPACING_M, -8.0 + column * _SPACING_M, _SIZE_M / 2])
    rng = np.random.default_rng(number)
    points = rng.uniform(-_SIZE_M / 2, _SIZE_M / 2, (_SURFACE_POINTS, 3))
    side = rng.integers(0, 3, _SURFACE_POINTS)
    points[np.arange(_SURFACE_POINTS), side] = rng.choice((-1, 1), _SURFACE_POINTS) * _SIZE_M / 2
    return Observation(
        track_id=number,
        label=_LABELS[number % len(_LABELS)],
        score=0.9,
        box_px=np.array([100, 100, 200, 200], np.float32),
        points=(points + center).astype(np.float32),
        box=Box3D.from_bounds(center - _SIZE_M / 2, center + _SIZE_M / 2),
        color_shares=rng.dirichlet(np.ones(len(COLOR_NAMES))).astype(np.float32),
        pixel_count=10_000,
        truncated=False,
        appearance=np.full(HISTOGRAM_LENGTH, 1.0 / HISTOGRAM_LENGTH, np.float32),
        sigma_m=0.01,
    )


# Name -> ultralytics' architecture.
RANDOM_MODELS: Mapping[str, str] = {
    "yolo-world-s": "yolov8s-worldv2.yaml",
    "yoloe-26n-seg": "yoloe-26n-seg.yaml",
}
# A crowded frame: each detection gets its box and, where the model has masks, a mask.
_DETECTIONS = 20


class RandomWords:
    """A `TextEncoder` without a model: every word has a random direction of its own."""

    name = "random words"
    dimension = 512

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, 512) of unit length."""
        vectors = np.stack(
            [np.random.default_rng(list(t.encode())).normal(size=512) for t in texts]
        )
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def random_detector(name: str, config: DetectorConfig, *, half: bool = False) -> Detector:
    """One of `RANDOM_MODELS`, which reports 20 boxes a frame.

    Args:
        config: of backend `auto`, in which case the model is exported first, once for a machine,
            or of `yolo_world` and `yoloe`, which run in torch; with what its runtime needs.
        half: the exported file is in half precision.

    Raises:
        PerceptionError: the extra `ultralytics` or the runtime is not installed.
    """
    thresholds = {"min_score": 0.0, "max_detections": _DETECTIONS}
    with_weights = _with_weights(name, config.model_copy(update=thresholds), half, batch=1)
    return make_detector(with_weights, encoder=RandomWords())


def random_network(
    name: str, config: DetectorConfig, *, half: bool, batch: int
) -> tuple[Network, NDArray[np.float32]]:
    """The network of such a detector for `batch` pictures at once, and the word vectors that it
    takes; arguments and errors as of `random_detector`."""
    config = _with_weights(name, config, half, batch)
    network: Network
    if config.backend == "auto":
        network = open_network(Path(config.weights), config)
    else:
        from scenemind.perception.backends.yolo_torch import TorchSession

        network = TorchSession(config)
    slots, _ = network.texts_shape or (None, 0)
    return network, padded(RandomWords().encode(default_vocabulary()), slots)


def _with_weights(name: str, config: DetectorConfig, half: bool, batch: int) -> DetectorConfig:
    weights = RANDOM_MODELS[name]
    if config.backend == "auto":
        weights = str(_exported(name, weights, half, batch))
    return config.model_copy(update={"weights": weights})


def _exported(name: str, architecture: str, half: bool, batch: int) -> Path:
    variant = f"{' float16' * half}{f' x{batch}' if batch > 1 else ''}"
    path = cache_root() / "bench" / f"{name} with random weights{variant}.onnx"
    if not path.is_file():
        from scenemind.perception.backends.export import export_onnx

        unfinished = path.with_name(f"unfinished {path.name}")
        export_onnx(architecture, unfinished, half=half, batch=batch)
        unfinished.rename(path)
    return path
