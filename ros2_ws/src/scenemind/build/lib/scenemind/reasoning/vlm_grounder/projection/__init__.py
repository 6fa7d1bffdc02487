"""Multi-view ensemble projection (VLM-Grounder, section 3.4): from a box in an image to a box in
the world."""

from scenemind.reasoning.vlm_grounder.projection.ensemble_projection import measure
from scenemind.reasoning.vlm_grounder.projection.pictures import pictures_of

__all__ = ["measure", "pictures_of"]
