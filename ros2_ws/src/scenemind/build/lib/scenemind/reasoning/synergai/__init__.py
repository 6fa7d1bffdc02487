"""An agent that answers and aligns by tools on the scene graph (SynergAI)."""

from scenemind.reasoning.synergai.synergai import Synergai

__all__ = ["Synergai"]
