"""What programs can ask of a scene, and what became of them; shared by all methods that write
programs."""

from scenemind.reasoning.programs.observation import Observation, run_program
from scenemind.reasoning.programs.scene_api import SceneApi, documentation, prelude
from scenemind.reasoning.programs.standing import find_viewpoint

__all__ = ["Observation", "SceneApi", "documentation", "find_viewpoint", "prelude", "run_program"]
