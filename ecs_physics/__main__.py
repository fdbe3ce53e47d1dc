"""python -m ecs_physics: the command line."""

from ecs_physics.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
