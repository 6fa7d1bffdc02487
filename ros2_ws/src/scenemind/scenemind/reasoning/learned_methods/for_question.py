"""What the programs of one question may call, learned for it where that is wanted."""

from __future__ import annotations

import logging
from dataclasses import replace

from scenemind.models import ModelError
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.learned_methods.learned import Offer
from scenemind.reasoning.learned_methods.learner import Learner
from scenemind.reasoning.method import Asking

_log = logging.getLogger(__name__)

# Of a question's time: a slow model would learn all of it long, and answer nothing.
_MOST_OF_TIME = 0.5


def offer_for(
    question: str, learner: Learner, learns: bool, asking: Asking, steps: list[str]
) -> Offer:
    """The best methods that there are. A library that cannot be used costs nobody an answer.

    Args:
        learns: have new ones written first, in at most half of the time.
        steps: takes what is done, a line each.

    Raises:
        ModelError: the model was not reached, or the allowance is used up.
        SandboxError: no program can be run.
    """
    try:
        if learns:
            _learn(question, learner, asking, steps)
        return learner.offer()
    except ReasoningError as error:
        _log.warning("programs have no learned methods: %s", error)
        steps.append(f"no learned methods: {error}")
        return Offer()


def _learn(question: str, learner: Learner, asking: Asking, steps: list[str]) -> None:
    part = asking.allowance.part(_MOST_OF_TIME * asking.allowance.left_s)
    try:
        learner.learn([question], replace(asking, allowance=part), steps)
    except ModelError as error:
        asking.allowance.check()  # else the time of the question is over, and not of this part
        if error.kind != "too_late":
            raise
        steps.append("the time for new methods is over")
