"""Answers the frame protocol with PassportEye or fastmrz, each unchanged; runs in the peers' virtual environment.

    peer_reader.py passporteye|fastmrz FOLDER      FOLDER: where mrz.traineddata lies, which fastmrz asks its user to install
"""
import io
import json
import resource
import sys
import warnings

warnings.filterwarnings("ignore")

import numpy as np


def passporteye(folder):
    import imageio.v3 as imageio
    from passporteye import read_mrz

    def text(frame):
        mrz = read_mrz(io.BytesIO(imageio.imwrite("<bytes>", frame, extension=".png", compress_level=1)))
        return None if mrz is None else mrz.aux.get("raw_text", mrz.aux.get("text", ""))
    return text


def fastmrz(folder):
    import cv2
    from fastmrz import FastMRZ
    cv2.setNumThreads(1)
    reader = FastMRZ(tessdata_path=folder)
    # Its own rule decides which lines are a zone; `ignore_parse` gives these lines instead of fields.
    return lambda frame: reader.get_details(np.repeat(frame[:, :, None], 3, 2), input_type="numpy", ignore_parse=True)


def processor_time():
    """Milliseconds of this process and of the tesseract processes that it started."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return 1000 * sum(u.ru_utime + u.ru_stime for u in uses)


read = {"passporteye": passporteye, "fastmrz": fastmrz}[sys.argv[1]](sys.argv[2])
stdin = sys.stdin.buffer
while True:
    header = stdin.readline().split()
    if len(header) != 3:
        break
    width, height = int(header[1]), int(header[2])
    frame = np.frombuffer(stdin.read(width * height), np.uint8).reshape(height, width)
    started = processor_time()
    text = error = None
    try:
        text = read(frame)
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    print(json.dumps(dict(text=text, error=error, milliseconds=processor_time() - started)), flush=True)
