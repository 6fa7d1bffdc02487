"""Attributes of an object in words: colour, size, shape and orientation, all measured.

Texture, material and the like come from models (`memory.descriptions`).
"""
