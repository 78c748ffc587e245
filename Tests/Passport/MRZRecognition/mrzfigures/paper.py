"""Printed backgrounds: what lies under the characters."""
import cv2
import numpy as np

from .camera import smooth_field


def _lines(rng, height, width, unit):
    """Guilloche: a family of waved lines."""
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    total = np.zeros((height, width), np.float32)
    for _ in range(rng.integers(1, 4)):
        angle, pitch = rng.uniform(0, np.pi), unit * rng.uniform(0.12, 0.8)
        u = np.cos(angle) * xs + np.sin(angle) * ys
        v = -np.sin(angle) * xs + np.cos(angle) * ys
        wave = rng.uniform(0, 2) * np.sin(v / (unit * rng.uniform(0.5, 3)) + rng.uniform(0, 6))
        wave += rng.uniform(0, 2) * np.sin(v / (unit * rng.uniform(1, 8)) + u / (unit * rng.uniform(2, 9)))
        phase = np.sin(2 * np.pi * u / pitch + wave)
        total += np.clip((phase - rng.uniform(0.1, 0.8)) * 3, 0, 1) if rng.random() < 0.6 else phase * 0.5 + 0.5
    return total / max(total.max(), 1e-3)


def _dots(rng, height, width, unit):
    """A dot screen whose dots grow with a smooth picture."""
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    angle, pitch = rng.uniform(0, np.pi), unit * rng.uniform(0.1, 0.4)
    u = (np.cos(angle) * xs + np.sin(angle) * ys) * (2 * np.pi / pitch)
    v = (-np.sin(angle) * xs + np.cos(angle) * ys) * (2 * np.pi / pitch)
    screen = np.cos(u) + np.cos(v)
    return np.clip((screen + smooth_field(rng, height, width, 5)) * rng.uniform(0.5, 3), 0, 1)


def _fibres(rng, height, width, unit):
    """Short bent fibres."""
    picture = np.zeros((height, width), np.uint8)
    for _ in range(int(height * width / unit ** 2 * rng.uniform(0.3, 2))):
        x, y, angle = rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0, 6.3)
        points = [(x, y)]
        bend = rng.uniform(-0.6, 0.6)
        for _ in range(5):
            angle += bend
            x, y = x + np.cos(angle) * unit * 0.2, y + np.sin(angle) * unit * 0.2
            points.append((x, y))
        cv2.polylines(picture, [np.int32(points)], False, int(rng.integers(80, 255)), int(rng.integers(1, 3)), cv2.LINE_AA)
    return picture.astype(np.float32) / 255


def _blobs(rng, height, width, unit):
    """Like a piece of a portrait: soft shapes of several sizes with edges."""
    field = smooth_field(rng, height, width, 4) + 0.6 * smooth_field(rng, height, width, 11)
    if rng.random() < 0.5:
        field += 0.4 * np.sign(smooth_field(rng, height, width, 7))
    field += 0.25 * smooth_field(rng, height, width, 60)
    return np.clip(field * 0.35 + 0.5, 0, 1)


def _grain(rng, height, width, unit):
    field = rng.standard_normal((height, width)).astype(np.float32)
    field = cv2.GaussianBlur(field, (0, 0), unit * rng.uniform(0.015, 0.12))
    return np.clip(field / field.std() * 0.25 + 0.5, 0, 1)


def pattern(rng, height, width, unit):
    """A pattern of ink, 0 (paper) ... 1 (ink); `unit` is the pitch of the characters in pixels."""
    kind = rng.choice([_lines, _lines, _lines, _dots, _fibres, _blobs, _grain])
    return kind(rng, height, width, unit).astype(np.float32)


class Papers:
    """A pool of printed papers, made once; each use takes a random piece of one or two."""

    def __init__(self, rng, count, height, width, unit):
        self.patterns = [np.float16(pattern(rng, height, width, unit)) for _ in range(count)]

    def piece(self, rng, height, width, strength):
        """The share of light that the paper gives back: 1 - up to `strength` of ink."""
        if rng.random() < 0.15:
            return np.ones((height, width), np.float32)
        total = None
        for _ in range(1 + (rng.random() < 0.4)):
            whole = self.patterns[rng.integers(len(self.patterns))]
            y, x = rng.integers(0, whole.shape[0] - height + 1), rng.integers(0, whole.shape[1] - width + 1)
            piece = whole[y:y + height, x:x + width]
            if rng.random() < 0.5:
                piece = piece[:, ::-1]
            if rng.random() < 0.5:
                piece = piece[::-1]
            part = 1 - np.float32(piece) * np.float32(strength * rng.uniform(0.2, 1))
            total = part if total is None else total * part
        return total
