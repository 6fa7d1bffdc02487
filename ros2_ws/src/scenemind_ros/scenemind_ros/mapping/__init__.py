"""What the mapping node is made of, beside its input."""
