"""Questions on a key frame, of which each reply of the model is there at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from scenemind.cli.bench.prompt_model import PromptModel
from scenemind.evaluation.objects_memory import ObjectsMemory
from scenemind.frames.encodings import encode_color_file
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.models import Allowance
from scenemind.reasoning import Query
from scenemind.reasoning.memtree_qa.selectors.uniform import UniformSelector
from scenemind.reasoning.method import Asking
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar import Vadar

_CAMERA = PinholeCamera(640, 480, 600.0, 600.0, 319.5, 239.5)
# Stands outside the room, 1.2 m high, and looks along +y.
_WORLD_T_CAMERA = Pose(
    np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))), np.array((3.0, -3.0, 1.2))
)
_SHOWN = 20
_QUESTION = Query("Which chair is the nearest?")
_RIGHT = """```python
chairs = loc(image, "chair")
final_result = min(chairs, key=lambda box: depth(image, box))
```"""
_WRONG = _RIGHT.replace("depth(image, box)", "depth(image, chairs)")
_NOTHING_NEW = json.dumps({"think": "all is there", "methods": []})
_PARAMETERS = [{"name": "image", "type": "Image"}, {"name": "kind", "type": "str"}]
_NEAREST = {"name": "_nearest", "parameters": _PARAMETERS, "returns": "Box", "description": "it"}
_DESIGN = json.dumps({"think": "one is missing", "methods": [_NEAREST]})
_METHOD = """```python
def _nearest(image, kind):
    boxes = loc(image, kind)
    return min(boxes, key=lambda box: depth(image, box)) if boxes else None
```"""
_USING_IT = """```python
final_result = _nearest(image, "chair")
```"""


def question_on_frame(sandbox: Sandbox, things: Mapping[int, MapObject]) -> Callable[[], object]:
    """With a program that fails and one that is right."""
    return _question(sandbox, things, (_NOTHING_NEW, _WRONG, _RIGHT))


def question_that_teaches(
    sandbox: Sandbox, things: Mapping[int, MapObject]
) -> Callable[[], object]:
    """With a method that is written for it, each time anew."""
    return _question(sandbox, things, (_DESIGN, _METHOD, _USING_IT))


def _question(
    sandbox: Sandbox, things: Mapping[int, MapObject], replies: Sequence[str]
) -> Callable[[], object]:
    memory = _OneFrame(things)

    def ask() -> object:
        model = PromptModel(replies)
        method = Vadar(model, model, UniformSelector(), sandbox)
        return method.ask(_QUESTION, memory, Asking(Allowance(60.0)))

    return ask


class _OneFrame(ObjectsMemory):
    """A memory with one image, which shows some of its objects."""

    def __init__(self, things: Mapping[int, MapObject]) -> None:
        super().__init__(MemorySnapshot(1, 0, things, (), None))
        white = np.full((_CAMERA.height, _CAMERA.width, 3), 255, np.uint8)
        boxes = _boxes_px(things)
        jpeg = encode_color_file(white)
        self._frame = KeyFrame(0, 0, 0, _CAMERA, _WORLD_T_CAMERA, jpeg, boxes_px=boxes)

    def stored_frames(self) -> Sequence[int]:
        """The one."""
        return (self._frame.frame_number,)

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """The one, with all boxes."""
        del frame_number, object_ids
        return self._frame


def _boxes_px(things: Mapping[int, MapObject]) -> dict[int, tuple[float, float, float, float]]:
    boxes = {}
    for object_id, thing in list(things.items())[:_SHOWN]:
        pixels, _ = _CAMERA.project(_WORLD_T_CAMERA.inverse().transform(thing.box.corners()))
        x0, y0 = np.clip(pixels.min(axis=0), 0, (_CAMERA.width, _CAMERA.height)).tolist()
        x1, y1 = np.clip(pixels.max(axis=0), 0, (_CAMERA.width, _CAMERA.height)).tolist()
        if x0 < x1 and y0 < y1:
            boxes[object_id] = (x0, y0, x1, y1)
    return boxes
