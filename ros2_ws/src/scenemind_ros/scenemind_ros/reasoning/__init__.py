"""Parts of the reasoning node."""
