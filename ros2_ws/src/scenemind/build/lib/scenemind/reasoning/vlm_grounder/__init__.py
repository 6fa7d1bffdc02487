"""VLM-Grounder: things found by looking at stitched images, and measured from several views."""

from scenemind.reasoning.vlm_grounder.vlm_grounder import VlmGrounder

__all__ = ["VlmGrounder"]
