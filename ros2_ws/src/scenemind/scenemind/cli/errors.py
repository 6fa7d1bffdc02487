"""What a command says instead of a traceback."""

from __future__ import annotations

from scenemind.cli.ros_environment import RosEnvironmentError
from scenemind.config import ConfigError
from scenemind.evaluation import EvaluationError
from scenemind.exchange import ExchangeError
from scenemind.frames import FrameError
from scenemind.geometry import GeometryError
from scenemind.memory import SceneMemoryError
from scenemind.models import ModelError
from scenemind.perception import PerceptionError
from scenemind.reasoning.sandbox import SandboxError
from scenemind.simulation import SimulationError
from scenemind.viewer.errors import ViewerError


class CommandError(RuntimeError):
    """A command that cannot do what was typed; says what to type instead."""


# Their messages are written for the person who typed the command.
USER_ERRORS = (
    CommandError,
    ConfigError,
    EvaluationError,
    ExchangeError,
    FrameError,
    GeometryError,
    ModelError,
    PerceptionError,
    RosEnvironmentError,
    SandboxError,
    SceneMemoryError,
    SimulationError,
    ViewerError,
)
