"""What the sequence player is made of."""
