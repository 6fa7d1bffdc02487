"""From a box in an image to a box in the world, by several views."""

from scenemind.reasoning.vlm_grounder.projection.measure import measure

__all__ = ["measure"]
