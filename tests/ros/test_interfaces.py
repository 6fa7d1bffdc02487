"""Every interface of the contract is built, and carries every field through DDS's own encoding."""

from __future__ import annotations

import array
import importlib
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from rosidl_parser import definition as idl

from scenemind.memory.types import EditKind, RelationSource
from scenemind.reasoning.query import METHODS, ErrorCode
from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Answer, Attribute, Correction, Error, Relation, SceneObject
from scenemind_interfaces.srv import Ground

CONTRACT = {
    "msg": [
        "Answer",
        "Attribute",
        "BoundingBox3D",
        "Correction",
        "Error",
        "KeyFrame",
        "LocationNode",
        "MemTree",
        "ModelUsage",
        "ObjectTracklet",
        "Relation",
        "SceneChange",
        "SceneGraph",
        "SceneObject",
        "SceneObjectArray",
        "Stay",
        "StructurePlane",
        "Visit",
    ],
    "srv": [
        "Align",
        "ApplyCorrections",
        "Ask",
        "ExportCorrections",
        "FindObjects",
        "FindSimilar",
        "GetApproachPose",
        "GetChanges",
        "GetFrameIndex",
        "GetKeyFrames",
        "GetMemTree",
        "GetSceneGraph",
        "Ground",
        "ImportCorrections",
        "ListCorrections",
        "LoadMemory",
        "MarkObject",
        "MergeMemory",
        "QueryObjects",
        "QueryRelations",
        "RedoCorrection",
        "Relate",
        "ResetMemory",
        "SaveMemory",
        "SelectKeyFrames",
        "SetVocabulary",
        "UndoCorrection",
        "WhereWas",
    ],
    "action": ["Align", "Ask", "Ground"],
}
PARTS = {"msg": [""], "srv": ["Request", "Response"], "action": ["Goal", "Result", "Feedback"]}
MESSAGES = [
    (kind, name, part) for kind, names in CONTRACT.items() for name in names for part in PARTS[kind]
]


def filled(message_type: type) -> Any:
    """A message with no field left at its default."""
    message = message_type()
    fields = message.get_fields_and_field_types()
    for name, slot_type in zip(fields, message.SLOT_TYPES, strict=True):
        setattr(message, name, sample(slot_type))
    return message


def sample(slot_type: idl.AbstractType) -> Any:
    """Some value of an interface type that is not its default."""
    if isinstance(slot_type, idl.NamespacedType):
        module = importlib.import_module(".".join(slot_type.namespaces))
        return filled(getattr(module, slot_type.name))
    if isinstance(slot_type, idl.Array):
        return np.array([sample(slot_type.value_type)] * slot_type.size)
    if isinstance(slot_type, idl.AbstractSequence):
        element = sample(slot_type.value_type)
        return array.array("B", [7, 8]) if element == 7 else [element, element]
    if isinstance(slot_type, idl.AbstractString):
        return "été"
    samples: dict[str, Any] = {"boolean": True, "float": 0.5, "double": -2.25, "uint8": 7}
    return samples.get(slot_type.typename, 3)


@pytest.mark.parametrize(("kind", "name", "part"), MESSAGES)
def test_every_field_survives_serialization(kind: str, name: str, part: str) -> None:
    module = importlib.import_module(f"scenemind_interfaces.{kind}")
    interface = getattr(module, name)
    message_type = getattr(interface, part) if part else interface
    message = filled(message_type)
    assert deserialize_message(serialize_message(message), message_type) == message


def test_no_interface_is_missing_from_the_contract(repository: Path) -> None:
    package = repository / "ros2_ws" / "src" / "scenemind_interfaces"
    for kind, names in CONTRACT.items():
        assert sorted(path.stem for path in (package / kind).iterdir()) == names


def test_a_wrongly_typed_field_is_refused() -> None:
    with pytest.raises(AssertionError):
        SceneObject(confidence="high")


def test_names_in_the_interfaces_are_the_library_s() -> None:
    methods = {v for k, v in constants(Ground.Request).items() if k.startswith("METHOD_")}
    assert methods == set(METHODS)
    assert set(constants(Correction).values()) == set(get_args(EditKind))
    assert set(constants(Relation).values()) == set(get_args(RelationSource))
    assert {code.upper() for code in get_args(ErrorCode)} <= set(constants(Error))


@pytest.mark.parametrize("name", CONTRACT["action"])
def test_action_has_the_fields_of_the_service(name: str) -> None:
    def fields(message_type: type) -> dict[str, str]:
        return message_type.get_fields_and_field_types()

    acted, served = getattr(action, name), getattr(srv, name)
    assert fields(acted.Goal) == fields(served.Request)
    assert fields(acted.Result) == fields(served.Response)


def test_defaults_of_a_message_mean_unknown() -> None:
    assert Answer().error.code == Error.NONE
    assert Answer().confidence == 0.0
    assert Attribute().name == ""
    assert not SceneObject().corrected


def constants(message_type: type) -> dict[str, Any]:
    """Constants of an interface, which rosidl keeps on the metaclass."""
    return {
        name: value.fget(message_type)
        for name, value in vars(type(message_type)).items()
        if name.isupper() and isinstance(value, property)
    }
