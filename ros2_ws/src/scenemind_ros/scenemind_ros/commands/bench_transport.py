"""From a camera over DDS into the memory of a mapping node in another process: how long it takes.

`python -m scenemind_ros.commands.bench_transport SECONDS RATE_HZ` prints one JSON object.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import numpy as np
import rclpy

from scenemind.cli.bench.scene import bench_sequence, endless
from scenemind.frames import read_sequence
from scenemind_ros.commands.bench_camera import BenchCamera
from scenemind_ros.player.parameters import PlayerTopics
from scenemind_ros.qos import SENSOR_DEPTH
from scenemind_ros.sequence_player import spinning

_STRETCH = 60  # frames that are rendered before, and sent again and again
_START_S = 60.0
_QUIET_S = 5.0  # when nothing was acknowledged for so long, the rest is lost
_STOP_S = 10.0


def measure(seconds: float, rate_hz: float) -> dict[str, object]:
    """Send colour, depth, instances and odometry; a frame is received once it is in memory.

    The latency is from before a frame's first message is published until its acknowledgement is
    back here: an upper bound of camera-to-memory, detector (the simulated instance camera) and
    mapping included.

    Raises:
        RuntimeError: no frame reached the mapping node.
    """
    sequence = bench_sequence(_STRETCH)
    frames = endless(list(read_sequence(sequence)))
    camera = BenchCamera(sequence)
    try:
        with _mapping_process(), spinning(camera):
            if not camera.warm_up(frames, rate_hz, _START_S):
                raise RuntimeError(f"no frame was remembered within {_START_S:g} s")
            sent = camera.send(islice(frames, round(seconds * rate_hz)), rate_hz)
            camera.wait_for(sent, _QUIET_S)
            latency_ms = camera.latency_ms(sent)
    finally:
        camera.destroy_node()
    if not latency_ms:
        raise RuntimeError(f"none of {len(sent)} frames was remembered")
    return {
        "sent": len(sent),
        "received": len(latency_ms),
        "latency_ms": float(np.median(latency_ms)),
        "latency_ms_p99": float(np.percentile(latency_ms, 99)),
        "latency_ms_max": max(latency_ms),
        "seconds": seconds,
        "rate_hz": rate_hz,
    }


@contextmanager
def _mapping_process() -> Iterator[None]:
    """The mapping node as on a robot, with a memory that ends with it.

    A slow frame may not push others out here: every frame that arrives is to be mapped.
    """
    topics = PlayerTopics()
    parameters = {
        "detector.backend": "instance_camera",
        "topics.instances": topics.instances,
        "topics.instance_names": topics.instance_names,
        "memory.root": '""',
        "pending_frames": SENSOR_DEPTH,
    }
    arguments = [part for name, value in parameters.items() for part in ("-p", f"{name}:={value}")]
    process = subprocess.Popen(
        [sys.executable, "-m", "scenemind_ros.mapping_node", "--ros-args", *arguments],
        stdout=sys.stderr,
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def main() -> int:
    seconds, rate_hz = map(float, sys.argv[1:])
    rclpy.init(args=[])
    try:
        result = measure(seconds, rate_hz)
    except RuntimeError as error:
        print(f"bench transport: {error}", file=sys.stderr)
        return 1
    finally:
        rclpy.try_shutdown()
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
