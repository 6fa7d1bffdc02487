"""Whether relations make sense: by what people know of things, and by whether they agree."""
