"""The metre camera: where a point is on the screen, and how the camera moves there."""

import math

import arcade
import pytest

from ecs_physics.view.camera import MAX_ZOOM, MIN_ZOOM, Camera
from tests.resizing import resize


@pytest.fixture
def camera(window: arcade.Window) -> Camera:
    return Camera(window, 3.0, -2.0, 50.0)


def settle(camera: Camera) -> None:
    for _ in range(200):
        camera.update(1.0 / 60.0)


def test_the_middle_shows_its_position(camera: Camera) -> None:
    assert camera.to_world(400, 300) == (3.0, -2.0)
    assert camera.to_screen(4.0, -2.0) == pytest.approx((450.0, 300.0))
    assert camera.to_screen(3.0, -1.0) == pytest.approx((400.0, 350.0))


def test_there_and_back(camera: Camera) -> None:
    assert camera.to_world(*camera.to_screen(7.25, 1.5)) == pytest.approx((7.25, 1.5))


def test_zoom_keeps_the_point_under_the_cursor_all_the_way(camera: Camera) -> None:
    held = camera.to_world(650, 120)
    camera.zoom_at(650, 120, 1.8)
    for _ in range(30):
        camera.update(0.016)
        assert camera.to_screen(*held) == pytest.approx((650.0, 120.0), abs=1e-6)
    settle(camera)
    assert camera.zoom == pytest.approx(90.0)


def test_zoom_upon_zoom_keeps_the_point(camera: Camera) -> None:
    held = camera.to_world(200, 500)
    for factor in (1.2, 1.2, 0.5, 1.2):
        camera.zoom_at(200, 500, factor)
        camera.update(0.02)
        assert camera.to_screen(*held) == pytest.approx((200.0, 500.0), abs=1e-6)
    settle(camera)
    assert camera.zoom == pytest.approx(50.0 * 1.2**3 * 0.5)
    assert camera.to_screen(*held) == pytest.approx((200.0, 500.0), abs=1e-6)


def test_zoom_has_ends(camera: Camera) -> None:
    for factor in (1e9, 1e-20):
        camera.zoom_at(400, 300, factor)
        settle(camera)
        assert MIN_ZOOM * 0.999 <= camera.zoom <= MAX_ZOOM * 1.001


def test_it_eases_and_never_jumps(camera: Camera) -> None:
    camera.move_to(13.0, -2.0)
    before = camera.x
    for _ in range(20):
        camera.update(1.0 / 60.0)
        assert before < camera.x < 13.0
        assert camera.x - before < 2.0
        before = camera.x
    settle(camera)
    assert camera.x == 13.0
    assert not camera.moving


def test_the_way_does_not_depend_on_the_frame_rate(camera: Camera, window: arcade.Window) -> None:
    other = Camera(window, 3.0, -2.0, 50.0)
    for each, frames in ((camera, 6), (other, 24)):
        each.move_to(13.0, 8.0, 10.0)
        for _ in range(frames):
            each.update(0.12 / frames)
    assert (camera.x, camera.y, camera.zoom) == pytest.approx((other.x, other.y, other.zoom))


def test_pan_follows_the_mouse_at_once(camera: Camera) -> None:
    held = camera.to_world(100, 100)
    camera.pan(37.0, -12.0)
    assert camera.to_screen(*held) == pytest.approx((137.0, 88.0))
    settle(camera)
    assert camera.to_screen(*held) == pytest.approx((137.0, 88.0))


def test_fit_shows_all_of_a_box(camera: Camera) -> None:
    camera.fit((-20.0, 0.0), (30.0, 10.0), margin=50.0)
    settle(camera)
    left, low = camera.to_screen(-20.0, 0.0)
    right, high = camera.to_screen(30.0, 10.0)
    assert left == pytest.approx(50.0, abs=0.1)
    assert right == pytest.approx(750.0, abs=0.1)
    assert low + high == pytest.approx(600.0, abs=0.1)


def test_fit_of_a_point_is_finite(camera: Camera) -> None:
    camera.fit((1.0, 1.0), (1.0, 1.0))
    settle(camera)
    assert math.isfinite(camera.zoom)
    assert camera.zoom > 0.0


def test_a_new_window_size_keeps_the_middle(camera: Camera, window: arcade.Window) -> None:
    resize(window, (1000, 500))
    camera.match_window()
    assert camera.to_world(500, 250) == (3.0, -2.0)
    assert camera.zoom == pytest.approx(50.0)


def test_far_from_the_origin_pixels_are_exact(window: arcade.Window) -> None:
    camera = Camera(window, 1e5, 1e5, 2000.0)
    x, y = camera.to_screen(1e5 + 0.1, 1e5 - 0.05)
    assert (x, y) == pytest.approx((600.0, 200.0), abs=1e-4)


@pytest.mark.parametrize("place", [(math.nan, 0.0, 1.0), (0.0, math.inf, 1.0), (0.0, 0.0, 0.0)])
def test_refused_targets(camera: Camera, place: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="camera"):
        camera.move_to(*place)
    assert not camera.moving
