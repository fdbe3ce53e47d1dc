"""Scenes timed in this engine and in others, and the table of bars. Run `python -m benchmarks`."""
