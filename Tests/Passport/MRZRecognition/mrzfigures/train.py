"""Trains the networks of the reader and writes their weights and the fixtures that check the Swift code.

The finder, a small network of one character, finds lines and their ends. The line readers read whole lines."""
import argparse
import io
import json
import multiprocessing
import os
import time

import cv2
import numpy as np

from . import line_network, lines, windows
from .network import CLASSES, NOTHING, Network, log_softmax, normalised

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", "..", ".."))
WEIGHTS = os.path.join(ROOT, "Sources/Passport/TesseraMRZRecognition/Weights/ocr-b.weights")
FIXTURE = os.path.join(ROOT, "Tests/Passport/MRZRecognitionTests/Fixtures/network.json")
LINE_FIXTURE = os.path.join(ROOT, "Tests/Passport/MRZRecognitionTests/Fixtures/line-network.json")
# Each network has drawings of its own: a seed, and how the shapes are bent.
FINDER = (2026, windows.Bending(0.4, (0.3, 1.3), (40, 40)))
READERS = [(2026, windows.Bending(0.4, (0.3, 1.3), (40, 40)))]
VALIDATION = 1_000_000               # chunk numbers from here on are never trained on
SHARE_OF_NOTHING = 0.2

_scenes = None, None


def _chunk(task):
    global _scenes
    (kind, seed, bending), numbers = task[:3], task[3:]
    if _scenes[0] != (kind, seed):
        cv2.setNumThreads(1)
        _scenes = (kind, seed), windows.Scenes(bending) if kind == "finder" else lines.LineScenes(bending, seed)
    return (windows if kind == "finder" else lines).chunk(_scenes[1], seed, *numbers)


def drawn(kind, member, first, chunks, scenes, workers):
    tasks = [(kind, *member, first + k, scenes) for k in range(chunks)]
    with multiprocessing.Pool(workers) as pool:
        parts = pool.imap(_chunk, tasks)
        if kind == "finder":
            parts = list(parts)
            return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
        # Each scene has as many lines: they are copied one chunk after another, so that they are never in memory twice.
        x, y = None, None
        for k, (inputs, classes) in enumerate(parts):
            if x is None:
                x, y = (np.empty((chunks * len(a), *a.shape[1:]), np.int8) for a in (inputs, classes))
            x[k * len(inputs):(k + 1) * len(inputs)] = inputs
            y[k * len(inputs):(k + 1) * len(inputs)] = classes
        return x, y


def balanced(classes, rng):
    """Indexes in which the 37 characters are equally frequent and class 37 has its share."""
    counts = np.bincount(classes, minlength=38)
    each = int(np.median(counts[:37]))
    nothing = int(each * 37 * SHARE_OF_NOTHING / (1 - SHARE_OF_NOTHING))
    parts = []
    for c in range(38):
        places, wanted = np.flatnonzero(classes == c), nothing if c == NOTHING else each
        parts.append(rng.choice(places, wanted, replace=wanted > len(places)))
    return np.concatenate(parts)


