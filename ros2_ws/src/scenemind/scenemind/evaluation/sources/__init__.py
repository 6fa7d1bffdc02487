"""Where the scenes come from that a method is asked about."""

from scenemind.evaluation.sources.mapped_memories import MappedMemories
from scenemind.evaluation.sources.objects_source import ObjectsSource, predicted_instances

__all__ = ["MappedMemories", "ObjectsSource", "predicted_instances"]
