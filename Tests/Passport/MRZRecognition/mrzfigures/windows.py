"""Training windows: text in one drawing of OCR-B (Debian's OCRB.otf), printed, photographed and rectified with errors."""
import glob
import os

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from . import camera
from .network import CLASSES, HEIGHT, NOTHING, normalised
from .paper import Papers

FONT = "/usr/share/fonts/opentype/ocr-b/OCRB.otf"
ADVANCE = 0.723                      # of the em
MIDDLE = 0.5725                      # from the ascender line down to the middle of the mean of H and 0, of the em
CAP = 0.755                          # the mean height of H and 0, of the em
PITCH = 48                           # pixels of the drawn page per character
LINE = PITCH * 6.35 / 2.54
CELL_W, CELL_H = 72, 96
STRIP, CENTRE = 104, 52
COLUMN = PITCH / 20                  # pixels of the page per column of the canonical strip
ROW = CAP / ADVANCE * PITCH / 18     # and per row
SYMMETRIC = set("08HINOSXZ")


def drawn_glyphs():
    """Per width and stroke weight the 37 glyphs as coverage, 0...1, centred in their cells.

    Other drawings of OCR-B differ in the glyphs' width by a few per cent, so the one drawing is used in three widths.
    """
    big = 10
    size = 664                       # an advance of 480 pixels
    font = ImageFont.truetype(FONT, size)
    cells = []
    for character in CLASSES[:37]:
        image = Image.new("L", (CELL_W * big, CELL_H * big), 0)
        x = CELL_W * big / 2 - ADVANCE * size / 2
        y = CELL_H * big / 2 - MIDDLE * size
        ImageDraw.Draw(image).text((x, y), character, font=font, fill=255)
        cells.append(np.array(image))
    widths = []
    for width in (1.0, 0.93, 1.06):
        middle = CELL_W * big / 2 - 0.5
        wide = [cv2.warpAffine(c, np.float32([[width, 0, middle * (1 - width)], [0, 1, 0]]), (CELL_W * big, CELL_H * big)) for c in cells]
        weights = []
        for radius in (-15, -11, -7, -3, 0, 4, 8, 13, 18):
            kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(radius) + 1,) * 2)
            change = cv2.erode if radius < 0 else cv2.dilate
            weights.append([
                cv2.resize(change(cell, kernel) if radius else cell, (CELL_W, CELL_H), interpolation=cv2.INTER_AREA)
                .astype(np.float32) / 255 for cell in wide])
        widths.append(weights)
    return widths


def upside_down_set(glyphs):
    """The characters that, turned by 180 degrees, look like no character."""
    blurred = [cv2.GaussianBlur(g, (0, 0), 1.5) for g in glyphs]
    rows = []
    for g in blurred:
        best = -1.0
        turned = np.ascontiguousarray(g[18:-18, 8:-8][::-1, ::-1])
        for other in blurred:
            best = max(best, cv2.matchTemplate(turned, np.ascontiguousarray(other[22:-22, 12:-12]), cv2.TM_CCOEFF_NORMED).max())
        rows.append(best)
    return [i for i, r in enumerate(rows) if r < 0.88 and CLASSES[i] not in SYMMETRIC]


def random_line(rng, length):
    """Class numbers of one line: all classes, runs of '<', names and numbers as real zones have them."""
    mode = rng.random()
    if mode < 0.45:
        line = rng.integers(0, 37, length)
    elif mode < 0.65:
        line = rng.integers(10, 36, length)
        for _ in range(rng.integers(1, 3)):
            start = rng.integers(0, length)
            line[start:start + rng.integers(1, 8)] = 36
    elif mode < 0.9:
        line = rng.integers(0, 10, length)
        letters = rng.random(length) < 0.3
        line[letters] = rng.integers(10, 36, letters.sum())
    else:
        line = np.full(length, 36)
        some = rng.random(length) < 0.5
        line[some] = rng.integers(0, 37, some.sum())
    return line


