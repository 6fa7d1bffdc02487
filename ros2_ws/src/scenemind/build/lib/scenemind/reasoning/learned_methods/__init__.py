"""Methods that models write for questions of a kind, try, keep and use again; see `learner`."""

from scenemind.reasoning.learned_methods.learner import (
    Learner,
    Lesson,
    forgetful_learner,
    offer_for,
)
from scenemind.reasoning.learned_methods.library import MethodLibrary, Offer
from scenemind.reasoning.learned_methods.method_api import ApiName, MethodApi, Probe

__all__ = [
    "ApiName",
    "Learner",
    "Lesson",
    "MethodApi",
    "MethodLibrary",
    "Offer",
    "Probe",
    "forgetful_learner",
    "offer_for",
]
