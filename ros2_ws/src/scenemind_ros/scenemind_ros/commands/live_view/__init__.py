"""What running nodes map, in the browser: what `scenemind view --live` becomes."""
