"""From a box in an image to a box in the world, by several views."""

from scenemind.reasoning.vlm_grounder.projection.measure import measure
from scenemind.reasoning.vlm_grounder.projection.pictures import pictures_of

__all__ = ["measure", "pictures_of"]
