"""Whole camera frames with the truth: a document that lies on a table, photographed."""
import glob
import os

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from . import camera, defects, drawings, fonts, paper, zones
from .network import CLASSES

RESOLUTIONS = [(640, 480), (1280, 720), (1920, 1080)]
LEVELS = ["0", "1", "2", "3", "4", "5", "turned"]
SIZES = {"TD1": (85.6, 54.0), "TD2": (105.0, 74.0), "TD3": (125.0, 88.0), "MRV-A": (120.0, 80.0), "MRV-B": (105.0, 74.0),
         "FRENCH-ID": (105.0, 74.0)}
PITCH_MM, LINE_MM = 2.54, 6.35
SCALES = (20, 32, 48)                # pixels of the page's bitmap per character
TEMPLATES = 6                        # pages per format

# Lengths of blur and motion are in characters' pitches. What each level means is in README.md.
LEVEL = {
    "0": dict(pitch=(14, 28), tilt=3, turn=2, blur=(0, 0.02), motion=0, noise=(0, 1), ink=(0.85, 1), print=0.2, glare=0, shadow=0,
              light=0.1, jpeg=(92, 97)),
    "1": dict(pitch=(12, 28), tilt=8, turn=6, blur=(0.01, 0.05), motion=0.06, noise=(1, 3), ink=(0.75, 1), print=0.3, glare=0.05, shadow=0.1,
              light=0.3, jpeg=(85, 95)),
    "2": dict(pitch=(10, 26), tilt=13, turn=10, blur=(0.03, 0.08), motion=0.14, noise=(2, 5), ink=(0.65, 1), print=0.4, glare=0.12, shadow=0.2,
              light=0.5, jpeg=(70, 92)),
    "3": dict(pitch=(9, 24), tilt=18, turn=15, blur=(0.06, 0.11), motion=0.22, noise=(4, 8), ink=(0.55, 0.95), print=0.5, glare=0.2, shadow=0.3,
              light=0.6, jpeg=(50, 85)),
    "4": dict(pitch=(8, 20), tilt=22, turn=20, blur=(0.09, 0.14), motion=0.3, noise=(6, 11), ink=(0.45, 0.9), print=0.55, glare=0.3, shadow=0.4,
              light=0.7, jpeg=(35, 70)),
    "5": dict(pitch=(8, 16), tilt=25, turn=25, blur=(0.12, 0.18), motion=0.4, noise=(8, 15), ink=(0.35, 0.8), print=0.6, glare=0.4, shadow=0.5,
              light=0.8, jpeg=(25, 50)),
}
LEVEL["turned"] = LEVEL["1"]
# A set of its own: frames of level 1 with one defect each, about as strong as level 2.
DEFECTS = defects.NAMES
LEVEL.update({name: dict(LEVEL["1"], defect=name) for name in DEFECTS})


