"""`scenemind graph`: the scene graph of a memory or of an objects file, shown, drawn, exported."""
