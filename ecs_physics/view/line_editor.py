"""A line of text that is being typed: its caret, its selection."""

from typing import Final

from pyglet.window import key

LONGEST: Final = 40
"""Characters that a line takes."""


class LineEditor:
    """Text with a caret; what lies between `anchor` and `caret` is selected."""

    def __init__(self) -> None:
        self.text = ""
        self.caret = 0
        self.anchor = 0

    def start(self, text: str) -> None:
        """Begin with `text`, all selected, so that typing replaces it."""
        self.text = text
        self.select_all()

    def select_all(self) -> None:
        """Select everything."""
        self.anchor, self.caret = 0, len(self.text)

    @property
    def selection(self) -> tuple[int, int]:
        """First and past-the-last selected character."""
        return min(self.anchor, self.caret), max(self.anchor, self.caret)

    @property
    def selected(self) -> str:
        """The selected text."""
        start, end = self.selection
        return self.text[start:end]

    def insert(self, text: str) -> None:
        """Type `text` over the selection; line ends and control characters are left out."""
        start, end = self.selection
        room = LONGEST - len(self.text) + end - start
        typed = "".join(each for each in text if each.isprintable())[:room]
        self.text = self.text[:start] + typed + self.text[end:]
        self.put(start + len(typed))

    def put(self, place: int, *, select: bool = False) -> None:
        """Put the caret before character `place`; select what it passes where asked to."""
        self.caret = min(max(place, 0), len(self.text))
        if not select:
            self.anchor = self.caret

    def move(self, motion: int, *, select: bool = False) -> bool:
        """Do what a motion key of pyglet says; whether it is one for a line."""
        start, end = self.selection
        if motion in (key.MOTION_BACKSPACE, key.MOTION_DELETE):
            if start == end:
                step = -1 if motion == key.MOTION_BACKSPACE else 1
                self.put(self.caret + step, select=True)
            self.insert("")
        elif motion == key.MOTION_LEFT:
            self.put(start if start != end and not select else self.caret - 1, select=select)
        elif motion == key.MOTION_RIGHT:
            self.put(end if start != end and not select else self.caret + 1, select=select)
        elif motion in (
            key.MOTION_BEGINNING_OF_LINE,
            key.MOTION_BEGINNING_OF_FILE,
            key.MOTION_PREVIOUS_WORD,
        ):
            self.put(0, select=select)
        elif motion in (
            key.MOTION_END_OF_LINE,
            key.MOTION_END_OF_FILE,
            key.MOTION_NEXT_WORD,
        ):
            self.put(len(self.text), select=select)
        else:
            return False
        return True
