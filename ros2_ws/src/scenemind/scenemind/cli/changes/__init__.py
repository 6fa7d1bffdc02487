"""`scenemind changes`: what is different between two moments, or between two memories."""
