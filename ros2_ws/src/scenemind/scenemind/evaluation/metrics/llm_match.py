"""LLM-Match (Majumdar et al., OpenEQA, CVPR 2024, section 4): a language model marks answers."""

from __future__ import annotations

_WORST, _BEST = 1.0, 5.0


def llm_match(answer: str, mark: float | None) -> float | None:
    """In [0, 1]: (clip(mark, 1, 5) - 1) / 4; 0 for a missing answer, which nobody has to judge.

    Args:
        mark: None: not judged, or nobody could read the judge.
    """
    if not answer.strip():
        return 0.0
    if mark is None:
        return None
    return (min(max(mark, _WORST), _BEST) - _WORST) / (_BEST - _WORST)
