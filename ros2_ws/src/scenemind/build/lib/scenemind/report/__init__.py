"""Pages and drawings of a memory, which need no network or JavaScript; replies in a terminal."""
