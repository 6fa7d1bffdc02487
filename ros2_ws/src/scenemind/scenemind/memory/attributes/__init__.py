"""What is computed of an object: colour, size, shape and orientation in words.

Texture, material and the like are asked of a model (`memory.descriptions`).
"""
