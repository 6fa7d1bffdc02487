"""Programs on a picture, with an API that models extend; see `method.Vadar`."""

from scenemind.reasoning.vadar.method import Vadar

__all__ = ["Vadar"]
