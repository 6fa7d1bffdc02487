"""ZSVG3D's recorded programs, run on the relations of this memory, to compare with."""

from scenemind.evaluation.zsvg3d.method import RecordedPrograms

__all__ = ["RecordedPrograms"]
