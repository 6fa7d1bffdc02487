"""`python -m scenemind`, which is the command `scenemind`."""

from scenemind.cli.main import main

main()
