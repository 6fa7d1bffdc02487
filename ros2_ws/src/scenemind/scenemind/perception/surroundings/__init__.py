"""A box's pixels against what surrounds it: what goes on outside of the box is not its object."""

from scenemind.perception.surroundings.box_window import BoxWindow, depth_step_px
from scenemind.perception.surroundings.colors import colors_of_surroundings
from scenemind.perception.surroundings.planes import on_surrounding_planes

__all__ = ["BoxWindow", "colors_of_surroundings", "depth_step_px", "on_surrounding_planes"]
