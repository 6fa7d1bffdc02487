"""How likely an answer is right, by what is known of how it was found.

The model is not asked how sure it is. The base is how often the paper's method pointed at the
right thing on ScanRefer (Table 1, by masks at IoU 0.25): 87 % where there was one thing of the
class, 57 % where there were more. The factors are rules of thumb: no model could be reached to
measure them.
"""

from __future__ import annotations

from scenemind.reasoning.vlm_grounder.result import Grounded

_ONE_OF_CLASS, _SEVERAL_OF_CLASS = 0.87, 0.57
_RETRY = 0.85  # for each
_NO_CLASS = 0.7  # nothing was known to show the class
_VIEWS = {1: 0.8, 2: 0.9}  # fewer than three
_UNMEASURED = 0.8
_AGREES, _NEW, _ELSEWHERE, _GONE = 1.1, 0.9, 0.8, 0.4  # what the map says
_AGREEING_IOU = 0.5
_MOST = 0.95


def confidence(grounded: Grounded, retries: int, things: int, *, by_class: bool) -> float:
    """In (0, 1).

    Args:
        retries: feedbacks that the model needed.
        things: objects of the map that it could choose from; 0: nobody knows how many there were.
        by_class: the images were those that show the class.
    """
    sure = _ONE_OF_CLASS if by_class and things == 1 else _SEVERAL_OF_CLASS
    sure *= _RETRY**retries
    sure *= 1.0 if by_class else _NO_CLASS
    if grounded.measured is None:
        return sure * _UNMEASURED
    sure *= _VIEWS.get(len(grounded.measured.views), 1.0)
    return min(sure * _agreement(grounded), _MOST)


def _agreement(grounded: Grounded) -> float:
    match = grounded.match
    if match is None:
        return _NEW
    if match.bond == "same":
        return _AGREES if match.iou >= _AGREEING_IOU else 1.0
    return _GONE if match.bond == "gone" else _ELSEWHERE
