"""SceneMind: memory and reasoning for robots with an RGB-D camera. This library knows no ROS.

    import scenemind as sm

    scene = sm.map("recordings/kitchen", memory="kitchen", detector="./yolov8n-seg.onnx")
    print(scene.ask("how many chairs are there?").text)

See `scenemind.scene` for all that a scene can do.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenemind.config import SceneMindConfig as SceneMindConfig
    from scenemind.errors import SceneMindError as SceneMindError
    from scenemind.frames import RGBDFrame as RGBDFrame
    from scenemind.geometry import Box3D as Box3D
    from scenemind.geometry import PinholeCamera as PinholeCamera
    from scenemind.geometry import Pose as Pose
    from scenemind.memory import Correction as Correction
    from scenemind.memory import KeyFrame as KeyFrame
    from scenemind.memory import MapObject as MapObject
    from scenemind.memory import Relation as Relation
    from scenemind.reasoning import Alignment as Alignment
    from scenemind.reasoning import Answer as Answer
    from scenemind.reasoning import Grounding as Grounding
    from scenemind.reasoning import Query as Query
    from scenemind.scene import Scene as Scene
    from scenemind.scene import create as create
    from scenemind.scene import map as map  # noqa: A004
    from scenemind.scene import open as open  # noqa: A004

# Public name -> its module, imported when the name is first used: `import scenemind` costs nothing.
_MODULES = {
    "map": "scenemind.scene",
    "create": "scenemind.scene",
    "open": "scenemind.scene",
    "Scene": "scenemind.scene",
    "Answer": "scenemind.reasoning",
    "Grounding": "scenemind.reasoning",
    "Alignment": "scenemind.reasoning",
    "Query": "scenemind.reasoning",
    "MapObject": "scenemind.memory",
    "Relation": "scenemind.memory",
    "KeyFrame": "scenemind.memory",
    "Correction": "scenemind.memory",
    "RGBDFrame": "scenemind.frames",
    "PinholeCamera": "scenemind.geometry",
    "Pose": "scenemind.geometry",
    "Box3D": "scenemind.geometry",
    "SceneMindConfig": "scenemind.config",
    "SceneMindError": "scenemind.errors",
}
__all__ = [*_MODULES]


def __getattr__(name: str) -> object:
    if name == "__version__":
        return version("scenemind")
    if name not in _MODULES:
        raise AttributeError(f"module 'scenemind' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
