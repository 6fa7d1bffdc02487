"""The scene API for programs, shared by all methods that write programs."""

from scenemind.reasoning.programs.observation import Observation, run_program
from scenemind.reasoning.programs.scene_api import SceneApi, documentation, find_viewpoint, prelude

__all__ = ["Observation", "SceneApi", "documentation", "find_viewpoint", "prelude", "run_program"]
