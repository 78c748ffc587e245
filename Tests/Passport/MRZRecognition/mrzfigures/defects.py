"""What documents and cameras do to a zone besides light, blur and noise. For measuring only: training has functions of its own.

Each function takes a uint8 picture and gives one of the same size. `scale` is the pitch of the characters in pixels.
"""
import cv2
import numpy as np

from . import camera


def _waves(shape, angle, pitch, phase, bend=0.0):
    """A grating with values 0...1; `bend` is a field of radians, or 0."""
    ys, xs = np.mgrid[0:shape[0], 0:shape[1]].astype(np.float32)
    return 0.5 + 0.5 * np.cos((np.cos(angle) * xs + np.sin(angle) * ys) * np.float32(2 * np.pi / pitch) + np.float32(phase) + bend)


def hologram(rng, page, scale):
    """Foil over the page: rosettes of fine rings and fans, each bright in parts and dark in parts as light meets it, over a sheen."""
    height, width = page.shape
    light = np.ones((height, width), np.float32)
    veil = np.zeros((height, width), np.float32)
    for _ in range(rng.integers(5, 10)):
        # Most of them over the zone, in the lower third.
        cx, cy = rng.uniform(0, width), height * (1 - rng.uniform(0, 0.3) if rng.random() < 0.7 else rng.random())
        radius = scale * rng.uniform(2, 7)
        left, right = int(max(cx - radius, 0)), int(min(cx + radius, width)) + 1
        top, bottom = int(max(cy - radius, 0)), int(min(cy + radius, height)) + 1
        y, x = np.mgrid[top:min(bottom, height), left:min(right, width)].astype(np.float32) - np.float32([cy, cx])[:, None, None]
        distance, angle = np.hypot(x, y), np.arctan2(y, x)
        inside = np.clip((radius - distance) / 2, 0, 1)
        rings = 0.5 + 0.5 * np.cos(distance * np.float32(2 * np.pi / (scale * rng.uniform(0.25, 0.9))))
        fans = 0.5 + 0.5 * np.cos(angle * rng.integers(6, 40) + distance * np.float32(rng.uniform(-1, 1) / scale))
        shape = inside * [rings * fans, rings, fans][rng.integers(3)]
        # One half of a rosette mirrors the lamp, the other does not.
        lamp = 0.5 + 0.5 * np.cos(angle - np.float32(rng.uniform(0, 6.3)))
        strength = rng.uniform(0.15, 0.45)
        window = slice(top, bottom), slice(left, right)
        veil[window] = np.maximum(veil[window], shape * lamp * np.float32(strength))
        light[window] *= 1 - shape * (1 - lamp) * np.float32(strength * 0.6)
    sheen = np.clip(camera.smooth_field(rng, height, width, 4) * 0.12, 0, 0.3)
    veil = np.maximum(veil, sheen)
    picture = page * light
    return np.clip(picture + (250 - picture) * veil, 0, 255).astype(np.uint8)


def laminate(rng, page, scale):
    """A film over the page: haze, a streak of mirrored light across the zone, a fine embossed pattern, bubbles and scratches."""
    height, width = page.shape
    emboss = _waves(page.shape, rng.uniform(0, np.pi), scale * rng.uniform(0.3, 1.2), rng.uniform(0, 6), 2 * camera.smooth_field(rng, height, width, 8))
    emboss *= _waves(page.shape, rng.uniform(0, np.pi), scale * rng.uniform(0.3, 1.2), rng.uniform(0, 6))
    picture = page * (1 - np.float32(rng.uniform(0.08, 0.22)) * emboss)
    veil = np.full((height, width), np.float32(rng.uniform(0.05, 0.15)))
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    for _ in range(rng.integers(1, 3)):
        angle, across = rng.uniform(-1.4, 1.4), scale * rng.uniform(1, 5)
        middle = width * rng.uniform(0, 1), height * rng.uniform(0.75, 1)
        distance = (np.cos(angle) * (xs - np.float32(middle[0])) + np.sin(angle) * (ys - np.float32(middle[1]))) / np.float32(across)
        veil += np.float32(rng.uniform(0.15, 0.4)) * np.exp(-distance ** 2)
    marks = np.zeros((height, width), np.uint8)
    for _ in range(rng.integers(3, 12)):
        x, y = rng.uniform(0, width), height * rng.uniform(0.65, 1)
        if rng.random() < 0.5:
            axes = int(scale * rng.uniform(0.1, 0.5)), int(scale * rng.uniform(0.1, 0.5))
            cv2.ellipse(marks, (int(x), int(y)), axes, rng.uniform(0, 180), 0, 360, int(rng.integers(60, 160)), max(1, int(scale * 0.05)), cv2.LINE_AA)
        else:
            end = int(x + scale * rng.uniform(-8, 8)), int(y + scale * rng.uniform(-3, 3))
            cv2.line(marks, (int(x), int(y)), end, int(rng.integers(60, 160)), max(1, int(scale * 0.04)), cv2.LINE_AA)
    veil = np.clip(veil + np.float32(1 / 255) * marks * np.float32(rng.uniform(0.3, 0.9)), 0, 0.75)
    return np.clip(picture + (252 - picture) * veil, 0, 255).astype(np.uint8)


