"""`scenemind learn`: methods for programs, written before the questions are asked."""
