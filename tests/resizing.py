"""Another size for the one window of all tests."""

import time

import arcade


def resize(window: arcade.Window, size: tuple[int, int]) -> None:
    """Resize the window, and wait until the X server has no older size to tell.

    The server answers when it likes: what it says of the size before would undo the new one.
    """
    for _ in range(20):
        if window.get_size() != size:
            window.set_size(*size)
        time.sleep(0.005)
        window.dispatch_events()
    window.flip()  # only then Mesa takes the new size for what is drawn
    assert window.get_size() == size
