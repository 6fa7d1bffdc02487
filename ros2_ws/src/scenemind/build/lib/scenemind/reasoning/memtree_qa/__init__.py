"""MemTree3D question answering: a language model picks locations, a vision model looks at them."""

from scenemind.reasoning.memtree_qa.memtree_qa import MemTreeQA

__all__ = ["MemTreeQA"]
