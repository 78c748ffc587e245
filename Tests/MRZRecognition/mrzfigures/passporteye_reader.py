"""Answers the frame protocol with PassportEye; runs in the peers' virtual environment, without change to PassportEye."""
import io
import json
import resource
import sys
import warnings

warnings.filterwarnings("ignore")

import imageio.v3 as imageio
import numpy as np
from passporteye import read_mrz


def processor_time():
    """Milliseconds of this process and of the tesseract processes that it started."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return 1000 * sum(u.ru_utime + u.ru_stime for u in uses)


stdin = sys.stdin.buffer
while True:
    header = stdin.readline().split()
    if len(header) != 3:
        break
    width, height = int(header[1]), int(header[2])
    frame = np.frombuffer(stdin.read(width * height), np.uint8).reshape(height, width)
    file = io.BytesIO(imageio.imwrite("<bytes>", frame, extension=".png", compress_level=1))
    started = processor_time()
    text = error = None
    try:
        # The same whitelist as tesseract's own column.
        mrz = read_mrz(file)
        if mrz is not None:
            text = mrz.aux.get("raw_text", mrz.aux.get("text", ""))
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    print(json.dumps(dict(text=text, error=error, valid=bool(text and mrz.valid), milliseconds=processor_time() - started)), flush=True)