def _portrait(rng, height, width):
    """A head with shoulders, and texture over it."""
    image = np.full((height, width), rng.uniform(150, 220), np.float32)
    skin = rng.uniform(90, 200)
    cv2.ellipse(image, (width // 2, int(height * 1.02)), (int(width * 0.46), int(height * 0.33)), 0, 0, 360, rng.uniform(20, 120), -1)
    cv2.ellipse(image, (width // 2, int(height * 0.4)), (int(width * 0.29), int(height * 0.33)), 0, 0, 360, rng.uniform(20, 90), -1)
    cv2.ellipse(image, (width // 2, int(height * 0.46)), (int(width * 0.23), int(height * 0.27)), 0, 0, 360, skin, -1)
    for side in (-1, 1):
        cv2.ellipse(image, (int(width * (0.5 + 0.1 * side)), int(height * 0.42)), (width // 26, height // 60), 0, 0, 360, skin * 0.3, -1)
    cv2.ellipse(image, (width // 2, int(height * 0.58)), (width // 11, height // 60), 0, 0, 360, skin * 0.6, -1)
    image = cv2.GaussianBlur(image, (0, 0), width / 60)
    return image + 12 * camera.smooth_field(rng, height, width, 14)


class Pages:
    """Pages of every format without their zones, at three scales; at others on demand."""

    def __init__(self, seed=5):
        file = os.path.join(drawings.CACHE, f"pages-{seed}-4.npz")
        if os.path.exists(file):
            loaded = np.load(file)
            self.bitmaps = {tuple(k.split("|")): loaded[k] for k in loaded.files}
        else:
            rng = np.random.default_rng(seed)
            self.bitmaps = {}
            for form in zones.FORMATS:
                for k in range(TEMPLATES):
                    page, under = self._page(rng, form)
                    for scale in SCALES:
                        w, h = (int(round(s / PITCH_MM * scale)) for s in SIZES[form])
                        self.bitmaps[form, str(k), str(scale), "page"] = cv2.resize(page, (w, h), interpolation=cv2.INTER_AREA)
                        self.bitmaps[form, str(k), str(scale), "print"] = cv2.resize(under, (w, h), interpolation=cv2.INTER_AREA)
            for k in range(10):
                self.bitmaps["table", str(k)] = self._table(rng)
            os.makedirs(drawings.CACHE, exist_ok=True)
            np.savez(file, **{"|".join(k): v for k, v in self.bitmaps.items()})

    def bitmap(self, form, template, scale, part):
        key = form, str(template)
        if (*key, str(scale), part) in self.bitmaps:
            return self.bitmaps[(*key, str(scale), part)]
        w, h = (int(round(s / PITCH_MM * scale)) for s in SIZES[form])
        whole = self.bitmaps[(*key, str(SCALES[-1]), part)]
        return cv2.resize(whole, (w, h), interpolation=cv2.INTER_AREA if scale < SCALES[-1] else cv2.INTER_CUBIC)

    def _page(self, rng, form):
        """The page (light that it gives back at no printed background) and its printed background's ink, both 0...255."""
        scale = SCALES[-1]
        w, h = (int(round(s / PITCH_MM * scale)) for s in SIZES[form])
        mm = scale / PITCH_MM
        page = np.full((h, w), 250.0, np.float32)
        image = Image.fromarray(np.zeros((h, w), np.uint8))
        draw = ImageDraw.Draw(image)
        names = sorted(glob.glob("/usr/share/fonts/truetype/dejavu/*.ttf"))
        zone_top = h - int((LINE_MM * (3 if form == "TD1" else 2) + 5) * mm)
        left, top = int(rng.uniform(4, 8) * mm), int(rng.uniform(10, 16) * mm)
        ph, pw = min(int(45 * mm), zone_top - top - int(2 * mm)), int(33 * mm)
        if form not in ("MRV-A", "MRV-B") or rng.random() < 0.7:
            pw = int(ph * 0.78)
            page[top:top + ph, left:left + pw] = _portrait(rng, ph, pw)
        else:
            pw = 0
        x0 = left + pw + int(4 * mm)
        big = ImageFont.truetype(str(rng.choice(names)), int(rng.uniform(4, 6) * mm))
        draw.text((int(rng.uniform(4, 40) * mm), int(2 * mm)), str(rng.choice(["PASSPORT", "IDENTITY CARD", "VISA", "RESIDENCE PERMIT"])), font=big, fill=230)
        y = top
        label = ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", int(1.7 * mm))
        value = ImageFont.truetype(str(rng.choice(names)), int(rng.uniform(2.6, 3.4) * mm))
        ocr = ImageFont.truetype("/usr/share/fonts/opentype/ocr-b/OCRB.otf", int(3.4 * mm))
        while y < zone_top - 7 * mm:
            draw.text((x0, y), "Name / Nom / No", font=label, fill=150)
            text = str(rng.choice([zones.word(rng), zones.word(rng).title() + " " + zones.word(rng).title(), zones.number(rng, 9).replace("<", ""),
                                   "12 JAN 19" + zones.date(rng)[:2]]))
            draw.text((x0, int(y + 2 * mm)), text, font=ocr if rng.random() < 0.15 else value, fill=240)
            if x0 + 40 * mm < w:
                draw.text((int(x0 + 35 * mm), int(y + 2 * mm)), zones.word(rng), font=value, fill=240)
            y += rng.uniform(6, 8) * mm
        page = page * (1 - np.asarray(image, np.float32) / 255 * 0.9)
        under = paper.pattern(rng, h, w, scale)
        if rng.random() < 0.6:
            under = 0.6 * under + 0.5 * paper.pattern(rng, h, w, scale)
        return np.clip(page, 0, 255).astype(np.uint8), np.clip(under * 255, 0, 255).astype(np.uint8)

    def _table(self, rng):
        w, h = 2400, 1500
        field = 0.5 + 0.2 * camera.smooth_field(rng, h, w, int(rng.integers(2, 12)))
        kind = rng.random()
        if kind < 0.4:
            grain = cv2.GaussianBlur(rng.standard_normal((h, w)).astype(np.float32), (0, 0), sigmaX=rng.uniform(20, 60), sigmaY=rng.uniform(0.8, 2))
            field += 0.25 * grain / grain.std()
        elif kind < 0.7:
            field += 0.4 * (paper.pattern(rng, h, w, 60) - 0.5)
        elif kind < 0.85:
            image = Image.new("L", (w, h), 0)
            draw = ImageDraw.Draw(image)
            font = ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", int(rng.integers(18, 44)))
            for y in range(0, h, int(font.size * 1.5)):
                draw.text((20, y), " ".join(zones.word(rng).lower() for _ in range(40)), font=font, fill=255)
            field += 0.4 - np.asarray(image, np.float32) / 255 * 0.8
        return np.clip(field * rng.uniform(80, 240), 12, 250).astype(np.uint8)


class Frames:
    def __init__(self, group="schwarz"):
        """- group: which drawings documents have: "schwarz" (METAFONT's and their kin), "other" (other makers'), or "all"."""
        cv2.setNumThreads(1)
        self.pages = Pages()
        self.masters = {}
        if group in ("schwarz", "all"):
            self.masters.update(drawings.all_drawings())
        if group in ("other", "all"):
            self.masters.update(fonts.other_drawings())
        self.names = list(self.masters)
        self.cells = {}

    def glyphs(self, name, scale):
        """The cells of a drawing with `scale` pixels a character."""
        if (name, scale) not in self.cells:
            w, h = int(drawings.CELL_W * scale / 96), int(drawings.CELL_H * scale / 96)
            self.cells[name, scale] = [cv2.resize(g, (w, h), interpolation=cv2.INTER_AREA) for g in self.masters[name]]
        return self.cells[name, scale]

    def document(self, rng, form=None, drawing=None, kind=None):
        """What is printed: format, text, drawing, and where the zone stands on the page (mm). `kind`: see `zones.NUMBERS`."""
        form = form or str(rng.choice(zones.FORMATS))
        return dict(form=form, text=zones.zone(rng, form, kind), drawing=drawing or str(rng.choice(self.names)),
                    template=int(rng.integers(TEMPLATES)), line=LINE_MM * rng.uniform(0.96, 1.04), bottom=rng.uniform(6, 9.5),
                    pitch=PITCH_MM * rng.uniform(0.98, 1.02), aside=rng.uniform(-1, 1), seed=int(rng.integers(1 << 30)))

    def drawn(self, document, scale, ink, printed, defect=None, worn=True):
        """The page's bitmap with the zone; the zone's corners on it. `worn`: with ink that spreads or is pale, on some pages."""
        page, under = (self.pages.bitmap(document["form"], document["template"], scale, part) for part in ("page", "print"))
        page = cv2.multiply(page, cv2.convertScaleAbs(under, alpha=-printed, beta=255), scale=1 / 255) if printed > 0 else page.copy()
        # convertScaleAbs takes the absolute value: alpha * 255 stays above -255 as printed < 1.
        lines = document["text"].split("\n")
        mm = scale / PITCH_MM
        pitch = document["pitch"] * mm
        columns = len(lines[0])
        height, width = page.shape
        x0 = (width - (columns - 1) * pitch) / 2 + document["aside"] * mm
        cells = self.glyphs(document["drawing"], scale)
        ch, cw = cells[0].shape
        bottom = height - document["bottom"] * mm
        rng = np.random.default_rng(document["seed"])
        top_y = bottom - (len(lines) - 1) * document["line"] * mm
        band_top, band_bottom = int(max(top_y - ch, 0)), int(min(bottom + ch, height))
        cover = np.zeros((band_bottom - band_top, width), np.uint8)
        for k, line in enumerate(lines):
            y = top_y + k * document["line"] * mm - band_top - ch / 2
            jitter = rng.uniform(-0.02, 0.02, (len(line), 2)) * scale
            for i, c in enumerate(line):
                top, left = int(round(y + jitter[i, 1])), int(round(x0 + i * pitch - cw / 2 + jitter[i, 0]))
                glyph = cells[36 if c == "<" else CLASSES.index(c)]
                low, high = max(top, 0), min(top + ch, cover.shape[0])
                part = cover[low:high, left:left + cw]
                np.maximum(part, glyph[low - top:high - top], out=part)
        spread = rng.random() if worn else 0.5
        if spread < 0.4:
            # Ink that spreads, or a pale ribbon.
            cover = cv2.GaussianBlur(cover, (0, 0), scale * rng.uniform(0.01, 0.05))
            cover = cv2.convertScaleAbs(cover, alpha=rng.uniform(0.85, 1.5))
        if spread > 0.75:
            field = camera.smooth_field(rng, cover.shape[0], cover.shape[1], int(rng.integers(20, 100)))
            cover = cv2.multiply(cover, np.uint8(255 * np.clip(1.15 - 0.5 * np.maximum(field - 0.6, 0), 0, 1)), scale=1 / 255)
        if defect in defects.ON_INK:
            cover = defects.ON_INK[defect](rng, cover, scale)
        band = page[band_top:band_bottom]
        cv2.multiply(band, cv2.convertScaleAbs(cover, alpha=-ink, beta=255), dst=band, scale=1 / 255)
        if defect in defects.ON_PAGE:
            page = defects.ON_PAGE[defect](rng, page, scale)
        left, right = x0 - 0.6 * pitch, x0 + (columns - 0.4) * pitch
        up, down = top_y - 0.6 * pitch, bottom + 0.6 * pitch
        return page, np.array([[left, up], [right, up], [right, down], [left, down]])

    def frame(self, rng, document, level, size, steady=None):
        """A picture (uint8) of the document. `steady`: the pose (a dictionary that is filled at the first frame of a sequence)."""
        width, height = size
        plan = LEVEL[level]
        columns = zones.COLUMNS[document["form"]]
        pose = steady if steady is not None else {}
        if not pose:
            turn = rng.uniform(-1, 1) * plan["turn"]
            if level == "turned":
                turn += float(rng.choice([90, 180, 270]))
                turn += rng.uniform(-20, 20)
            a = np.deg2rad(turn)
            rows = document["text"].count("\n") * 2.5 + 2
            room = min(width / (abs(np.cos(a)) * columns + abs(np.sin(a)) * rows), height / (abs(np.sin(a)) * columns + abs(np.cos(a)) * rows)) * 0.93
            low, high = plan["pitch"]
            pose.update(turn=turn, tilt=rng.uniform(0, 1) * plan["tilt"], axis=rng.uniform(0, 360), focal=rng.uniform(0.8, 1.5),
                        pitch=rng.uniform(min(low, room), min(high, room)), x=rng.uniform(0.1, 0.9), y=rng.uniform(0.1, 0.9),
                        table=int(rng.integers(10)), tx=rng.random(), ty=rng.random(), ink=rng.uniform(*plan["ink"]),
                        print=rng.uniform(0, plan["print"]), gamma=rng.uniform(0.75, 1.3), gain=rng.uniform(0.6, 1.1))
        jog = (lambda amount: rng.normal(0, amount)) if steady is not None else (lambda amount: 0.0)
        scale = next((s for s in SCALES if s >= 1.25 * pose["pitch"]), SCALES[-1])
        defect = plan.get("defect")
        page, corners = self.drawn(document, scale, pose["ink"], pose["print"], defect)
        # The page's plane in front of a pinhole camera.
        focal = pose["focal"] * width
        centre = corners.mean(0)
        a, t, x = np.deg2rad(pose["turn"] + jog(0.7)), np.deg2rad(pose["tilt"] + jog(0.7)), np.deg2rad(pose["axis"])
        spin = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
        about = np.array([np.cos(x), np.sin(x), 0])
        k = np.array([[0, -about[2], about[1]], [about[2], 0, -about[0]], [-about[1], about[0], 0]])
        lean = np.eye(3) + np.sin(t) * k + (1 - np.cos(t)) * k @ k
        turn = lean @ spin
        pitch = pose["pitch"]
        for _ in range(20):
            distance = focal * scale / pitch
            matrix = np.column_stack([turn[:, 0], turn[:, 1], -(turn[:, 0] * centre[0] + turn[:, 1] * centre[1]) + [0, 0, distance]])
            h = np.diag([focal, focal, 1]) @ matrix
            seen = cv2.perspectiveTransform(corners[None].astype(np.float64), h)[0]
            low, high = seen.min(0), seen.max(0)
            if high[0] - low[0] <= width * 0.97 and high[1] - low[1] <= height * 0.97:
                break
            pitch *= 0.95
        margin = np.array([width, height]) - (high - low)
        shift = -low + margin * np.clip([pose["x"] + jog(0.02), pose["y"] + jog(0.02)], 0.02, 0.98)
        h = np.array([[1, 0, shift[0]], [0, 1, shift[1]], [0, 0, 1]]) @ h
        table = self.pages.bitmaps["table", str(pose["table"])]
        ty, tx = int(pose["ty"] * (table.shape[0] - height)), int(pose["tx"] * (table.shape[1] - width))
        picture = table[ty:ty + height, tx:tx + width].copy()
        cv2.warpPerspective(page, h, (width, height), dst=picture, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_TRANSPARENT)
        picture = picture.astype(np.float32)
        if defect in defects.ON_PICTURE:
            picture = np.float32(defects.ON_PICTURE[defect](np.random.default_rng(document["seed"] + 2), np.uint8(picture), pitch))
        if plan["light"] or plan["shadow"] or plan["glare"]:
            light = rng if steady is None else np.random.default_rng(document["seed"] + 1)
            picture = camera.lit(picture, light, light.uniform(0, plan["light"]),
                                 light.uniform(0.2, 0.6) if light.random() < plan["shadow"] else 0,
                                 light.uniform(0.1, 0.7) if light.random() < plan["glare"] else 0)
        picture = camera.defocused(picture, rng, pitch * rng.uniform(*plan["blur"]))
        picture = camera.moved(picture, rng, pitch * rng.uniform(0, plan["motion"]))
        picture = camera.noisy(picture, rng, rng.uniform(*plan["noise"]))
        curve = (255 * np.clip(np.arange(256) * (pose["gain"] / 255), 0, 1) ** pose["gamma"]).astype(np.uint8)
        picture = cv2.LUT(cv2.convertScaleAbs(np.maximum(picture, 0)), curve)
        if level != "0" and rng.random() < 0.5:
            amount = rng.uniform(0.2, 1.3)
            picture = cv2.addWeighted(picture, 1 + amount, cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.7, 1.6)), -amount, 0)
        _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(*plan["jpeg"]))])
        return cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE), dict(pitch=pitch, corners=seen + shift, **{k: pose[k] for k in ("turn", "tilt")})
