"""Drawings of OCR-B that training never saw, as cells of 37 glyphs.

Fetched once into a cache folder outside the tree (no font is committed): the TeX font `ocr-b` drawn by METAFONT itself,
its outline version `ocr-b-outline`, and two of Debian's weights other than the one of training.
All of these descend from Norbert Schwarz's METAFONT sources, as does Debian's OCRB.otf. So that the measurement does not
rest on that one skeleton, further drawings change the pen, the proportions and the skeleton itself.
"""
import glob
import os
import re
import subprocess

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .network import CLASSES

CACHE = os.environ.get("MRZ_FIGURES_CACHE", os.path.expanduser("~/.cache/tessera-mrz-figures"))
PITCH, CELL_W, CELL_H = 96, 144, 192
TEX = "usr/share/texlive/texmf-dist"


def fetched():
    """The folder with the TeX font's sources; downloads Debian's packages at the first use (540 MB, kept only in parts)."""
    folder = os.path.join(CACHE, "tex")
    if os.path.exists(os.path.join(folder, "done")):
        return folder
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["apt-get", "download", "texlive-fonts-extra", "texlive-base"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for package, parts in (("texlive-fonts-extra", ["fonts/source/public/ocr-b", "fonts/opentype/public/ocr-b-outline"]),
                           ("texlive-base", ["metafont/base"])):
        file = glob.glob(os.path.join(folder, package + "_*.deb"))[0]
        archive = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", file], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", folder] + [f"./{TEX}/{p}" for p in parts], stdin=archive.stdout, check=True)
        archive.wait()
        os.remove(file)
    open(os.path.join(folder, "done"), "w").close()
    return folder


def generic_font(data):
    """The characters of METAFONT's output (GF): code to (bitmap, left, top), in pixels from the reference point."""
    characters, at = {}, 0
    while at < len(data):
        op = data[at]
        at += 1

        def number(size, signed=False):
            nonlocal at
            value = int.from_bytes(data[at:at + size], "big", signed=signed)
            at += size
            return value

        if op in (67, 68):
            if op == 67:
                code = number(4, True) & 255
                number(4)
                low_m, high_m, low_n, high_n = (number(4, True) for _ in range(4))
            else:
                code = number(1)
                width, high_m, height, high_n = (number(1) for _ in range(4))
                low_m, low_n = high_m - width, high_n - height
            bitmap = np.zeros((high_n - low_n + 1, high_m - low_m + 1), np.uint8)
            m, n, black = 0, 0, False
        elif op <= 66:
            run = op if op < 64 else number(op - 63)
            if black:
                bitmap[n, m:m + run] = 255
            m, black = m + run, not black
        elif 70 <= op <= 73:
            n, m, black = n + 1 + (number(op - 70) if op > 70 else 0), 0, False
        elif 74 <= op <= 238:
            n, m, black = n + 1, op - 74, True
        elif op == 69:
            characters[code] = bitmap, low_m, high_n
        elif 239 <= op <= 242:
            length = number(op - 238)
            at += length
        elif op == 243:
            at += 4
        elif op == 247:
            at += 1
            length = number(1)
            at += length
        elif op == 248:
            break
    return characters


def metafont(name, pen=None, sharp=False, skeleton=None):
    """Cells drawn by METAFONT: `pen` is the stroke's width (1.75 by design), `skeleton` changes the sources' points."""
    folder = os.path.join(fetched(), TEX)
    work = os.path.join(CACHE, "mf-" + name)
    os.makedirs(work, exist_ok=True)
    for file in glob.glob(os.path.join(folder, "fonts/source/public/ocr-b/*.mf")) + [os.path.join(folder, "metafont/base/plain.mf")]:
        text = open(file, encoding="latin-1").read()
        if pen and file.endswith("ocrbmac.mf"):
            text = re.sub(r"(ocrb\.penwidth\s*:=\s*)1\.75", rf"\g<1>{pen}", text)
        if skeleton and file.endswith("ocrbdef.mf"):
            text = re.sub(r"\((-?[\d.]+),(-?[\d.]+)\)", lambda p: "(%.3f,%.3f)" % skeleton(float(p[1]), float(p[2])), text)
        with open(os.path.join(work, os.path.basename(file)), "w", encoding="latin-1") as out:
            out.write(text)
    source = "ocrb10s" if sharp else "ocrb10"
    subprocess.run(["mf", "-ini", "-interaction=nonstopmode", "-jobname=" + source,
                    "\\input plain; mode_def fine = proofing:=0; fontmaking:=1; tracingtitles:=0; pixels_per_inch:=960; "
                    "blacker:=0; fillin:=0; o_correction:=1; enddef; mode:=fine; input " + source],
                   cwd=work, env={**os.environ, "MFINPUTS": "."}, stdout=subprocess.DEVNULL)
    characters = generic_font(open(os.path.join(work, source + ".960gf"), "rb").read())
    cells = []
    for character in CLASSES[:37]:
        bitmap, left, top = characters[ord(character)]
        cell = np.zeros((3 * CELL_H, CELL_W), np.uint8)
        x, y = CELL_W // 2 - PITCH // 2 + left, 2 * CELL_H - top
        cell[y:y + bitmap.shape[0], x:x + bitmap.shape[1]] = bitmap
        cells.append(cell)
    return centred(cells)


