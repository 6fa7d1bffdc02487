"""What the form of an object alone says, in words."""

from __future__ import annotations

from functools import cached_property

from scenemind.memory.attributes.form import Form
from scenemind.memory.attributes.orientation import long_side_deg
from scenemind.memory.attributes.shapes import shape_name
from scenemind.memory.attributes.sizes import dimensions_text, size_name


class FormWords:
    """Found when asked for, and kept as long as the surface is the same."""

    def __init__(self, form: Form) -> None:
        self.form = form

    @cached_property
    def size(self) -> str:
        return size_name(self.form.yaw_box)

    @cached_property
    def dimensions(self) -> str:
        return dimensions_text(self.form.yaw_box)

    @cached_property
    def shape(self) -> str | None:
        return shape_name(self.form)

    @cached_property
    def long_side(self) -> str | None:
        degrees = long_side_deg(self.form)
        return None if degrees is None else f"{degrees} degrees"