def dots(rng, cover, scale):
    """The ink of the zone from a poor printer: needles (dots of a matrix), too much ink (dot gain), or a worn ribbon (broken strokes)."""
    kind = rng.integers(3)
    ink = cover.astype(np.float32)
    if kind == 0:
        pitch = scale / rng.uniform(11, 17)
        lattice = _waves(cover.shape, 0, pitch, rng.uniform(0, 6)) + _waves(cover.shape, np.pi / 2, pitch, rng.uniform(0, 6))
        ink = cv2.GaussianBlur(ink, (0, 0), pitch * 0.35) * np.clip(rng.uniform(0.45, 0.75) + 0.6 * lattice, 0, 1.1)
    elif kind == 1:
        # Ink that runs along the paper's fibres: the edge moves out, and unevenly.
        edge = rng.standard_normal(cover.shape).astype(np.float32)
        edge = cv2.GaussianBlur(edge, (0, 0), scale * rng.uniform(0.02, 0.05))
        spread = cv2.GaussianBlur(ink, (0, 0), scale * rng.uniform(0.035, 0.06)) / 255
        ink = 255 * np.clip((spread - rng.uniform(0.18, 0.32) + 0.09 * edge / edge.std()) * 5, 0, 1)
    else:
        voids = cv2.GaussianBlur(rng.standard_normal(cover.shape).astype(np.float32), (0, 0), scale * rng.uniform(0.025, 0.06))
        ink *= np.clip((rng.uniform(1.1, 1.7) - voids / voids.std()) * 3, 0, 1)
        for _ in range(rng.integers(0, 4)):
            # A heating element that fails leaves a line without ink along the text.
            row = int(rng.integers(cover.shape[0]))
            ink[row:row + max(1, int(scale * rng.uniform(0.02, 0.06)))] *= np.float32(rng.uniform(0, 0.5))
        ink = cv2.GaussianBlur(ink, (0, 0), scale * 0.012)
    return np.clip(ink, 0, 255).astype(np.uint8)


def moire(rng, picture, pitch):
    """Two fine gratings (a screen's or a print's, and the sensor's) that beat: bands that cross the characters."""
    height, width = picture.shape
    bend = camera.smooth_field(rng, height, width, 3) * np.float32(rng.uniform(0, 3))
    fine = rng.uniform(2.1, 3.2)
    first = _waves(picture.shape, rng.uniform(0, np.pi), fine, rng.uniform(0, 6), bend)
    beat = _waves(picture.shape, rng.uniform(0, np.pi), pitch * rng.uniform(0.3, 1.5), rng.uniform(0, 6), 2 * bend)
    strength = rng.uniform(0.12, 0.3)
    return np.clip(picture * (1 - np.float32(strength) * (0.45 * first + 0.55 * beat)), 0, 255).astype(np.uint8)


def rolling(rng, picture, pitch):
    """A rolling shutter while the hand moves: the rows shear, and tremble by a part of a character."""
    height, width = picture.shape
    rows = np.arange(height, dtype=np.float32)
    shear = rng.uniform(-0.1, 0.1)
    period, amount = pitch * rng.uniform(4, 20), pitch * rng.uniform(0.08, 0.3)
    shift = shear * (rows - height / 2) + amount * np.sin(2 * np.pi * rows / period + rng.uniform(0, 6))
    squeeze = rows + 0.3 * amount * np.sin(2 * np.pi * rows / period + rng.uniform(0, 6))
    xs = np.arange(width, dtype=np.float32)[None] + np.float32(shift)[:, None]
    ys = np.repeat(np.float32(squeeze)[:, None], width, 1)
    return cv2.remap(picture, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


# Where each is applied: to the page before it is photographed, to the ink of the zone, or to the picture.
ON_PAGE = {"hologram": hologram, "laminate": laminate}
ON_INK = {"dots": dots}
ON_PICTURE = {"moire": moire, "rolling": rolling}
NAMES = ["hologram", "laminate", "moire", "rolling", "dots"]
