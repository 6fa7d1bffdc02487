"""The scene graph: relations between objects, and what people corrected."""
