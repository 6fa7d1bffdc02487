"""Short answers to situated questions, from the asker's viewpoint."""