class Bending:
    """How the shapes are bent, since drawings differ: the share of bent scenes, by how many pixels (48 are a character), with
    how many hills across the page."""

    def __init__(self, share, amount, hills):
        self.share, self.amount, self.hills = share, amount, hills

    def bent(self, rng, ink, grid):
        if rng.random() >= self.share:
            return ink
        amount = rng.uniform(*self.amount)
        low, high = self.hills
        hills = low if low == high else int(rng.integers(low, high))
        xs = grid[0] + amount * camera.smooth_field(rng, *ink.shape, hills)
        ys = grid[1] + amount * camera.smooth_field(rng, *ink.shape, hills)
        return cv2.remap(ink, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


class Scenes:
    LENGTH = 14
    WIDTH, TALL = (LENGTH + 5) * PITCH, int(3.6 * LINE)

    def __init__(self, bending):
        self.bending = bending
        self.widths = drawn_glyphs()
        self.turnable = upside_down_set(self.widths[0][4])
        ys, xs = np.mgrid[0:self.TALL, 0:self.WIDTH].astype(np.float32)
        self.grid = xs, ys
        self.papers = Papers(np.random.default_rng(11), 160, self.TALL + 300, self.WIDTH + 400, PITCH)
        names = sorted(glob.glob("/usr/share/fonts/truetype/dejavu/*.ttf"))
        names += [n for n in ("/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", "/usr/share/fonts/truetype/noto/NotoSans-Bold.ttf",
                              "/usr/share/fonts/truetype/noto/NotoSerif-Regular.ttf") if os.path.exists(n)]
        self.others = [ImageFont.truetype(n, s) for n in names for s in (34, 48, 64, 80)]

    def ink(self, rng, kind):
        """The coverage of ink and the true places: (class, x, y of the cell's centre on the page)."""
        ink = np.zeros((self.TALL, self.WIDTH), np.float32)
        places = []
        if kind in ("blank", "bare"):
            return ink, places
        if kind == "pattern":
            return self.regular(rng), places
        if kind == "other":
            image = Image.new("L", (self.WIDTH, self.TALL), 0)
            draw = ImageDraw.Draw(image)
            y = rng.integers(0, 40)
            while y < self.TALL:
                font = self.others[rng.integers(len(self.others))]
                letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz 0123456789.,-/ "
                text = "".join(letters[i] for i in rng.integers(0, len(letters), 50))
                draw.text((int(rng.integers(-30, 30)), int(y)), text, font=font, fill=255)
                y += int(font.size * rng.uniform(1.1, 1.8))
            return np.asarray(image, np.float32) / 255, places
        glyphs = self.widths[rng.integers(3)][int(np.clip(rng.normal(4, 1.9), 0, 8))]
        line = LINE * rng.uniform(0.94, 1.08)
        x0 = self.WIDTH / 2 - (self.LENGTH - 1) / 2 * PITCH
        for k in range(3):
            y = self.TALL / 2 + (k - 1) * line
            for i, c in enumerate(random_line(rng, self.LENGTH)):
                if kind == "turned":
                    c = self.turnable[rng.integers(len(self.turnable))]
                # Printers place characters a little off their grid.
                cx, cy = x0 + i * PITCH + rng.uniform(-1.2, 1.2), y + rng.uniform(-1, 1)
                left, top = int(round(cx - CELL_W / 2)), int(round(cy - CELL_H / 2))
                if top < 0 or top + CELL_H > self.TALL:
                    continue
                glyph = glyphs[c][::-1, ::-1] if kind == "turned" else glyphs[c]
                part = ink[top:top + CELL_H, left:left + CELL_W]
                np.maximum(part, glyph, out=part)
                places.append((int(c), x0 + i * PITCH, y, i))
        return ink, places

    def regular(self, rng):
        """Dots, strokes or weaves that repeat at the pitch of characters, at any angle."""
        xs, ys = self.grid
        angle = rng.uniform(-0.15, 0.15) if rng.random() < 0.5 else rng.uniform(0, np.pi)
        across, down = COLUMN * rng.uniform(8, 30), ROW * rng.uniform(8, 45)
        u = (np.cos(angle) * xs + np.sin(angle) * ys) / across
        v = (-np.sin(angle) * xs + np.cos(angle) * ys) / down
        if rng.random() < 0.3:
            u = u + 0.5 * np.floor(v)
        if rng.random() < 0.3:
            u = u + rng.uniform(-0.6, 0.6) * v
        kind = rng.integers(4)
        if kind == 0:
            field = np.cos(2 * np.pi * u) + np.cos(2 * np.pi * v)
        elif kind == 1:
            field = 2 * np.cos(2 * np.pi * u)
        elif kind == 2:
            field = 2 * np.cos(2 * np.pi * u) * np.cos(2 * np.pi * v)
        else:
            field = 2 - 8 * np.maximum(np.abs(u - np.rint(u)) / rng.uniform(0.3, 1.2), np.abs(v - np.rint(v)) / rng.uniform(0.3, 1.2))
        return np.clip((field - rng.uniform(-0.8, 1.4)) * rng.uniform(0.4, 6), 0, 1).astype(np.float32)

    def printed(self, rng, ink, kind):
        """Ink on paper: spread, breaks, faint ink, the paper's own print."""
        height, width = ink.shape
        if kind == "bare":
            # Paper without print, whose noise is all that the normalisation can enlarge.
            return np.full((height, width), rng.uniform(60, 250), np.float32) + rng.uniform(0, 3) * camera.smooth_field(rng, height, width, 5)
        ink = self.bending.bent(rng, ink, self.grid)
        if rng.random() < 0.6:
            ink = cv2.GaussianBlur(ink, (0, 0), rng.uniform(0.5, 2.6))
            if rng.random() < 0.6:
                threshold = rng.uniform(0.35, 0.6)
                ink = np.clip((ink - threshold) * rng.uniform(2, 6) + 0.5, 0, 1)
        if rng.random() < 0.35:
            field = camera.smooth_field(rng, height, width, int(rng.integers(20, 120)))
            ink = ink * np.clip(1.2 - np.maximum(field - rng.uniform(0.3, 2), 0) * rng.uniform(0.5, 3), 0, 1)
        darkness = 1 - 0.65 * rng.uniform(0, 1) ** 1.4
        strength = 0.7 * rng.uniform(0, 1) ** 1.4 * (0.3 + 0.7 * darkness)
        paper = self.papers.piece(rng, height, width, strength) * rng.uniform(0.55, 1.0)
        return 250 * paper * (1 - darkness * ink)

    def photographed(self, rng, page):
        """The camera's picture (uint8), the map from the page to it (2 x 3, continuous coordinates), its pitch."""
        pitch = float(np.exp(rng.uniform(np.log(7.5), np.log(40))))
        scale = pitch / PITCH
        angle = np.deg2rad(rng.normal(0, 5) if rng.random() < 0.7 else rng.uniform(-180, 180))
        tall, slant = rng.uniform(0.8, 1.06), rng.normal(0, 0.03)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        linear = turn @ np.array([[scale, scale * slant], [0, scale * tall]])
        height, width = page.shape
        corners = linear @ np.array([[0, width, 0, width], [0, 0, height, height]], float)
        low, high = corners.min(1), corners.max(1)
        w, h = np.ceil(high - low).astype(int) + 2
        shift = -low + rng.uniform(0, 1, 2)
        # The sensor's pixels are areas: drawn at twice the resolution, then averaged.
        shrink = min(1.0, 2.3 * pitch / PITCH)
        small = page
        if shrink < 0.9:
            small = cv2.resize(page, (int(width * shrink), int(height * shrink)), interpolation=cv2.INTER_AREA)
        fx, fy = small.shape[1] / width, small.shape[0] / height
        double = np.zeros((2, 3))
        double[:, :2] = 2 * linear / np.array([fx, fy])
        double[:, 2] = 2 * shift + double[:, :2] @ [0.5, 0.5] - 0.5
        picture = cv2.warpAffine(small, double, (2 * w, 2 * h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        picture = cv2.resize(picture, (w, h), interpolation=cv2.INTER_AREA)
        # Legible pictures are the most frequent: there the network has to be sure, not only right.
        hard = rng.uniform(0, 1) ** 1.6
        picture = camera.lit(picture, rng, rng.uniform(0, 0.8) * hard, rng.uniform(0.1, 0.7) if rng.random() < 0.3 else 0,
                             rng.uniform(0.1, 0.8) if rng.random() < 0.2 else 0)
        picture = camera.defocused(picture, rng, pitch * 0.17 * rng.uniform(0, 1) ** 1.3 * (0.25 + 0.75 * hard))
        if rng.random() < 0.5:
            picture = camera.moved(picture, rng, pitch * 0.42 * rng.uniform(0, 1) * (0.3 + 0.7 * hard))
        picture = camera.exposed(picture, rng.uniform(0.6, 1.5), rng.uniform(0.5, 1.15))
        picture = camera.noisy(picture, rng, 15 * rng.uniform(0, 1) ** 2 * (0.2 + 0.8 * hard))
        if rng.random() < 0.5:
            picture = camera.sharpened(picture, rng.uniform(0.2, 1.8), rng.uniform(0.6, 2.0))
        picture = camera.jpeg(picture, rng.integers(25, 96) if rng.random() < 0.75 else None)
        return picture, np.hstack([linear, shift[:, None]]), pitch

    def strip(self, rng, picture, to_picture, x, y, dx, dy, exact=False):
        """The canonical strip whose column 52, row 12 shows the page's (x, y) moved by dx columns and dy rows."""
        wide, tall, angle, slant = (0, 0, 0, 0) if exact else (
            rng.uniform(-0.06, 0.06), rng.uniform(-0.12, 0.12), rng.uniform(-2, 2), rng.uniform(-13, 13))
        a, s = np.deg2rad(angle), np.tan(np.deg2rad(slant))
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        to_page = turn @ np.array([[COLUMN / (1 + wide), s * ROW], [0, ROW / (1 + tall)]])
        linear = to_picture[:, :2] @ to_page
        origin = to_picture[:, :2] @ [x, y] + to_picture[:, 2] - linear @ [CENTRE + dx, HEIGHT / 2 + dy]
        matrix = np.hstack([linear, (origin + linear @ [0.5, 0.5] - 0.5)[:, None]])
        return cv2.warpAffine(picture, matrix, (STRIP, HEIGHT), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                              borderMode=cv2.BORDER_REPLICATE)

    def windows(self, rng):
        """Strips, their first and last columns, and classes, of one scene."""
        kind = str(rng.choice(["text", "other", "turned", "blank", "bare", "pattern"], p=[0.7, 0.08, 0.06, 0.04, 0.04, 0.08]))
        ink, places = self.ink(rng, kind)
        picture, to_picture, pitch = self.photographed(rng, self.printed(rng, ink, kind))
        if pitch > 24:
            # The reader averages when it shrinks.
            factor = rng.uniform(20, 25) / pitch
            height, width = picture.shape
            picture = cv2.resize(picture, (int(width * factor), int(height * factor)), interpolation=cv2.INTER_AREA)
            to_picture = to_picture * np.array([[picture.shape[1] / width], [picture.shape[0] / height]])
        strips, first, last, classes = [], [], [], []

        def add(c, x, y, dx, dy, edge=None):
            strips.append(self.strip(rng, picture, to_picture, x, y, dx, dy))
            low, high = 0, STRIP
            if edge is not None:
                # A strip ends near the line's ends, on either side.
                if edge[0] < 2.2:
                    low = int(np.clip(CENTRE + dx - 20 * edge[0] - rng.uniform(12, 30), 0, CENTRE - 12))
                if edge[1] < 2.2:
                    high = int(np.clip(CENTRE + dx + 20 * edge[1] + rng.uniform(12, 30), CENTRE + 12, STRIP))
            first.append(low)
            last.append(high)
            classes.append(c)

        if kind in ("other", "blank", "bare", "pattern"):
            for _ in range(8 if kind in ("blank", "bare") else 12):
                add(NOTHING, rng.uniform(2, 16) * PITCH, rng.uniform(60, self.TALL - 60), 0, 0)
        elif kind == "turned":
            for k in rng.choice(len(places), 10, replace=False):
                c, x, y, i = places[k]
                add(NOTHING, x, y, rng.uniform(-10, 10), rng.uniform(-1.5, 1.5))
        else:
            for c, x, y, i in places:
                if c == 36 and rng.random() < 0.6:
                    continue
                edge = (i, self.LENGTH - 1 - i) if rng.random() < 0.7 else None
                add(c, x, y, rng.uniform(-2.5, 2.5), rng.uniform(-1.5, 1.5), edge)
            for k in rng.choice(len(places), 10, replace=False):
                c, x, y, i = places[k]
                which = rng.random()
                if which < 0.72:
                    side = 1 if rng.random() < 0.5 else -1
                    off = rng.uniform(6, 10)
                    if (i == 0 and side > 0) or (i == self.LENGTH - 1 and side < 0):
                        off = rng.uniform(6, 45)
                    edge = (i, self.LENGTH - 1 - i) if rng.random() < 0.7 else None
                    add(NOTHING, x, y, side * off, rng.uniform(-1.5, 1.5), edge)
                else:
                    add(NOTHING, x, y, rng.uniform(-10, 10), rng.choice([-1, 1]) * rng.uniform(8, 21.5))
        return np.stack(strips), np.array(first), np.array(last), np.array(classes)


def chunk(scenes, seed, number, count):
    """The inputs (as int8, 127 = 4) and classes of `count` scenes."""
    rng = np.random.default_rng([seed, number])
    inputs, classes = [], []
    for _ in range(count):
        strips, first, last, c = scenes.windows(rng)
        x = normalised(strips, CENTRE, first, last)
        inputs.append(np.rint(x * (127 / 4)).astype(np.int8))
        classes.append(c.astype(np.int8))
    return np.concatenate(inputs), np.concatenate(classes)
