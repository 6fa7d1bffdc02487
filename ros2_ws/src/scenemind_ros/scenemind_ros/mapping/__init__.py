"""Parts of the mapping node, besides its input."""
