"""What the form of an object alone says, in words."""

from __future__ import annotations

from functools import cached_property

from scenemind.memory.attributes.form import Form
from scenemind.memory.attributes.orientation import long_side_deg, orientation_name
from scenemind.memory.attributes.shapes import shape_name
from scenemind.memory.attributes.sizes import dimensions_text, relative_size, size_name

OF_FORM = ("size", "dimensions", "relative_size", "shape", "orientation", "long_side")


class FormWords:
    """Found when asked for; the shape, which takes longest, is kept while the surface stays."""

    def __init__(self, form: Form) -> None:
        self.form = form

    def find(self, name: str, label: str) -> str | None:
        """One of `OF_FORM`; None where it cannot be told, and for other names.

        Args:
            label: what the object is taken for.
        """
        if name == "size":
            return size_name(self.form.yaw_box)
        if name == "dimensions":
            return dimensions_text(self.form.yaw_box)
        if name == "relative_size":
            return relative_size(label, self.form.yaw_box)
        if name == "shape":
            return self._shape
        if name == "orientation":
            return orientation_name(self.form, label)
        if name == "long_side":
            degrees = long_side_deg(self.form)
            return None if degrees is None else f"{degrees} degrees"
        return None

    @cached_property
    def _shape(self) -> str | None:
        return shape_name(self.form)
