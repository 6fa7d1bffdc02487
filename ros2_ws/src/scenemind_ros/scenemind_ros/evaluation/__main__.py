"""`python -m scenemind_ros.evaluation NAME --recording BAG --out DIR`."""

from scenemind_ros.evaluation.run import main

if __name__ == "__main__":
    raise SystemExit(main())
