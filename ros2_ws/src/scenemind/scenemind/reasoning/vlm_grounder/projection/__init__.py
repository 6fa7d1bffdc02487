"""From a box in an image to a box in the world, by several views."""

from scenemind.reasoning.vlm_grounder.projection.floor import find_floor_z
from scenemind.reasoning.vlm_grounder.projection.measure import measure
from scenemind.reasoning.vlm_grounder.projection.pictures import pictures_of

__all__ = ["find_floor_z", "measure", "pictures_of"]
