"""`python -m scenemind_ros.demo RECORDING`."""

from scenemind_ros.demo.run import main

if __name__ == "__main__":
    raise SystemExit(main())
