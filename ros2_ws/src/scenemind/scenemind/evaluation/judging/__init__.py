"""LLM-Match: a language model marks answers from 1 to 5 (Majumdar et al., OpenEQA, CVPR 2024)."""

from scenemind.evaluation.judging.judge import Keep, Kept, judge, judge_config
from scenemind.evaluation.judging.mark import find_mark

__all__ = ["Keep", "Kept", "find_mark", "judge", "judge_config"]
