"""Goals of a node that says nothing any more."""

from __future__ import annotations

import pytest

from scenemind_interfaces import action
from scenemind_interfaces.msg import Error
from scenemind_ros import pending_goal
from scenemind_ros.errors import RosError
from scenemind_ros.pending_goal import PendingGoal
from scenemind_ros.service_caller import ServiceCaller

from .graph import TIMEOUT_S


def test_who_cancels_does_not_wait_for_a_node_that_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pending_goal, "_CONFIRMING_S", 0.1)
    with ServiceCaller() as caller:
        goal = PendingGoal(caller._goals[action.Align], action.Align.Goal(), None)
        with pytest.raises(RosError, match=r"no result within 0\.1 s"):
            goal.result(0.1)
        goal.cancel()
        goal.cancel()
        with pytest.raises(RosError, match=r"cancelled, but .* ListCorrections") as caught:
            goal.result(TIMEOUT_S)
        assert caught.value.code == Error.TIMEOUT
