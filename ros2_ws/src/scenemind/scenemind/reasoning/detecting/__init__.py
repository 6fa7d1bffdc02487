"""Things that stored pictures show and nobody has mapped, as an open-vocabulary detector finds
them: one detector for all methods, told anew for every question."""

from scenemind.reasoning.detecting.open_detector import open_detector
from scenemind.reasoning.detecting.search import picture, search_frames
from scenemind.reasoning.detecting.shared_detector import SharedDetector

__all__ = ["SharedDetector", "open_detector", "picture", "search_frames"]
