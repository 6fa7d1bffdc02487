"""Descriptions and image vectors of objects, made by models on threads of their own."""

from scenemind.describing.annotation import AnnotationWorker, Annotator, OutcomeCounter
from scenemind.describing.describer import Describer
from scenemind.describing.service import DescribingService, Embedder, vision_only

__all__ = [
    "AnnotationWorker",
    "Annotator",
    "Describer",
    "DescribingService",
    "Embedder",
    "OutcomeCounter",
    "vision_only",
]
