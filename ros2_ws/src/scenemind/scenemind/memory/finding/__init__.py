"""Objects by words: what people call them, what they are like, what they mean."""

from scenemind.memory.finding.finder import ObjectFinder
from scenemind.memory.finding.found import Found
from scenemind.memory.finding.looks import Looks

__all__ = ["Found", "Looks", "ObjectFinder"]
