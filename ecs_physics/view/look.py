"""How everything looks: colours and sizes in one place, dark or light by one switch."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from arcade.resources import resolve
from pyglet.font import add_file

Rgb = tuple[int, int, int]

BODY_COLORS: Final[tuple[Rgb, ...]] = (
    (0xE6, 0x9F, 0x00),
    (0x56, 0xB4, 0xE9),
    (0x00, 0x9E, 0x73),
    (0xF0, 0xE4, 0x42),
    (0x00, 0x72, 0xB2),
    (0xD5, 0x5E, 0x00),
    (0xCC, 0x79, 0xA7),
    (0x9A, 0xA5, 0xB1),
)
"""Bodies take turns in them; colour-blind people tell them apart (Okabe and Ito, 2008)."""

OUTLINE: Final = 1.5
"""px. Width of a body's outline."""
FILL_ALPHA: Final = 0.86
"""Opacity of a body's inside. Lower: the grid shines through more."""
TEXT_SIZE: Final = 14
"""px. Words."""
NUMBER_SIZE: Final = 12
"""px. Numbers and their labels."""
MARGIN: Final = 12
"""px. Between text and the window's border."""
LINE_HEIGHT: Final = 19
"""px. From one line of text to the next."""
FONT: Final = "Liberation Sans"
"""arcade ships it, so every machine shows the same; all its digits are equally wide."""


@dataclass(frozen=True)
class Theme:
    """The colours of a window, as (red, green, blue) from 0 to 255.

    `outline_toward` is what outlines are mixed with: white on a dark background and black on a
    light one, so that they stand out on both.
    """

    name: str
    background: Rgb
    grid: Rgb
    axis: Rgb
    ground: Rgb
    ground_edge: Rgb
    ground_top: Rgb
    outline_toward: Rgb
    picked: Rgb
    text: Rgb
    faint_text: Rgb
    accent: Rgb
    panel: Rgb
    panel_picked: Rgb
    contact: Rgb
    normal: Rgb
    box: Rgb
    center: Rgb
    velocity: Rgb
    joint: Rgb


DARK: Final = Theme(
    name="dark",
    background=(0x16, 0x1A, 0x22),
    grid=(0x2A, 0x31, 0x3E),
    axis=(0x3A, 0x43, 0x54),
    ground=(0x3A, 0x42, 0x52),
    ground_edge=(0x4C, 0x56, 0x69),
    ground_top=(0x8C, 0x99, 0xAE),
    outline_toward=(0xFF, 0xFF, 0xFF),
    picked=(0xFF, 0xFF, 0xFF),
    text=(0xE6, 0xEA, 0xF0),
    faint_text=(0x93, 0x9D, 0xAD),
    accent=(0xE6, 0x9F, 0x00),
    panel=(0x1E, 0x24, 0x2F),
    panel_picked=(0x2C, 0x34, 0x43),
    contact=(0xFF, 0x4D, 0x6D),
    normal=(0xFF, 0xB3, 0xC1),
    box=(0x6B, 0x8A, 0xA8),
    center=(0xFF, 0xFF, 0xFF),
    velocity=(0x7C, 0xF2, 0x9C),
    joint=(0xC3, 0x9B, 0xFF),
)

LIGHT: Final = Theme(
    name="light",
    background=(0xF4, 0xF1, 0xEA),
    grid=(0xE2, 0xDD, 0xD1),
    axis=(0xCB, 0xC4, 0xB4),
    ground=(0x3A, 0x42, 0x52),
    ground_edge=(0x4C, 0x56, 0x69),
    ground_top=(0x9A, 0xA7, 0xBC),
    outline_toward=(0x00, 0x00, 0x00),
    picked=(0x00, 0x00, 0x00),
    text=(0x1D, 0x22, 0x2C),
    faint_text=(0x69, 0x70, 0x7C),
    accent=(0xB3, 0x5A, 0x00),
    panel=(0xFB, 0xF9, 0xF4),
    panel_picked=(0xE9, 0xE3, 0xD5),
    contact=(0xC9, 0x10, 0x38),
    normal=(0xE0, 0x3E, 0x62),
    box=(0x5B, 0x7C, 0x9C),
    center=(0x10, 0x14, 0x1C),
    velocity=(0x0B, 0x7A, 0x37),
    joint=(0x6B, 0x2F, 0xB5),
)

_active: Theme = DARK


def theme() -> Theme:
    """The theme that every window is drawn in now."""
    return _active


def use_theme(name: str) -> Theme:
    """Draw every window in the theme `name` from now on: "dark" or "light"; return it.

    Raises:
        ValueError: for another name.
    """
    global _active
    for each in (DARK, LIGHT):
        if each.name == name:
            _active = each
            return each
    raise ValueError(f'theme {name!r}: give "dark" or "light"')


def switch_theme() -> Theme:
    """Change from dark to light or back, for every window; return the new theme."""
    return use_theme("light" if _active is DARK else "dark")


def rgb_of(color: str) -> Rgb:
    """(red, green, blue) of a colour written "#RRGGBB"."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def points(pixels: float) -> float:
    """The font size in points, at the 96 dots an inch that pyglet takes, that is `pixels` high."""
    return pixels * 72.0 / 96.0


@cache
def load_fonts() -> None:
    """Load the fonts that texts are written in, once."""
    for style in ("Regular", "Bold"):
        path = resolve(f":system:fonts/ttf/Liberation/Liberation_Sans_{style}.ttf")
        with path.open("rb") as file:  # given a path, pyglet would leave the file open
            add_file(file)
