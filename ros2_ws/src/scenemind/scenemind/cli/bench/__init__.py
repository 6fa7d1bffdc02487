"""`scenemind bench`: how fast things are on this machine."""
