"""The mapping node and the sequence player, real nodes on real DDS."""

from __future__ import annotations

import time

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Log
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Image
from std_msgs.msg import Header

from scenemind.simulation import Sensors, simulate
from scenemind_ros.conversions import header_to_msg
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.qos import SENSOR_OUT
from scenemind_ros.sequence_player import Pacing, SequencePlayer

from .graph import NODE, SIMULATED, TOPICS, RosGraph, wait_for


def state_of(graph: RosGraph) -> int:
    return graph.call(GetState, f"{NODE}/get_state").current_state.id


def change(graph: RosGraph, transition: int) -> bool:
    request = Transition(id=transition)
    return graph.call(ChangeState, f"{NODE}/change_state", transition=request).success


def test_silence_is_explained_by_topic_qos_and_clock(graph: RosGraph) -> None:
    similar = graph.observer.create_publisher(Image, "/camera/color/image_raw", 10)
    odometry = graph.observer.create_publisher(
        Odometry, TOPICS.odometry, QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
    )
    diagnostics = graph.listen(DiagnosticArray, "/diagnostics")
    graph.add(
        MappingNode,
        SIMULATED | {"silence_s": 0.2, "use_sim_time": True, "qos.reliability": "reliable"},
    )

    def warning() -> str:
        texts = (s.message for a in diagnostics for s in a.status if s.name.endswith("input"))
        return next((t for t in texts if "/odom is published by observer" in t), "")

    text = wait_for(warning, "a warning about odometry")
    assert f"{TOPICS.color} has no publisher" in text
    assert "/camera/color/image_raw" in text
    assert "best_effort" in text
    assert "/clock has no publisher" in text
    levels = {s.level for a in diagnostics for s in a.status if s.message == text}
    assert levels == {DiagnosticStatus.WARN}
    assert similar.get_subscription_count() == odometry.get_subscription_count() == 0


def test_qos_follows_a_best_effort_publisher(graph: RosGraph) -> None:
    best_effort = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
    publisher = graph.observer.create_publisher(Odometry, TOPICS.odometry, best_effort)
    graph.add(MappingNode, SIMULATED)
    wait_for(publisher.get_subscription_count, "a matching subscription")


def test_a_wrong_parameter_keeps_the_node_unconfigured(graph: RosGraph) -> None:
    graph.add(MappingNode, SIMULATED | {"tracker.high_skore": 0.5})
    assert state_of(graph) == State.PRIMARY_STATE_UNCONFIGURED


def test_a_manager_takes_the_node_through_its_life_twice(graph: RosGraph) -> None:
    node = graph.add(MappingNode, SIMULATED | {"autostart": False})
    assert state_of(graph) == State.PRIMARY_STATE_UNCONFIGURED
    for _ in range(2):
        for transition, state in (
            (Transition.TRANSITION_CONFIGURE, State.PRIMARY_STATE_INACTIVE),
            (Transition.TRANSITION_ACTIVATE, State.PRIMARY_STATE_ACTIVE),
            (Transition.TRANSITION_DEACTIVATE, State.PRIMARY_STATE_INACTIVE),
            (Transition.TRANSITION_CLEANUP, State.PRIMARY_STATE_UNCONFIGURED),
        ):
            assert change(graph, transition)
            assert state_of(graph) == state
    assert node.session is None


def test_an_inactive_node_does_not_listen(graph: RosGraph) -> None:
    node = graph.add(MappingNode, SIMULATED)
    odometry = graph.observer.create_publisher(Odometry, TOPICS.odometry, SENSOR_OUT)
    wait_for(odometry.get_subscription_count, "a subscription")
    assert change(graph, Transition.TRANSITION_DEACTIVATE)
    wait_for(lambda: not odometry.get_subscription_count(), "the end of the subscription", 5.0)
    assert node.session is not None, "the memory still answers"


def test_a_looping_player_starts_again_until_it_is_stopped(graph: RosGraph) -> None:
    short = simulate(1, 4, Sensors(64, 48))
    graph.add(MappingNode, SIMULATED)
    player = graph.add(SequencePlayer, {"rate": 100.0, "loop": True}, sequence=short)
    graph.in_background(player.play)
    odometry = graph.listen(Odometry, TOPICS.odometry, SENSOR_OUT)
    wait_for(lambda: len(odometry) > 3 * len(short), "a fourth round")
    player.stop()


def test_a_player_at_twenty_times_the_rate_takes_a_twentieth_of_the_time(graph: RosGraph) -> None:
    pacing = Pacing(graph.observer, 20.0, "/processed")
    began = time.monotonic()
    for second in range(10, 13):
        pacing.wait_for_turn(second * 10**9)
    assert 0.1 <= time.monotonic() - began < 2.0


def test_a_player_counts_what_was_mapped_of_what_it_sent(graph: RosGraph) -> None:
    pacing = Pacing(graph.observer, 100.0, "/processed")
    reader = graph.observer.create_publisher(Header, "/processed", SENSOR_OUT)
    wait_for(reader.get_subscription_count, "the player")
    wait_for(lambda: pacing.is_heard, "the reader")
    stamps = [second * 10**9 for second in (1, 2, 3)]
    for stamp_ns in stamps:
        pacing.wait_for_turn(stamp_ns)
    for stamp_ns in stamps[1:]:
        reader.publish(header_to_msg(stamp_ns, "map"))
    pacing.finish()
    assert pacing.mapped == 2


def test_a_player_says_how_many_frames_were_mapped(graph: RosGraph) -> None:
    short = simulate(1, 6, Sensors(64, 48))
    graph.add(MappingNode, SIMULATED)
    player = graph.add(SequencePlayer, {"rate": 1.0}, sequence=short)
    said = graph.listen(Log, "/rosout", SENSOR_OUT)
    assert player.play() == len(short)
    wait_for(lambda: any("frames were mapped" in line.msg for line in said), "the count")
    (told,) = [line.msg for line in said if "frames were mapped" in line.msg]
    mapped = int(told.split()[0])
    assert 0 < mapped <= len(short)
    assert ("`--rate 0` maps each" in told) == (mapped < len(short))
