"""Objects by words: what people call them, what they are like, what they mean."""

from scenemind.memory.finding.finder import ObjectFinder
from scenemind.memory.finding.found import Found

__all__ = ["Found", "ObjectFinder"]
