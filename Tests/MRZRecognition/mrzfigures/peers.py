"""The same frames through this reader, tesseract (on the frame, and on the exactly cropped zone) and PassportEye."""
import json
import os
import re
import resource
import subprocess

import cv2
import numpy as np

from . import drawings, measure, zones
from .frames import Frames
from .measure import LEVELS, Reader

HERE = os.path.dirname(os.path.abspath(__file__))
WHITELIST = "tessedit_char_whitelist=ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<"


def environment():
    """The peers' virtual environment outside the tree, made at the first use."""
    folder = os.path.join(drawings.CACHE, "peer")
    python = os.path.join(folder, "bin/python")
    if not os.path.exists(os.path.join(folder, "bin/mrz")):
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "passporteye==2.2.2"], check=True)
    return python


def children():
    """Milliseconds of processor time of the programs that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (used.ru_utime + used.ru_stime)


def tesseract(picture, mode):
    _, coded = cv2.imencode(".png", picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    started = children()
    run = subprocess.run(["tesseract", "-", "-", "-l", "eng", "--psm", mode, "-c", WHITELIST], input=coded.tobytes(), capture_output=True,
                         env={**os.environ, "OMP_THREAD_LIMIT": "1"})
    return run.stdout.decode(errors="replace"), children() - started


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


def cropped(picture, corners, columns, rows):
    """The zone cut out along its true corners, upright, at 32 pixels a character: what a perfect finder would give."""
    w, h = int((columns + 0.2) * 32), int((rows - 1) * 2.5 * 32 + 1.2 * 32)
    matrix = cv2.getPerspectiveTransform(np.float32(corners), np.float32([[16, 16], [w + 16, 16], [w + 16, h + 16], [16, h + 16]]))
    return cv2.warpPerspective(picture, matrix, (w + 32, h + 32), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def main(arguments):
    import argparse
    parser = argparse.ArgumentParser(prog="run peers", description=__doc__)
    parser.add_argument("--reader")
    parser.add_argument("--frames", type=int, default=105)
    parser.add_argument("--seed", type=int, default=4)
    options = parser.parse_args(arguments)
    python = environment()
    frames, ours = Frames(), Reader(measure.program(options.reader))
    theirs = subprocess.Popen([python, os.path.join(HERE, "passporteye_reader.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env={**os.environ, "OMP_THREAD_LIMIT": "1"})
    names = ["Tessera", "tesseract, whole frame", "tesseract, exactly cropped zone", "PassportEye"]
    results = {name: [] for name in names}
    errors = 0
    for index in range(options.frames):
        rng = np.random.default_rng([options.seed, index])
        level, size = measure.planned(index, LEVELS, [(640, 480), (1280, 720), (1920, 1080)])
        document = frames.document(rng)
        picture, info = frames.frame(rng, document, level, size)
        truth = document["text"]

        def note(name, zone, milliseconds):
            results[name].append((level, "nothing" if zone is None else "right" if zone == truth else "wrong", milliseconds))

        ours.send(picture)
        answer = ours.answer()
        note(names[0], answer["zone"], answer["processor"])
        text, milliseconds = tesseract(picture, "6")
        note(names[1], zone_in(text), milliseconds)
        crop = cropped(picture, info["corners"], len(truth.split("\n")[0]), truth.count("\n") + 1)
        text, milliseconds = tesseract(crop, "6")
        note(names[2], zone_in(text), milliseconds)
        theirs.stdin.write(b"frame %d %d\n" % (size[0], size[1]) + picture.tobytes())
        theirs.stdin.flush()
        answer = json.loads(theirs.stdout.readline())
        errors += answer["error"] is not None
        note(names[3], zone_in(answer["text"]) if answer["text"] else None, answer["milliseconds"])
    print(f"### Peers on {options.frames} synthetic frames, seed {options.seed}: not field accuracy\n")
    print("A zone counts as given when every check digit is right; tesseract's and PassportEye's text goes through the same check, after runs of '<' that they miscounted are filled.\n")
    print("| reader | level | frames | right | wrong | nothing | processor time, median | 95 % |\n| --- | --- |" + " ---: |" * 6)
    for name in names:
        for level in LEVELS + [None]:
            part = [r for r in results[name] if level in (None, r[0])]
            if not part:
                continue
            times = [r[2] for r in part]
            count = [100 * sum(r[1] == o for r in part) / len(part) for o in ("right", "nothing")]
            print(f"| {name} | {level if level is not None else '**all**'} | {len(part)} | {count[0]:.1f} % | {sum(r[1] == 'wrong' for r in part)} | {count[1]:.1f} % | "
                  f"{np.median(times):.0f} ms | {np.percentile(times, 95):.0f} ms |")
    if errors:
        print(f"\nPassportEye raised an exception on {errors} frames; they count as nothing.")
    ours.close()
    theirs.stdin.close()
    theirs.wait()
