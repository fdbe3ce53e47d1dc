"""The command line of the demos: the menu, one demo, the list, a run without a window."""

import sys

from games.menu.command import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
