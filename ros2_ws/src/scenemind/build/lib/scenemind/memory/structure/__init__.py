"""Floor, walls and ceiling, as the depth camera sees them."""
