"""A memory on disk: SQLite for structure, image files for key frames."""