def trained(x, y, epochs, rate, seed, log):
    """Trains with Adam and a cosine schedule in PyTorch (Debian's python3-torch); gives the network in numpy."""
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    module = torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 5, 2), torch.nn.ReLU(), torch.nn.Conv2d(8, 24, 3, 2), torch.nn.ReLU(), torch.nn.Flatten(),
        torch.nn.Linear(384, 64), torch.nn.ReLU(), torch.nn.Linear(64, 38))
    adam = torch.optim.Adam(module.parameters(), lr=rate, betas=(0.9, 0.998))
    batch, step = 512, 0
    total = epochs * (len(balanced(y, np.random.default_rng(seed))) // batch)
    for epoch in range(epochs):
        index = balanced(y, rng)
        rng.shuffle(index)
        loss, started = 0.0, time.time()
        for k in range(len(index) // batch):
            rows = index[k * batch:(k + 1) * batch]
            inputs = torch.from_numpy(x[rows]).float().mul_(4 / 127).unsqueeze_(1)
            step += 1
            adam.param_groups[0]["lr"] = rate * min(1, step / 300) * (0.5 + 0.5 * np.cos(np.pi * step / total)) + 1e-5
            value = torch.nn.functional.cross_entropy(module(inputs), torch.from_numpy(y[rows].astype(np.int64)))
            adam.zero_grad()
            value.backward()
            adam.step()
            loss += value.item()
        log(f"epoch {epoch + 1}/{epochs}: loss {loss / (k + 1):.4f}, {time.time() - started:.0f} s")
    network = Network()
    layers = [p.detach().numpy() for p in module.parameters()]
    # PyTorch orders channel, row, column; the weights file row, column, channel.
    network.parameters = [
        layers[0].transpose(0, 2, 3, 1).reshape(8, 25), layers[1], layers[2].transpose(0, 2, 3, 1).reshape(24, 72), layers[3],
        layers[4].reshape(64, 24, 4, 4).transpose(0, 2, 3, 1).reshape(64, 384), layers[5], layers[6], layers[7]]
    network.parameters = [np.ascontiguousarray(p, np.float32) for p in network.parameters]
    return network


def judged(network, x, y, log, name):
    """Accuracy, loss, calibration, and how sure the network is where it errs."""
    scores = np.concatenate([network.scores(x[i:i + 8192].astype(np.float32) * np.float32(4 / 127))
                             for i in range(0, len(x), 8192)]).astype(np.float64)
    logs = log_softmax(scores)
    line = np.arange(len(y))
    best = logs.argmax(1)
    sure, right = np.exp(logs[line, best]), best == y
    bins = np.clip((sure * 20).astype(int), 0, 19)
    ece = sum(abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in range(20) if (bins == b).any())
    ratios = (logs[line, best] - logs[line, y])[~right]
    log(f"{name}: accuracy {right.mean():.5f}, loss {-logs[line, y].mean():.5f}, expected calibration error {ece:.5f}")
    log("  log-likelihood ratio (nats) of wrong over true class in errors: " + ", ".join(
        f"> {t}: {np.count_nonzero(ratios > t) / len(y):.2e}" for t in (0, 1, 2, 4, 6, 8, 10, 12)) + " of all windows")
    for t in (0.5, 0.9, 0.99, 0.999, 0.9999):
        part = sure >= t
        log(f"  p >= {t}: {part.mean():.3f} of windows, wrong {1 - right[part].mean():.2e}")
    wrong = {}
    for a, b in zip(y[~right], best[~right]):
        wrong[(a, b)] = wrong.get((a, b), 0) + 1
    names = CLASSES + "."
    log("  most frequent errors (true read): " + ", ".join(
        f"{names[a]}{names[b]} {n}" for (a, b), n in sorted(wrong.items(), key=lambda i: -i[1])[:16]))
    return scores, logs


def temperature(scores, y):
    """The factor on the scores that makes the validation loss least."""
    line = np.arange(len(y))
    factors = np.linspace(0.6, 1.3, 36)
    losses = [-log_softmax(scores * f)[line, y].mean() for f in factors]
    return float(factors[int(np.argmin(losses))])


def fixture(network, scenes, path):
    """20 windows with the probabilities that the finder gives in numpy."""
    rng = np.random.default_rng(99)
    entries, seen = [], set()
    while len(entries) < 20:
        strips, first, last, classes = scenes.windows(rng)
        for strip, low, high, c in zip(strips, first, last, classes):
            clipped = high - low < windows.STRIP
            if len(entries) >= 20 or (c in seen and rng.random() < 0.9) or (not clipped and rng.random() < 0.5):
                continue
            seen.add(c)
            part = strip[:, low:high]
            p = network.probabilities(normalised(part[None], windows.CENTRE - low))[0]
            entries.append({"true": int(c), "columns": int(high - low), "centre": int(windows.CENTRE - low),
                            "strip": part.reshape(-1).tolist(), "probabilities": [float(f"{v:.8g}") for v in p]})
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write('{"rows": 24, "order": "strip[row * columns + column]", "windows": [\n')
        file.write(",\n".join(json.dumps(e, separators=(",", ":")) for e in entries) + "\n]}\n")


def kept(name, options, chunks, draw):
    """What `draw` gives, or what a former run has kept."""
    file = f"{options.data}-{name}.npz" if options.data else None
    if file and os.path.exists(file):
        data = np.load(file)
        return [data[k] for k in ("x", "y", "vx", "vy")]
    data = [*draw(0, chunks), *draw(VALIDATION, 4 if name != "finder" else max(4, chunks // 12))]
    if file:
        np.savez(file, **dict(zip(("x", "y", "vx", "vy"), data)))
    return data


def finder(options, log):
    """Trains the finder and judges it."""
    seed, _ = FINDER
    x, y, vx, vy = kept("finder", options, options.chunks, lambda first, chunks: drawn("finder", FINDER, first, chunks, 250, options.workers))
    log(f"finder, seed {seed}: {len(y)} windows to train on, {len(vy)} to validate; {x.nbytes / 1e6:.0f} MB")
    keep = balanced(vy, np.random.default_rng(seed + 1))
    vx, vy = vx[keep], vy[keep]
    network = trained(x, y, options.epochs, options.rate, seed, log)
    scores, _ = judged(network, vx, vy, log, "validation")
    factor = temperature(scores, vy)
    log(f"temperature: scores times {factor:.2f}")
    network.parameters[6] *= np.float32(factor)
    network.parameters[7] *= np.float32(factor)
    judged(network.quantised(), vx, vy, log, "validation, with temperature, weights as int8")
    return network


def reader(number, options, log):
    """Trains one line reader and judges it; its weights are rounded as the file holds them."""
    seed, _ = READERS[number]
    x, y, vx, vy = kept(f"lines-{number}", options, options.line_chunks, lambda first, chunks: drawn("lines", READERS[number], first, chunks, 250, options.workers))
    log(f"line reader {number}, seed {seed}: {len(y)} lines to train on, {len(vy)} to validate; {x.nbytes / 1e6:.0f} MB")
    network = line_network.trained(x, y, options.line_epochs, options.rate, seed, log)
    logs = line_network.scores(network, vx)
    line_network.judged(logs, vy, log, "validation")
    factor = line_network.temperature(logs, vy)
    log(f"temperature: scores times {factor:.2f}")
    line_network.scaled(network, factor)
    line_network.quantise(network)
    line_network.judged(line_network.scores(network, vx), vy, log, "validation, with temperature, weights as int8")
    return network, vx


def main(arguments):
    parser = argparse.ArgumentParser(prog="run train", description=__doc__)
    parser.add_argument("--chunks", type=int, default=150, help="for the finder, of 250 scenes with 9,800 windows")
    parser.add_argument("--epochs", type=int, default=11, help="for the finder")
    parser.add_argument("--line-chunks", type=int, default=391, help="for the line reader, of 250 scenes with 1,500 lines")
    parser.add_argument("--line-epochs", type=int, default=5, help="for the line reader")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--workers", type=int, default=1, help="processes that draw")
    parser.add_argument("--only", choices=["finder", "lines"], help="train these and keep the others of the file")
    parser.add_argument("--data", metavar="NAME", help="keep what was drawn in NAME-….npz, or take it from there")
    parser.add_argument("--weights", default=WEIGHTS)
    parser.add_argument("--fixture", default=FIXTURE)
    parser.add_argument("--line-fixture", default=LINE_FIXTURE)
    options = parser.parse_args(arguments)
    started = time.time()

    def log(text):
        print(f"[{time.time() - started:6.0f} s] {text}", flush=True)

    cv2.setNumThreads(1)
    if options.only != "lines":
        network = finder(options, log)
        file = io.BytesIO()
        network.write(file)
        first = file.getvalue()
    else:
        first = open(options.weights, "rb").read().split(line_network.MAGIC)[0]
    if options.only != "finder":
        readers = [reader(k, options, log) for k in range(len(READERS))]
        rest = [line_network.record(network) for network, _ in readers]
        line_network.fixture([network for network, _ in readers], readers[0][1], options.line_fixture)
    else:
        rest = [line_network.MAGIC + part for part in open(options.weights, "rb").read().split(line_network.MAGIC)[1:]]
    os.makedirs(os.path.dirname(options.weights), exist_ok=True)
    with open(options.weights, "wb") as file:
        file.write(b"".join([first, *rest]))
    if options.only != "lines":
        fixture(Network.read(io.BytesIO(first)), windows.Scenes(FINDER[1]), options.fixture)
    log(f"wrote {options.weights}")
