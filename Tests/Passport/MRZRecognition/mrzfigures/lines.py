"""Training lines: lines of text in many drawings derived from Debian's OCRB.otf, printed, photographed and rectified with
the errors of the reader's grid. The line reader learns from them (`line_network.py`)."""
import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from . import camera
from .network import CLASSES, HEIGHT, NOTHING, REACH
from .paper import Papers
from .windows import ADVANCE, CAP, CELL_H, CELL_W, COLUMN, FONT, LINE, MIDDLE, PITCH, ROW, Scenes

LENGTH = 26                          # places of a training line
MARGIN = 52                          # columns of a strip before the first place's centre, as in LineStrip of the reader
COLUMNS = (LENGTH - 1) * 20 + 2 * MARGIN
CROP = MARGIN - 30                   # the network sees one empty place on either side
FONTS = 320
ROUNDS = 2                           # strips of a line, each with errors of its own


def fonts(rng, count):
    """`count` drawings of the 37 glyphs (CELL_H x CELL_W, uint8 coverage), each with a width, height, pen and skeleton of its own,
    the same for all characters of a line: a reader that sees neighbours can tell a wide 0 from an O."""
    big = 4
    size = big * PITCH / ADVANCE
    font = ImageFont.truetype(FONT, int(round(size)))
    w, h = CELL_W * big, CELL_H * big
    cells = []
    for character in CLASSES[:37]:
        image = Image.new("L", (w, h), 0)
        ImageDraw.Draw(image).text((w / 2 - ADVANCE * size / 2, h / 2 - MIDDLE * size), character, font=font, fill=255)
        cells.append(np.array(image))
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    drawn = []
    for _ in range(count):
        width, height = rng.uniform(0.90, 1.08), rng.uniform(0.93, 1.06)
        digits = rng.uniform(0.97, 1.03)
        bend = rng.uniform(0, 1.4) * big if rng.random() < 0.75 else 0
        pen = int(np.clip(rng.normal(1, 2.6), -5, 8))
        shape = cv2.MORPH_ELLIPSE if rng.random() < 0.7 else cv2.MORPH_RECT
        glyphs = []
        for k, cell in enumerate(cells):
            wide, tall = width * rng.uniform(0.975, 1.025), height * (digits if k < 10 else 1) * rng.uniform(0.99, 1.01)
            mx = (xs - w / 2) / wide + w / 2 + rng.normal(0, 0.4) * big
            my = (ys - h / 2) / tall + h / 2 + rng.normal(0, 0.3) * big
            if bend:
                mx = mx + bend * cv2.resize(rng.standard_normal((6, 5)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
                my = my + bend * cv2.resize(rng.standard_normal((6, 5)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
            image = cv2.remap(cell, np.float32(mx), np.float32(my), cv2.INTER_LINEAR)
            if pen:
                kernel = cv2.getStructuringElement(shape, (2 * abs(pen) + 1,) * 2)
                image = cv2.erode(image, kernel) if pen < 0 else cv2.dilate(image, kernel)
            glyphs.append(cv2.resize(image, (CELL_W, CELL_H), interpolation=cv2.INTER_AREA))
        drawn.append(np.stack(glyphs))
    return drawn


def text(rng, length):
    """Class numbers of one line. Most are without any rule, so that the network reads pictures and guesses no words."""
    mode = rng.random()
    if mode < 0.55:
        return rng.integers(0, 37, length)
    if mode < 0.75:
        line = rng.integers(0, 10, length)
        letters = rng.random(length) < 0.3
        line[letters] = rng.integers(10, 36, letters.sum())
    elif mode < 0.9:
        line = rng.integers(10, 36, length)
    else:
        line = np.full(length, 36)
        some = rng.random(length) < 0.5
        line[some] = rng.integers(0, 37, some.sum())
    for _ in range(rng.integers(0, 3)):
        start = rng.integers(0, length)
        line[start:start + rng.integers(1, 8)] = 36
    return line


def normalised(strip):
    """A strip (24 x COLUMNS luminance) as the reader's LineStrip has it."""
    strip = np.asarray(strip, np.float64) - 128
    sums = np.concatenate([[0], np.cumsum(strip.sum(0))])
    squares = np.concatenate([[0], np.cumsum((strip * strip).sum(0))])
    columns = np.arange(strip.shape[1])
    low, high = np.maximum(columns - REACH, 0), np.minimum(columns + REACH + 1, strip.shape[1])
    count = (high - low) * HEIGHT
    mean = (sums[high] - sums[low]) / count
    deviation = np.sqrt(np.maximum((squares[high] - squares[low]) / count - mean * mean, 0))
    return np.clip((mean - strip) / np.maximum(deviation, 2), -4, 4).astype(np.float32)


class LineScenes(Scenes):
    """Pages with three lines of LENGTH characters."""
    LENGTH = LENGTH
    WIDTH, TALL = (LENGTH + 5) * PITCH, int(3.6 * LINE)

    def __init__(self, bending, seed=2026):
        self.bending = bending
        ys, xs = np.mgrid[0:self.TALL, 0:self.WIDTH].astype(np.float32)
        self.grid = xs, ys
        self.papers = Papers(np.random.default_rng(11), 110, self.TALL + 300, self.WIDTH + 400, PITCH)
        self.fonts = fonts(np.random.default_rng([seed, 3]), FONTS)

    def lines(self, rng):
        """The page's ink (0...1) and its lines: class numbers, x of the first place, y."""
        ink = np.zeros((self.TALL, self.WIDTH), np.uint8)
        glyphs = self.fonts[rng.integers(len(self.fonts))]
        x0 = self.WIDTH / 2 - (self.LENGTH - 1) / 2 * PITCH
        line = LINE * rng.uniform(0.94, 1.08)
        jitter = rng.uniform(0, 1.3)
        lines = []
        for k in range(3):
            y = self.TALL / 2 + (k - 1) * line
            classes = text(rng, self.LENGTH)
            for i, c in enumerate(classes):
                cx, cy = x0 + i * PITCH + rng.uniform(-1, 1) * jitter, y + rng.uniform(-1, 1) * jitter
                left, top = int(round(cx - CELL_W / 2)), int(round(cy - CELL_H / 2))
                low, high = max(top, 0), min(top + CELL_H, self.TALL)
                part = ink[low:high, left:left + CELL_W]
                np.maximum(part, glyphs[c][low - top:high - top], out=part)
            lines.append((classes, x0, y))
        return np.float32(ink) / 255, lines

    def covered(self, rng, page):
        """What lies over the print: a laminate's sheen, a hologram."""
        if rng.random() < 0.2:
            amount = rng.uniform(0.05, 0.4)
            light = 1 - self.papers.piece(rng, *page.shape, 1.0)
            if rng.random() < 0.5:
                light = light * np.clip(camera.smooth_field(rng, *page.shape, int(rng.integers(2, 8))), 0, 1)
            page = page + (255 - page) * amount * light
        return page

    def screened(self, rng, picture, pitch):
        """What the sensor adds: moiré, and the softness of a zoom."""
        height, width = picture.shape
        if rng.random() < 0.12:
            ys, xs = np.ogrid[0:height, 0:width]
            angle, period = rng.uniform(0, np.pi), pitch * rng.uniform(0.15, 2.5)
            wave = np.sin(2 * np.pi / period * (np.cos(angle) * xs + np.sin(angle) * ys + 0.15 * xs * xs / width * rng.uniform(-1, 1)))
            picture = np.clip(picture * (1 + rng.uniform(0.02, 0.14) * np.float32(wave)) + 0.5, 0, 255).astype(np.uint8)
        if rng.random() < 0.12:
            factor = rng.uniform(0.55, 0.95)
            if pitch * factor > 7:
                small = cv2.resize(picture, (max(int(width * factor), 2), max(int(height * factor), 2)), interpolation=cv2.INTER_AREA)
                picture = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR if rng.random() < 0.5 else cv2.INTER_CUBIC)
        return picture

    def rectified(self, rng, picture, to_picture, x0, y, shift):
        """The strip of a line whose first place is moved by `shift` places, with the errors of the reader's grid."""
        n = (np.arange(COLUMNS) - MARGIN + 0.5) / 20          # places
        middle = n - LENGTH / 2
        bend = rng.uniform(-1, 1, 2) * np.array([1.6, 1.2]) if rng.random() < 0.5 else np.zeros(2)
        phase, waves = rng.uniform(0, 6.3, 2), rng.uniform(0.05, 0.35, 2)
        columns = 20 * (n + shift) + np.clip(rng.normal(0, 0.8), -2.2, 2.2) + rng.uniform(-0.1, 0.1) * middle + bend[0] * np.sin(waves[0] * n + phase[0])
        rows = rng.uniform(-1.7, 1.7) + rng.uniform(-0.06, 0.06) * middle + bend[1] * np.sin(waves[1] * n + phase[1])
        tall = 1 + np.clip(rng.normal(0, 0.05), -0.13, 0.13)
        slant = np.tan(np.deg2rad(rng.uniform(-9, 9)))
        down = np.arange(HEIGHT) + 0.5 - HEIGHT / 2
        page_x = x0 + columns[None] * COLUMN + (slant * down * ROW)[:, None]
        page_y = y + (rows[None] + down[:, None] * tall) * ROW
        map_x = to_picture[0, 0] * page_x + to_picture[0, 1] * page_y + to_picture[0, 2] - 0.5
        map_y = to_picture[1, 0] * page_x + to_picture[1, 1] * page_y + to_picture[1, 2] - 0.5
        return cv2.remap(picture, np.float32(map_x), np.float32(map_y), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)

    def strips(self, rng):
        """Strips and classes of one scene's lines."""
        ink, lines = self.lines(rng)
        page = self.covered(rng, self.printed(rng, ink, "text"))
        picture, to_picture, pitch = self.photographed(rng, page)
        picture = self.screened(rng, picture, pitch)
        if pitch > 24:
            # The reader averages when it shrinks.
            factor = rng.uniform(20, 25) / pitch
            height, width = picture.shape
            picture = cv2.resize(picture, (int(width * factor), int(height * factor)), interpolation=cv2.INTER_AREA)
            to_picture = to_picture * np.array([[picture.shape[1] / width], [picture.shape[0] / height]])
        for classes, x0, y in lines:
            for _ in range(ROUNDS):
                kind = rng.random()
                shift = int(rng.integers(-3, 4)) if kind < 0.1 else 0
                between = rng.choice([-1, 1]) * rng.uniform(0.42, 0.58) * LINE if kind > 0.98 else 0
                labels = np.full(LENGTH, NOTHING)
                if not between:
                    first, last = max(0, -shift), min(LENGTH, LENGTH - shift)
                    labels[first:last] = classes[first + shift:last + shift]
                yield self.rectified(rng, picture, to_picture, x0, y + between, shift), labels


def chunk(scenes, seed, number, count):
    """The inputs (int8, 127 = 4; N x 24 x 20 * (LENGTH + 2)) and classes (N x LENGTH) of `count` scenes."""
    rng = np.random.default_rng([seed, number, 8])
    inputs, classes = [], []
    for _ in range(count):
        for strip, labels in scenes.strips(rng):
            inputs.append(np.rint(normalised(strip)[:, CROP:-CROP] * (127 / 4)).astype(np.int8))
            classes.append(labels.astype(np.int8))
    return np.stack(inputs), np.stack(classes)
