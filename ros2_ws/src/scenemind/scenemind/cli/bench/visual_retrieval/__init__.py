"""`scenemind bench visual-retrieval`: which layouts of stitched pictures a vision model reads."""

from scenemind.cli.bench.visual_retrieval.command import register

__all__ = ["register"]
