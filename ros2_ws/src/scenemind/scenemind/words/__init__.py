"""English of things in rooms: plurals, synonyms, spelling. Knows nothing of maps."""
