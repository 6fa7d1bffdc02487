"""What a method may not do is seen before it runs."""

from __future__ import annotations

import pytest

from scenemind.reasoning.learned_methods.signatures import Signature
from scenemind.reasoning.learned_methods.source import (
    find_source_fault,
    private_calls,
    reserved_names,
)
from scenemind.reasoning.llm_tpc.scene_methods import scene_methods

from .talk import method

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
        (method("_told", "int", category="Category"), "the name is taken"),
        (method("_count", "int", image="Image"), "Image is no type of a parameter"),
        (method("_count", "Box", category="Category"), "Box is no type of a result"),
        (method("_count", "int"), "1 to 6 parameters"),
        (method("_count", "int", **{"for": "str"}), "no names: for"),
    ],
)
def test_what_does_not_fit_the_api_is_no_signature(form: dict[str, object], told: str) -> None:
    fault = Signature.model_validate(form).find_fault(API, reserved_names(API))
    assert told in str(fault)
