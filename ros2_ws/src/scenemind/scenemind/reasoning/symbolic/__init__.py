"""Answers without any language model: a grammar of common question shapes on the scene graph."""

from scenemind.reasoning.symbolic.reasoner import SymbolicReasoner
from scenemind.reasoning.symbolic.scene import LastScene

__all__ = ["LastScene", "SymbolicReasoner"]
