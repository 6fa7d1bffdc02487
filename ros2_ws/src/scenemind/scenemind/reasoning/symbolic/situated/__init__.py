"""Questions of one who stands somewhere, answered in a word or two."""
