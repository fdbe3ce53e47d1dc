"""Demos: one file a game, and every level of assets/levels; `python -m games` is the menu."""
