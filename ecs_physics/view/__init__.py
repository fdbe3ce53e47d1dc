"""Windows: the one room that knows arcade.

from ecs_physics import World
from ecs_physics.levels import load
from ecs_physics.view import play

world = World()
level = load("pyramid", world)
play(world, level)
"""

from ecs_physics.view.camera import Camera
from ecs_physics.view.debug_layer import add_arrows
from ecs_physics.view.lines import LineBatch
from ecs_physics.view.look import DARK, LIGHT, Theme, switch_theme, theme, use_theme
from ecs_physics.view.menu import MenuView
from ecs_physics.view.panel import Panel
from ecs_physics.view.playing import play
from ecs_physics.view.plot import Plot
from ecs_physics.view.record import Recorder, screenshot
from ecs_physics.view.renderer import Renderer
from ecs_physics.view.screen import NoScreenError, has_display, open_window
from ecs_physics.view.simulation_view import SimulationView
from ecs_physics.view.split_view import SideBySide
from ecs_physics.view.stepping import FixedStep

__all__ = [
    "DARK",
    "LIGHT",
    "Camera",
    "FixedStep",
    "LineBatch",
    "MenuView",
    "NoScreenError",
    "Panel",
    "Plot",
    "Recorder",
    "Renderer",
    "SideBySide",
    "SimulationView",
    "Theme",
    "add_arrows",
    "has_display",
    "open_window",
    "play",
    "screenshot",
    "switch_theme",
    "theme",
    "use_theme",
]
