"""Objects by words: what people call them, what they are like, what they mean."""

from scenemind.memory.finding.finder import Found, ImageVectors, ObjectFinder

__all__ = ["Found", "ImageVectors", "ObjectFinder"]
