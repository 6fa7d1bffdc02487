"""Source of learned methods: what is accepted, and how it is put before a program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.reasoning.learned_methods import MethodApi
from scenemind.reasoning.learned_methods.method_api import Signature
from scenemind.reasoning.learned_methods.source import (
    enclosed,
    find_source_fault,
    private_calls,
    public_names,
    reserved_names,
)
from scenemind.reasoning.llm_tpc.scene_methods import scene_methods, scene_probes
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar.picture_methods import picture_methods, picture_probes
from tests.unit.reasoning.learned_methods.talk import method

API = scene_methods()
COUNT = Signature.model_validate(method("_count", "int", category="Category"))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def filter(category): return 1", r"must be _count(category)"),
        ("from math import floor as filter\ndef _count(category): return 1", "called filter"),
        ("import math as sorted\ndef _count(category): return 1", "called sorted"),
        ("from math import floor as _told\ndef _count(category): return 1", "called _told"),
        ("def _count(category):\n    global scene\n    scene = None\n    return 1", "global scene"),
        (
            "def _count(category):\n    for x in scene():\n        x.category = category",
            "x.category: a method does not change",
        ),
        ("def _count(category): return len(_relate([1], [2], 'on'))", "_relate is not among"),
        ("def _count(category): return len(_rows)", "_rows is not among"),
        (
            "def _count(category):\n    f = _categories\n    return len(f('x'))",
            "_categories is",
        ),
        ("import os\ndef _count(category): return os.getpid()", "os cannot be imported"),
        ("def _count(category):\n    import socket\n    return 1", "socket cannot be imported"),
        ("def _count(category): return 1\nimport math", "but imports before"),
        ("async def _count(category): return 1", "write the one function"),
        ("_count = lambda category: 1", "write the one function"),
        ("def _count(*category): return 1", r"must be _count(category)"),
        ("from math import *\ndef _count(category): return 1", "by its name, not *"),
        (
            "def _count(category):\n    setattr(scene, 'x', 1)\n    return 1",
            "setattr is not among",
        ),
        ("def _count(category): return len(eval('_rows'))", "eval is not among"),
        (
            "def _count(category):\n    exec('global scene')\n    return 1",
            "exec is not among",
        ),
        (f"def _count(category):\n    return {' + '.join('1' * 150)}", "nested too deeply"),
        (f"def _count(category):\n    return str(1){'.strip()' * 150}", "nested too deeply"),
        (f"def _count(category):\n    return len('{'x' * 4000}')", "4000 are the most"),
        ("@print\ndef _count(category): return 1", "no decorators"),
    ],
)
def test_one_that_reaches_further_than_its_own_is_refused(source: str, told: str) -> None:
    assert told in str(find_source_fault(source, COUNT, API))


@pytest.mark.parametrize(
    "source",
    [
        "def _count(category):\n    return len(filter(scene(), category))",
        "import math\ndef _count(category):\n    return math.floor(1.5)",
        "def _count(category):\n    from math import floor\n    return floor(1.5)",
        "def _count(category):\n    total, list = 0, []\n    for _ in scene():\n"
        "        total += 1\n    list[:] = [total]\n    return list[0]",
        "def _count(category):\n    def _named(thing):\n        return thing.category == category\n"
        "    return sum(_named(_one) for _one in scene())",
    ],
)
def test_one_that_keeps_to_itself_is_not(source: str) -> None:
    assert find_source_fault(source, COUNT, API) is None


def test_names_of_its_own_are_no_calls_of_other_methods() -> None:
    source = (
        "def _count(category):\n    def _inner(_x):\n        return _x\n    return _inner(_other())"
    )
    assert list(private_calls(source)) == ["_other"]


@pytest.mark.parametrize(
    ("form", "told"),
    [
        (method("filter", "int", category="Category"), "a name is an underscore"),
        (method("_relate", "int", category="Category"), "the name is taken"),
        (method("_plain", "int", category="Category"), "the name is taken"),
        (method("_count", "int", image="Image"), "Image is no type of a parameter"),
        (method("_count", "Box", category="Category"), "Box is no type of a result"),
        (method("_count", "int"), "1 to 6 parameters"),
        (method("_count", "int", **{"for": "str"}), "no names: for"),
    ],
)
def test_signatures_that_do_not_fit_the_api_are_refused(form: dict[str, object], told: str) -> None:
    fault = Signature.model_validate(form).find_fault(API, reserved_names(API))
    assert told in str(fault)


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


def test_empty_source_stays_empty() -> None:
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
