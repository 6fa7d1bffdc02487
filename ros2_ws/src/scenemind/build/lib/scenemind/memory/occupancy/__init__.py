"""Floor that was seen to be free, and where to stand on it."""