def outlined(path, index=0):
    """Cells of an outline font, drawn by FreeType at four times the size."""
    probe = ImageFont.truetype(path, 1000).getlength("0")
    size = int(round(4 * PITCH / probe * 1000))
    font = ImageFont.truetype(path, size)
    cells = []
    for character in CLASSES[:37]:
        image = Image.new("L", (4 * CELL_W, 12 * CELL_H), 0)
        ImageDraw.Draw(image).text((2 * CELL_W - probe * size / 2000, 8 * CELL_H), character, font=font, fill=255, anchor="ls")
        cells.append(cv2.resize(np.array(image), (CELL_W, 3 * CELL_H), interpolation=cv2.INTER_AREA))
    return centred(cells)


def centred(cells):
    """Cut so that the middle of H and 0 is the cell's middle; all of one drawing alike."""
    def middle(cell):
        rows = np.flatnonzero(cell.max(1) > 127)
        return (rows[0] + rows[-1] + 1) / 2
    top = int(round((middle(cells[0]) + middle(cells[CLASSES.index("H")])) / 2 - CELL_H / 2))
    return np.stack([c[top:top + CELL_H] for c in cells])


def bent(cells, seed, amount):
    """Another skeleton: each glyph bent by a smooth field of its own, up to about `amount` pixels of 96 a character."""
    rng = np.random.default_rng(seed)
    ys, xs = np.mgrid[0:CELL_H, 0:CELL_W].astype(np.float32)
    out = []
    for cell in cells:
        fields = [cv2.resize(rng.standard_normal((6, 5)).astype(np.float32), (CELL_W, CELL_H), interpolation=cv2.INTER_CUBIC) for _ in range(2)]
        out.append(cv2.remap(cell, xs + amount * fields[0], ys + amount * fields[1], cv2.INTER_LINEAR))
    return np.stack(out)


def all_drawings():
    """Name to cells (37 x 192 x 144, uint8 coverage)."""
    file = os.path.join(CACHE, "drawings-1.npz")
    if os.path.exists(file):
        return dict(np.load(file))
    tex = fetched()
    plain = metafont("plain")
    drawings = {
        "TeX ocrb10 by METAFONT": plain,
        "TeX ocrb10s (sharp ends) by METAFONT": metafont("sharp", sharp=True),
        "TeX, heavy pen, narrow": metafont("heavy", pen=2.25, skeleton=lambda x, y: (x * 0.93, y)),
        "TeX, light pen, wide": metafont("light", pen=1.3, skeleton=lambda x, y: (x * 1.05, y)),
        "TeX, low, round pen": metafont("low", pen=1.9, skeleton=lambda x, y: (x, 0.7 + (y - 0.7) * 0.94)),
        "TeX ocr-b-outline": outlined(os.path.join(tex, TEX, "fonts/opentype/public/ocr-b-outline/ocrb10.otf")),
        "Debian OCRBS (sharp)": outlined("/usr/share/fonts/opentype/ocr-b/OCRBS.otf"),
        "Debian OCRBL (oblique)": outlined("/usr/share/fonts/opentype/ocr-b/OCRBL.otf"),
        "TeX, bent skeleton 1": bent(plain, 1, 1.6),
        "TeX, bent skeleton 2": bent(metafont("plain-heavier", pen=2.0), 2, 2.2),
    }
    os.makedirs(CACHE, exist_ok=True)
    np.savez(file, **drawings)
    return drawings
