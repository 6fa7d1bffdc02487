"""`scenemind doctor`: what is wrong with a recording or a live graph, and what mends it."""
