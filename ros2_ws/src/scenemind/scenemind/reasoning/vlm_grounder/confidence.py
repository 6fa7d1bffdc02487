"""How likely answers are right: that the thing is meant, times that the box is right.

The model is not asked how sure it is. That it points at the right thing is as likely as the paper
measured with its model on ScanRefer (Table 1, by masks at IoU 0.25): 87 % where there was one thing
of the class, 57 % where there were more. What retries, a query without a class, and a map that says
that the thing is gone take from that is assumed: no model could be reached to measure it. That the
box is right was measured in simulated rooms (`box_quality`).
"""

from __future__ import annotations

from scenemind.reasoning.vlm_grounder.result import Grounded

_ONE_OF_CLASS, _SEVERAL_OF_CLASS = 0.87, 0.57
_RETRY = 0.85  # for each
_NO_CLASS = 0.7  # nothing was known to show the class
_GONE = 0.4  # the map has looked through its place since


def confidences(
    grounded: Grounded, retries: int, things: int, *, by_class: bool
) -> tuple[float, ...]:
    """Of each object of an answer, in (0, 1): that it is what was meant, and that the IoU of its
    box with the true one is above 0.5.

    Args:
        retries: feedbacks that the model needed.
        things: objects of the map that it could choose from; 0: nobody knows how many there were.
        by_class: the images were those that show the class.
    """
    sure = _ONE_OF_CLASS if by_class and things == 1 else _SEVERAL_OF_CLASS
    sure *= _RETRY**retries
    if not by_class:
        sure *= _NO_CLASS
    if grounded.match is not None and grounded.match.bond == "gone":
        sure *= _GONE
    return tuple(sure * right for right in grounded.box_right)
