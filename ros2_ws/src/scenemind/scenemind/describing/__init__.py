"""What models are asked about objects, off the frame path: descriptions and image vectors."""

from scenemind.describing.background import Background
from scenemind.describing.describer import Describer
from scenemind.describing.embedder import Embedder
from scenemind.describing.note_maker import NoteMaker
from scenemind.describing.service import DescribingService, seeing_only
from scenemind.describing.tally import Tally

__all__ = [
    "Background",
    "Describer",
    "DescribingService",
    "Embedder",
    "NoteMaker",
    "Tally",
    "seeing_only",
]
