"""What a program calls its variables is its own affair."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.reasoning.learned_methods import MethodApi
from scenemind.reasoning.learned_methods.enclosing import enclosed, public_names
from scenemind.reasoning.llm_tpc.probes import scene_probes
from scenemind.reasoning.llm_tpc.scene_methods import scene_methods
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar.picture_methods import picture_methods
from scenemind.reasoning.vadar.probes import picture_probes

ON_SCENES = '''def _nearest(category):
    """The nearest,
  or None."""
    things = filter(scene(), category)
    return min(things, key=lambda thing: query_attribute(thing, "distance")) if things else None

import math
def _floor_m(category):
    """To the nearest."""
    text = """a
  b"""
    return math.floor(query_attribute(_nearest(category), "distance")) + len(text) - 5'''
ON_PICTURES = """def _nearer(image, a, b):
    return depth(image, a) < depth(image, b)"""


def test_they_work_where_their_names_mean_something_else(sandbox: Sandbox) -> None:
    api = scene_probes([])[0].api
    flat = sandbox.run(f"{ON_SCENES}\n[_floor_m('desk'), _nearest('chair').id]", api).value
    shadowing = "scene = scene()\nfilter = min = query_attribute = math = _told = 3\n"
    within = replace(api, prelude=f"{api.prelude}\n{enclosed(ON_SCENES, scene_methods())}")
    outcome = sandbox.run(f"{shadowing}[_floor_m('desk'), _nearest('chair').id]", within)
    assert outcome.error is None
    assert outcome.value == flat == [0, 6]


def test_on_pictures_as_well(sandbox: Sandbox) -> None:
    api = picture_probes(["Image"])[0].api
    within = replace(api, prelude=f"{api.prelude}\n{enclosed(ON_PICTURES, picture_methods())}")
    program = """a, b = loc(image, "chair")[0], loc(image, "table")[0]
depth = depth(image, a)
[depth, _nearer(image, a, b), _nearer(image, b, a)]"""
    depth, nearer, farther = sandbox.run(program, within).value
    assert depth > 0.0
    assert nearer != farther


def test_each_has_its_own_imports(sandbox: Sandbox) -> None:
    source = """import math
def _root(value):
    return math.sqrt(value)

import json as math
def _text(value):
    return math.dumps(value)"""
    api = scene_probes([])[0].api
    within = replace(api, prelude=f"{api.prelude}\n{enclosed(source, scene_methods())}")
    assert sandbox.run("[_root(9), _text([9])]", within).value == [3.0, "[9]"]


def test_nothing_is_enclosed_in_nothing() -> None:
    assert enclosed("", scene_methods()) == ""


@pytest.mark.parametrize(
    ("api", "some"),
    [
        (scene_methods(), {"scene", "filter", "relate", "query_state", "sorted"}),
        (picture_methods(), {"loc", "vqa", "depth", "image", "sorted", "Box"}),
    ],
)
def test_the_names_are_those_of_the_api(api: MethodApi, some: set[str]) -> None:
    names = set(public_names(api))
    assert some <= names
    assert not [name for name in names if name.startswith("_")]
