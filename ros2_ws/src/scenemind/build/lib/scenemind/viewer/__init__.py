"""The browser view of a memory: the place in 3D, its objects, and a talk about them."""
