"""Measures the reader on whole frames with known truth and prints tables."""
import argparse
import glob
import json
import os
import subprocess
import sys
import time

import cv2
import numpy as np

from . import clean, fonts
from .frames import DEFECTS, LEVELS, Frames
from .tables import limits, outcome, tables, undecided

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", "..", ".."))


class Reader:
    """The program that reads frames from its standard input (Tests/Passport/MRZFrameReader)."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def processor_time(self):
        """Milliseconds of processor time so far: other work on the machine does not count, unlike in the reader's own clock."""
        total = 0
        for file in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"):
            with open(file) as text:
                total += int(text.read().split()[0])
        return total / 1e6

    def send(self, picture):
        height, width = picture.shape
        self.began = self.processor_time()
        self.process.stdin.write(b"frame %d %d\n" % (width, height) + picture.tobytes())
        self.process.stdin.flush()

    def say(self, word):
        self.process.stdin.write(word + b"\n")

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the reader ended with status {self.process.wait()}")
        return dict(json.loads(line), processor=self.processor_time() - self.began)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def program(given):
    """The reader's path; builds it when none is given."""
    if given:
        return given
    subprocess.run(["swift", "build", "-c", "release", "--product", "MRZFrameReader"], cwd=ROOT, check=True, stdout=sys.stderr)
    return os.path.join(ROOT, ".build/release/MRZFrameReader")


