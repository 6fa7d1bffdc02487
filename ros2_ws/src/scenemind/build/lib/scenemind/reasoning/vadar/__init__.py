"""Programs on a picture, with an API that models extend; see `vadar.Vadar`."""

from scenemind.reasoning.vadar.vadar import Vadar

__all__ = ["Vadar"]
