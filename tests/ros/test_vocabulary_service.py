"""Changing the words of an open-vocabulary detector while a real node maps."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from rclpy.parameter import Parameter

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.perception import Detections, PerceptionError
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.protocols import Detector
from scenemind.simulation import Sensors, SimulatedSequence, simulate
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.mapping import session
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.sequence_player import SequencePlayer

from .graph import NODE, SIMULATED, RosGraph, wait_for

WORDS = ("chair", "cup", "couch")


@dataclass
class ToldWords:
    """An instance camera that reports only objects of the set words, and refuses unicorns."""

    camera: InstanceCamera
    vocabulary: tuple[str, ...] = WORDS
    name: str = "instance camera that is told words"
    may_embed: threading.Event = field(default_factory=threading.Event)
    is_embedding: threading.Event = field(default_factory=threading.Event)

    def detect(self, frame: RGBDFrame) -> Detections:
        seen = self.camera.detect(frame)
        return seen.select([n for n, label in enumerate(seen.labels) if label in self.vocabulary])

    def set_vocabulary(self, classes: Sequence[str]) -> None:
        self.is_embedding.set()
        assert self.may_embed.wait(30.0)
        if "unicorn" in classes:
            raise PerceptionError("'unicorn' cannot be embedded")
        self.vocabulary = tuple(classes)

    def label_similarity(self, a: str, b: str) -> float:
        return float(a == b)


@dataclass
class Told:
    graph: RosGraph
    node: MappingNode
    detector: ToldWords
    sequence: SimulatedSequence

    def set_words(self, *labels: str) -> srv.SetVocabulary.Response:
        self.detector.may_embed.set()
        return self.graph.call(srv.SetVocabulary, f"{NODE}/set_vocabulary", labels=list(labels))

    def set_in_background(self, *labels: str) -> list[srv.SetVocabulary.Response]:
        """Return when the words are being embedded; the response comes into the list."""
        answers: list[Any] = []
        client = self.graph.observer.create_client(srv.SetVocabulary, f"{NODE}/set_vocabulary")
        assert client.wait_for_service(10.0)
        future = client.call_async(srv.SetVocabulary.Request(labels=list(labels)))
        future.add_done_callback(lambda done: answers.append(done.result()))
        assert self.detector.is_embedding.wait(10.0)
        return answers

    def parameter(self) -> list[str]:
        values = self.graph.call(
            GetParameters, f"{NODE}/get_parameters", names=["detector.vocabulary"]
        ).values
        return list(values[0].string_array_value)

    def labels(self) -> set[str]:
        response = self.graph.call(srv.GetSceneGraph, f"{NODE}/get_scene_graph")
        return {thing.label for thing in response.scene_graph.objects}

    def change(self, transition: int) -> None:
        request = Transition(id=transition)
        assert self.graph.call(ChangeState, f"{NODE}/change_state", transition=request).success


@pytest.fixture
def told(graph: RosGraph, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Told:
    """A mapping node whose detector takes words."""
    sequence = simulate(1, 30, Sensors(320, 240))
    detector = ToldWords(InstanceCamera(sequence.class_names))

    def make(config: DetectorConfig, _names: Mapping[int, str] | None) -> Detector:
        detector.vocabulary = tuple(config.vocabulary) or WORDS
        return detector

    monkeypatch.setattr(session, "make_detector", make)
    parameters = SIMULATED | {"detector.backend": "onnx", "memory.root": str(tmp_path)}
    return Told(graph, graph.add(MappingNode, parameters), detector, sequence)


def test_new_words_are_detected_from_the_next_frame_on(told: Told) -> None:
    assert told.parameter() == list(WORDS)
    response = told.set_words("Dining_Table ", "couch", "dining table")
    assert response.success, response.error
    assert list(response.vocabulary) == told.parameter() == ["dining table", "couch"]
    player = told.graph.add(SequencePlayer, {"rate": 0.0}, sequence=told.sequence)
    assert player.play() == 30
    assert told.labels() == {"dining table", "couch"}
    diagnostics = told.graph.listen(DiagnosticArray, "/diagnostics")
    wait_for(lambda: diagnostics, "diagnostics")
    (mapper,) = [status for status in diagnostics[-1].status if status.name.endswith("mapper")]
    assert {value.key: value.value for value in mapper.values}["classes"] == "2"


def test_words_survive_loading_and_a_new_configuration(told: Told) -> None:
    assert told.set_words("lamp").success
    assert told.graph.call(srv.SaveMemory, f"{NODE}/save_memory", name="here").success
    assert told.graph.call(srv.LoadMemory, f"{NODE}/load_memory", name="here").success
    assert told.detector.vocabulary == ("lamp",)
    told.change(Transition.TRANSITION_DEACTIVATE)
    told.change(Transition.TRANSITION_CLEANUP)
    told.change(Transition.TRANSITION_CONFIGURE)
    assert told.detector.vocabulary == ("lamp",)
    assert told.parameter() == ["lamp"]


@pytest.mark.parametrize(
    ("labels", "named"), [([], "empty"), (["cup", " "], "' '"), (["lamp", "unicorn"], "'unicorn'")]
)
def test_error_names_words_that_cannot_be_detected(
    told: Told, labels: list[str], named: str
) -> None:
    response = told.set_words(*labels)
    assert (response.success, response.error.code) == (False, Error.INVALID_REQUEST)
    assert named in response.error.message
    assert tuple(response.vocabulary) == told.detector.vocabulary == WORDS
    assert told.parameter() == list(WORDS)


def test_while_words_are_embedded_the_node_maps_and_answers(told: Told) -> None:
    answers = told.set_in_background("lamp")
    player = told.graph.add(SequencePlayer, {"rate": 0.0}, sequence=told.sequence)
    assert player.play() == 30
    assert "couch" in told.labels()
    assert answers == []
    told.detector.may_embed.set()
    (response,) = wait_for(lambda: answers, "the answer")
    assert list(response.vocabulary) == ["lamp"]


def test_waiting_caller_gets_an_answer_when_the_node_is_cleaned_up(told: Told) -> None:
    answers = told.set_in_background("lamp")
    told.change(Transition.TRANSITION_DEACTIVATE)
    told.change(Transition.TRANSITION_CLEANUP)
    told.detector.may_embed.set()
    (response,) = wait_for(lambda: answers, "the answer")
    assert response.error.code == Error.NODE_UNAVAILABLE
    told.change(Transition.TRANSITION_CONFIGURE)
    assert told.set_words("lamp").success


def test_detector_of_fixed_classes_is_an_error(graph: RosGraph) -> None:
    graph.add(MappingNode, SIMULATED)
    response = graph.call(srv.SetVocabulary, f"{NODE}/set_vocabulary", labels=["cup"])
    assert response.error.code == Error.UNSUPPORTED
    for part in ("instance camera", "fixed set", "detector.weights"):
        assert part in response.error.message


@pytest.mark.parametrize("value", [["lamp"], "chair", 3])
def test_the_parameter_is_changed_only_through_the_service(told: Told, value: object) -> None:
    wanted = Parameter("detector.vocabulary", value=value).to_parameter_msg()
    result = told.graph.call(
        SetParametersAtomically, f"{NODE}/set_parameters_atomically", parameters=[wanted]
    ).result
    assert not result.successful
    assert told.parameter() == list(WORDS)
