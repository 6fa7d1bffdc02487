"""`scenemind_ros.commands.up`: nodes started by a person, and their clients."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from std_msgs.msg import Header

from scenemind.config import ConfigError, SceneMindConfig
from scenemind.memory import Memory
from scenemind_interfaces.msg import Error
from scenemind_ros.client import SceneMindClient
from scenemind_ros.commands.up import parameter_arguments
from scenemind_ros.errors import RosError
from scenemind_ros.qos import LATCHED

from .graph import SIMULATED, TIMEOUT_S, RosGraph, wait_for
from .processes import Process

UP = "scenemind_ros.commands.up"


@pytest.fixture
def memories(stored_room: Path, tmp_path: Path) -> Path:
    shutil.copytree(stored_room, tmp_path / "memories" / "current")
    return tmp_path / "memories"


def start(folder: Path, memories: Path, *options: str) -> Process:
    parameters = SIMULATED | {"memory.root": str(memories)}
    given = [f"{name}={value}" for name, value in parameters.items()]
    return Process(folder, UP, *options, "--params", *given)


def children_of(process: Process) -> list[Path]:
    """Their folders in /proc."""
    pid = process.popen.pid
    numbers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [Path(f"/proc/{number}") for number in numbers]


def is_running(process: Path) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        return "\nState:\tZ" not in (process / "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def up(options: list[str], memories: Path, tmp_path: Path) -> Iterator[Process]:
    """The nodes, ready."""
    process = start(tmp_path, memories, *options)
    process.wait_for_line("reasoning_node writes")
    yield process
    process.close()


@pytest.mark.parametrize(
    ("options", "number"), [([], signal.SIGTERM), (["--separate"], signal.SIGINT)]
)
def test_a_client_asks_corrects_and_finds_it_stored_after_the_end(
    up: Process, memories: Path, number: int
) -> None:
    with SceneMindClient() as scenemind:
        scenemind.wait_ready(TIMEOUT_S)
        scene = scenemind.scene_graph()
        chairs = [thing.id for thing in scene.objects if thing.label == "chair"]
        answer = scenemind.ask("How many chairs are there?").answer
        assert set(answer.object_ids) == set(chairs)
        assert scenemind.ground("the refrigerator").objects[0].label == "refrigerator"
        assert scenemind.align("this is a throne", marked_object_ids=chairs[:1]).success
        assert list(scenemind.ask("Is there a throne?").answer.object_ids) == chairs[:1]
        assert all(entry.undone for entry in scenemind.undo().corrections)
        assert not scenemind.ask("Is there a throne?").answer.object_ids
        assert scenemind.align("this is a stool", marked_object_ids=chairs[1:2]).success
        assert [correction.value for correction in scenemind.corrections()] == ["stool"]
        assert len(scenemind.key_frames("chairs", count=2)) == 2
        with pytest.raises(RosError, match="1 to 32") as caught:
            scenemind.key_frames("chairs", count=33)
        assert caught.value.code == Error.INVALID_REQUEST

    nodes = children_of(up)
    assert nodes
    assert up.end(number) == 0, up.log
    assert not any(map(is_running, nodes))
    with Memory.open(memories / "current", SceneMindConfig()) as memory:
        assert memory.snapshot().objects[chairs[1]].label == "stool"


def test_nodes_end_with_a_parent_that_is_killed(memories: Path, tmp_path: Path) -> None:
    up = start(tmp_path, memories, "--separate")
    up.wait_for_line("reasoning_node writes")
    nodes = children_of(up)
    assert len(nodes) == 2
    up.close()
    wait_for(lambda: not any(map(is_running, nodes)), "the nodes to end")


def test_a_node_that_ends_takes_the_others_along(memories: Path, tmp_path: Path) -> None:
    up = start(tmp_path, memories, "--separate", "--params", "timeout_s=[]")
    assert up.popen.wait(TIMEOUT_S) == 1
    assert "a parameter is given as [] or without a value" in up.log
    assert "scenemind_ros.reasoning_node ended with status 1" in up.log


def test_example_planner_drives_to_where_the_object_is_seen(
    memories: Path, tmp_path: Path, repository: Path
) -> None:
    example = repository / "ros2_ws/src/scenemind_ros/examples/planner_node.py"
    up = start(tmp_path, memories)
    planner = Process(tmp_path, example, "--ros-args", "-p", "target:=the dining table")
    graph = RosGraph(hears_processes=True)
    try:
        goals = graph.listen(PoseStamped, "/goal_pose", LATCHED)
        wait_for(lambda: goals, f"a goal; {planner.log}")
        with SceneMindClient() as scenemind:
            poses = scenemind.approach_poses("the dining table").poses
            table = scenemind.ground("the dining table").objects[0].id
            assert scenemind.approach_poses(table).poses == poses
            with pytest.raises(RosError, match="elephant"):
                scenemind.approach_poses("the elephant")
        assert goals[0] == poses[0]
        assert planner.end() == 0, planner.log
    finally:
        graph.close()
        planner.close()
        up.close()


def test_example_tree_drives_looks_asks_and_corrects(
    memories: Path, tmp_path: Path, repository: Path
) -> None:
    example = repository / "ros2_ws/src/scenemind_ros/examples/visit_tree.py"
    up = start(tmp_path, memories)
    said = ["target:=the dining table", "correction:=the dining table is broken"]
    options = [word for name in said for word in ("-p", name)]
    visit = Process(tmp_path, example, "--ros-args", *options)
    graph = RosGraph(hears_processes=True)
    odometry = graph.observer.create_publisher(Odometry, "/odom", 10)
    frames = graph.observer.create_publisher(Header, "/mapping_node/processed", 10)
    at = Odometry()

    def drive(goal: PoseStamped) -> None:  # a robot that is there at once, with its camera on
        at.pose.pose = goal.pose

    def report() -> None:
        odometry.publish(at)
        frames.publish(Header())

    at.pose.pose.position.x = 100.0
    graph.observer.create_subscription(PoseStamped, "/goal_pose", drive, 1)
    graph.observer.create_timer(0.05, report)
    try:
        visit.popen.wait(TIMEOUT_S)
        assert visit.popen.returncode == 0, visit.log
        for step in ("dining table", "on the dining table", "is broken"):
            assert step in visit.log
        with SceneMindClient() as scenemind:
            assert [one.value for one in scenemind.corrections()] == ["broken"]
    finally:
        graph.close()
        visit.close()
        up.close()


def test_error_of_a_client_names_the_missing_node() -> None:
    with SceneMindClient(reasoning_node="/nobody", timeout_s=0.1) as scenemind:
        with pytest.raises(RosError, match="no node offers /nobody/ask"):
            scenemind.ask("How many chairs are there?")
        with pytest.raises(RosError) as caught:
            scenemind.wait_ready(0.1)
    assert caught.value.code == Error.NODE_UNAVAILABLE


def test_client_is_complete_before_it_runs_and_may_be_closed_twice() -> None:
    client = SceneMindClient(reasoning_node="/nobody", timeout_s=0.1)
    made = list(client._node.waitables)
    with pytest.raises(RosError, match="no node offers the action /nobody/ask"):
        client.start_asking("How many chairs are there?")
    assert list(client._node.waitables) == made, "none is made while the node spins"
    client.close()
    client.close()


def test_parameters_go_to_the_nodes_that_have_them() -> None:
    assert parameter_arguments(["memory.name=y"]) == ["-p", "mapping_node:memory.name:='y'"]
    assert parameter_arguments(["timeout_s=3"]) == ["-p", "reasoning_node:timeout_s:=3"]
    assert parameter_arguments(["map_frame=it's"]) == [
        *("-p", "mapping_node:map_frame:='it''s'"),
        *("-p", "reasoning_node:map_frame:='it''s'"),
    ]


@pytest.mark.parametrize(
    ("assignment", "words"),
    [("memory.nam=x", "did you mean memory.name"), ("memory.name", "write name=value")],
)
def test_a_wrong_parameter_is_refused_before_anything_starts(assignment: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parameter_arguments([assignment])
