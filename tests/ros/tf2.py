"""tf2_ros as its documentation has it: it has no wheel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import SimpleNamespace
from typing import Any

import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.time import Time

from scenemind.geometry import Pose
from scenemind_ros.conversions import transform_to_msg
from scenemind_ros.input import mounting, world_frame


class Transforms(ABC):
    """A `tf2_ros.Buffer` that knows what a test says.

    Attributes:
        stamp_s: in what it finds; tf2 gives 0 to what never changes.
        cleared: how often everything was forgotten.
    """

    stamp_s = 0
    cleared = 0

    @abstractmethod
    def find(self, target: str, source: str, stamp: int) -> Pose | None:
        """`target_T_source` at a stamp in ns, 0 for the newest; None: not known (yet)."""

    def can_transform(self, target: str, source: str, time: Time) -> bool:
        return self.find(target, source, time.nanoseconds) is not None

    def lookup_transform(self, target: str, source: str, time: Time) -> TransformStamped:
        pose = self.find(target, source, time.nanoseconds)
        assert pose is not None, "tf2 raises LookupException"
        found = TransformStamped(transform=transform_to_msg(pose))
        found.header.stamp.sec = self.stamp_s
        return found

    def clear(self) -> None:
        self.cleared += 1


def stand_in(monkeypatch: pytest.MonkeyPatch, buffer: Any) -> None:
    """Let the code of the nodes find a tf2_ros with this buffer, and a listener that hears
    nothing."""
    listener = SimpleNamespace(unregister=lambda: None)
    module = SimpleNamespace(Buffer=lambda: buffer, TransformListener=lambda *_: listener)
    monkeypatch.setattr(mounting, "tf2_ros", module)
    monkeypatch.setattr(world_frame, "tf2_ros", module)
    monkeypatch.setattr(world_frame, "require_tf2", lambda: module)
