"""Answers without any language model: a grammar of common question shapes on the scene graph."""

from scenemind.reasoning.symbolic.reasoner import SymbolicReasoner

__all__ = ["SymbolicReasoner"]
