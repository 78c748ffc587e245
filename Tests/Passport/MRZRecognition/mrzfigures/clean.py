"""Clean pages, as a flatbed scanner gives them: random numbers of every kind, every format, 150, 300 and 600 dots per inch."""
import json
import os
import time

import cv2
import numpy as np

from . import zones
from .frames import PITCH_MM
from .tables import outcome, tables, undecided

RESOLUTIONS = [150, 300, 600]
# Whole drawings only: the bent ones and the oblique one imitate worse print than a clean page has.
IMITATIONS = ("bent", "oblique", "pen")


def planned(index):
    """The resolution, the kind of number and the format of the page of this number: each kind is equally frequent."""
    kinds = list(zones.NUMBERS)
    kind = kinds[index // len(RESOLUTIONS) % len(kinds)]
    forms = zones.NUMBERS[kind][0]
    return RESOLUTIONS[index % len(RESOLUTIONS)], kind, forms[index // (len(RESOLUTIONS) * len(kinds)) % len(forms)]


def document(frames, rng, kind, form):
    names = [name for name in frames.names if not any(word in name for word in IMITATIONS)]
    return frames.document(rng, form, str(rng.choice(names)), kind)


def scanned(frames, rng, document, dots):
    """The page on the scanner's glass (uint8): upright or turned a little, on white or printed paper, no perspective."""
    scale = dots // 10
    page, _ = frames.drawn(document, scale, rng.uniform(0.85, 1), rng.uniform(0.05, 0.3) if rng.random() < 0.5 else 0, worn=False)
    mm = scale / PITCH_MM
    lid = float(rng.uniform(225, 252) if rng.random() < 0.85 else rng.uniform(20, 60))
    turn = rng.uniform(-2.5, 2.5) if rng.random() < 0.5 else 0.0
    height, width = page.shape
    w, h = int(width + rng.uniform(4, 24) * mm), int(height + rng.uniform(4, 24) * mm)
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1)
    matrix[:, 2] += (w - width) / 2, (h - height) / 2
    picture = cv2.warpAffine(page, matrix, (w, h), flags=cv2.INTER_CUBIC, borderValue=lid).astype(np.float32)
    picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 0.6) * max(dots / 300, 0.75))
    picture += rng.standard_normal(picture.shape, np.float32) * np.float32(rng.uniform(0.2, 1.5))
    picture = 255 * np.clip(picture / np.float32(rng.uniform(240, 262)), 0, 1) ** np.float32(rng.uniform(0.85, 1.2))
    picture = np.uint8(picture + 0.5)
    if rng.random() < 0.7:
        _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(75, 96))])
        picture = cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE)
    return picture


def page(frames, seed, index):
    """Page number `index` of a seed: its picture, document, resolution and kind of number."""
    rng = np.random.default_rng([seed, 150300600, index])
    dots, kind, form = planned(index)
    printed = document(frames, rng, kind, form)
    return scanned(frames, rng, printed, dots), printed, dots, kind


def measured(reader, frames, first, count, seed, keep=None, out=None, seconds=None):
    records, started = [], time.time()
    for index in range(first, first + count):
        picture, printed, dots, kind = page(frames, seed, index)
        reader.send(picture)
        answer = reader.answer()
        number = zones.number_of(printed["text"], printed["form"])
        entry = dict(index=index, dots=dots, kind=kind, form=printed["form"], drawing=printed["drawing"],
                     zeros="could be O" if zones.could_be_letters(number) else "could not", outcome=outcome(answer, printed["text"]),
                     candidate=answer.get("candidate") == printed["text"] if answer.get("candidate") else None,
                     found=answer["state"] == "mrz_detected", state=answer["state"], ms=round(answer["processor"], 2))
        records.append(entry)
        if out:
            out.write(json.dumps(entry) + "\n")
        if keep and entry["outcome"] != "right":
            name = os.path.join(keep, f"{entry['outcome']}-{dots}-seed{seed}-{index}")
            cv2.imwrite(name + ".png", picture)
            with open(name + ".json", "w") as file:
                json.dump(dict(entry, truth=printed["text"], answer=answer), file, indent=1)
        if seconds and time.time() - started > seconds:
            break
    return records


def report(records):
    tables("### Clean synthetic pages: not field accuracy", records, [["kind", "dots"], ["form", "dots"], ["dots"], ["zeros"], ["drawing"]])
    undecided(records)
