"""A converted recording that is played on its topics gives the memory that `map` makes of it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
from rclpy.node import Node
from rosbags.rosbag2 import Reader

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.frames.bag_writer import WriteOptions
from scenemind.mapping import Mapper, map_all
from scenemind.memory import Memory, MemorySnapshot
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, SimulatedSequence, simulate
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.qos import LATCHED, SENSOR_OUT
from scenemind_ros.sequence_player import Pacing
from tests.unit.frames.made import make_bag

from .graph import SIMULATED, TOPICS, RosGraph, wait_for

# Nothing is put off where the machine is slow.
UNHURRIED = {"mapper.deadline_ms": 0.0}
# The node takes odometry, and ROS 2 from wheels has no tf2_msgs.
NOT_PLAYED = ("/tf", "/tf_static")


def play(bag: Path, node: Node) -> int:
    """Publish the bytes of each message, as `ros2 bag play` does, as fast as they are mapped.

    Returns how many frames there were.
    """
    pacing = Pacing(node, 0.0, TOPICS.processed)
    with Reader(bag) as reader:
        played = [c for c in reader.connections if c.topic not in NOT_PLAYED]
        publishers = {}
        for connection in played:
            package, _, name = connection.msgtype.split("/")
            kind = getattr(import_module(f"{package}.msg"), name)
            qos = LATCHED if connection.ext.offered_qos_profiles else SENSOR_OUT
            publishers[connection.topic] = node.create_publisher(kind, connection.topic, qos)
        heard = publishers.values()
        wait_for(lambda: all(p.get_subscription_count() for p in heard), "readers of every topic")
        wait_for(lambda: not pacing.unheard_topics(), "acknowledgements")
        stamps: list[int] = []
        for connection, stamp_ns, data in reader.messages(played):
            if stamp_ns not in stamps:
                pacing.wait_for_turn(stamp_ns)
                stamps.append(stamp_ns)
            publishers[connection.topic].publish(bytes(data))
    pacing.finish()
    return len(stamps)


def mapped_directly(sequence: SimulatedSequence, folder: Path) -> MemorySnapshot:
    """The memory that `scenemind map` makes of the recording."""
    config = SceneMindConfig()
    with Memory.create(folder, config) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        map_all(mapper, read_sequence(sequence))
        return memory.snapshot()


def test_a_played_bag_gives_the_same_memory(graph: RosGraph, tmp_path: Path) -> None:
    sequence = simulate(1, 30, Sensors(160, 120))
    expected = mapped_directly(sequence, tmp_path / "directly")
    options = WriteOptions(instance_names=sequence.class_names, frames_per_file=20)
    bag = make_bag(sequence, tmp_path / "bag", options).path

    node = graph.add(MappingNode, SIMULATED | UNHURRIED | {"memory.root": str(tmp_path / "live")})
    assert play(bag, graph.observer) == 30
    assert node.session is not None
    live = node.session.memory.snapshot()

    assert len(expected.objects) > 10
    assert {i: thing.label for i, thing in live.objects.items()} == {
        i: thing.label for i, thing in expected.objects.items()
    }
    for object_id, thing in expected.objects.items():
        found = live.objects[object_id]
        assert found.observation_count == thing.observation_count
        assert np.allclose(found.box.center, thing.box.center, atol=1e-6)
        assert np.allclose(found.box.size, thing.box.size, atol=1e-6)