def planned(index, levels, sizes):
    """Which level and resolution the frame of this number has: all pairs in turn."""
    return levels[index % len(levels)], sizes[(index // len(levels)) % len(sizes)]


def record(answer, document, level, size, info, index):
    return dict(index=index, level=level, size="%dx%d" % size, form=document["form"], drawing=document["drawing"],
                pitch=round(float(info["pitch"]), 1), turn=round(float(info["turn"]), 1), outcome=outcome(answer, document["text"]),
                found=answer["state"] == "mrz_detected", state=answer["state"], ms=round(answer["processor"], 2), wall=answer["milliseconds"],
                candidate=answer.get("candidate") == document["text"] if answer.get("candidate") else None,
                margin=answer.get("margin", 0), unchecked=answer.get("uncheckedMargin", 0), correction=answer.get("correction", 0),
                differences=differences(answer.get("candidate"), document["text"]))


def differences(candidate, truth):
    """Which characters of the candidate are wrong, as `true>read` with its line and column."""
    if not candidate or candidate == truth:
        return None
    if len(candidate) != len(truth):
        return f"length {len(candidate)} for {len(truth)}"
    pairs = [f"{t}>{c}@{i}" for i, (t, c) in enumerate(zip(truth, candidate)) if t != c]
    return " ".join(pairs) if len(pairs) <= 8 else f"{len(pairs)} characters"


def measured(reader, frames, count, seed, levels, sizes, keep=None, out=None, first=0, seconds=None):
    records, waiting = [], None
    started = time.time()

    def finish():
        picture, document, level, size, info, index = waiting
        answer = reader.answer()
        entry = record(answer, document, level, size, info, index)
        records.append(entry)
        if out:
            out.write(json.dumps(entry) + "\n")
        wrong = entry["outcome"] == "wrong" or (entry["candidate"] is False and min(entry["margin"], entry["unchecked"]) > 4)
        if keep and (wrong or (not entry["found"] and level in "0123turned")):
            name = f"{'wrong' if wrong else entry['state']}-level{level}-seed{seed}-{index}"
            cv2.imwrite(os.path.join(keep, name + ".png"), picture)
            with open(os.path.join(keep, name + ".json"), "w") as file:
                json.dump(dict(entry, truth=document["text"], answer=answer), file, indent=1)

    for index in range(first, first + count):
        rng = np.random.default_rng([seed, index])
        level, size = planned(index, levels, sizes)
        document = frames.document(rng)
        picture, info = frames.frame(rng, document, level, size)
        if waiting:
            finish()
        reader.send(picture)
        waiting = picture, document, level, size, info, index
        if seconds and time.time() - started > seconds:
            break
    finish()
    return records


def sequences(reader, frames, count, seed, levels, sizes, length=10):
    """Hand-held sequences: after how many frames the vote gives a zone, and whether it is right."""
    results = []
    for index in range(count):
        rng = np.random.default_rng([seed, 77, index])
        level, size = planned(index, levels, sizes)
        document, pose, answers = frames.document(rng), {}, []
        reader.say(b"sequence")
        for k in range(length):
            picture, _ = frames.frame(rng, document, level, size, steady=pose)
            reader.send(picture)
            answers.append(outcome(reader.answer(), document["text"]))
        results.append((level, answers))
    reader.say(b"single")
    return results


def options_of(arguments, description):
    parser = argparse.ArgumentParser(prog="run measure", description=description)
    parser.add_argument("--reader", help="the program; built from this tree when not given")
    parser.add_argument("--clean", action="store_true", help="clean pages of a scanner instead of frames")
    parser.add_argument("--frames", type=int, help="how many frames (4200), or pages (960)")
    parser.add_argument("--seconds", type=float, help="stop after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first frame or page")
    parser.add_argument("--sequences", type=int, default=140)
    parser.add_argument("--levels", default=",".join(LEVELS), help="of frames; 'defects' for the set of single defects")
    parser.add_argument("--sizes", default="640x480,1280x720,1920x1080")
    parser.add_argument("--drawings", choices=["schwarz", "other", "all"], default="schwarz",
                        help="of frames: METAFONT's and their kin, other makers', or both")
    parser.add_argument("--keep", metavar="DIR", help="save wrong frames, unfound ones of easy levels, and pages that are not right, there")
    parser.add_argument("--out", metavar="FILE", help="append a line of JSON for each picture")
    parser.add_argument("--from", dest="files", metavar="FILE", nargs="+", help="run nothing: the tables of what --out kept")
    parser.add_argument("--sheet", metavar="FILE", help="run nothing: a PNG of the drawings, to look at")
    parser.add_argument("--limits", action="store_true", help="also what other limits would give")
    options = parser.parse_args(arguments)
    options.levels = DEFECTS if options.levels == "defects" else options.levels.split(",")
    options.sizes = [tuple(int(v) for v in s.split("x")) for s in options.sizes.split(",")]
    return options


def report(records, with_limits):
    pages = [r for r in records if "dots" in r]
    frames = [r for r in records if "level" in r]
    if pages:
        clean.report(pages)
    if frames:
        tables("### Reading of synthetic frames: not field accuracy", frames, [["level", "size"], ["level"], ["form"], ["drawing"]])
        undecided(frames)
        if with_limits:
            limits(frames)


def report_sequences(results, levels):
    print("\n### Sequences of 10 synthetic frames: not field accuracy\n")
    print("| level | sequences | right after 1 | after 3 | after 5 | after 10 | wrong at any time |\n|" + " --- |" + " ---: |" * 6)
    for level in levels:
        part = [a for l, a in results if l == level]
        if part:
            after = [f"{100 * sum(a[k - 1] == 'right' for a in part) / len(part):.0f} %" for k in (1, 3, 5, 10)]
            print(f"| {level} | {len(part)} | " + " | ".join(after) + f" | {sum('wrong' in a for a in part)} |")


def main(arguments):
    options = options_of(arguments, __doc__)
    if options.files:
        records = [json.loads(row) for name in options.files for row in open(name)]
        print(f"{len(records)} synthetic pictures.")
        report(records, options.limits)
        return
    if options.sheet:
        fonts.sheet(Frames(options.drawings).masters, options.sheet)
        return
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    reader = Reader(program(options.reader))
    frames = Frames("all" if options.clean else options.drawings)
    out = open(options.out, "a", buffering=1) if options.out else None
    started = time.time()
    if options.clean:
        records = clean.measured(reader, frames, options.first, options.frames or 960, options.seed, options.keep, out, options.seconds)
    else:
        records = measured(reader, frames, options.frames or 4200, options.seed, options.levels, options.sizes, options.keep, out,
                           options.first, options.seconds)
    print(f"{len(records)} synthetic {'pages' if options.clean else 'frames'} in {time.time() - started:.0f} s, seed {options.seed}, "
          f"the first is number {options.first}.")
    report(records, options.limits)
    if options.sequences and not options.clean:
        report_sequences(sequences(reader, frames, options.sequences, options.seed, options.levels, options.sizes), options.levels)
    reader.close()
