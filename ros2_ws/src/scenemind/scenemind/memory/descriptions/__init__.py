"""What models said of objects, kept beside perception's view: descriptions and image vectors."""
