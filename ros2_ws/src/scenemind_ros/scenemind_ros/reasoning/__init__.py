"""What the reasoning node is made of."""
