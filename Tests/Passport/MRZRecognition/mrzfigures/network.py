"""The finder in numpy: inference, quantising, and the weights file that the Swift reader loads."""
import struct

import numpy as np

CLASSES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<"
NOTHING = 37
HEIGHT, WIDTH, REACH = 24, 24, 40
MAGIC = b"OCRBNET1"
SHAPES = [("conv1", (8, 5, 5, 1)), ("conv2", (24, 3, 3, 8)), ("dense1", (64, 384)), ("dense2", (38, 64))]


def normalised(strips, centre, first=None, last=None):
    """The network's input from strips (N x 24 x L, 0...255) around the column `centre` of each strip.

    first, last: the columns at which each strip really begins and ends (N each), where it is shorter than the array.
    """
    strips = np.asarray(strips, np.float64)
    n, rows, length = strips.shape
    first = np.zeros(n, int) if first is None else np.asarray(first)
    last = np.full(n, length) if last is None else np.asarray(last)
    sums = np.zeros((n, length + 1))
    squares = np.zeros((n, length + 1))
    np.cumsum(strips.sum(1), axis=1, out=sums[:, 1:])
    np.cumsum((strips * strips).sum(1), axis=1, out=squares[:, 1:])
    columns = np.arange(centre - WIDTH // 2, centre + WIDTH // 2)
    low = np.maximum(columns[None] - REACH, first[:, None])
    high = np.minimum(columns[None] + REACH + 1, last[:, None])
    count = (high - low) * rows
    mean = (np.take_along_axis(sums, high, 1) - np.take_along_axis(sums, low, 1)) / count
    square = (np.take_along_axis(squares, high, 1) - np.take_along_axis(squares, low, 1)) / count
    deviation = np.sqrt(np.maximum(square - mean * mean, 0))
    window = strips[:, :, columns[0]:columns[-1] + 1]
    return np.clip((mean[:, None] - window) / np.maximum(deviation, 2)[:, None], -4, 4).astype(np.float32)


def _patches(x, size, stride):
    """N x H x W x C to N x h x w x (size * size * C)."""
    n, h, w, c = x.shape
    oh, ow = (h - size) // stride + 1, (w - size) // stride + 1
    s = x.strides
    view = np.lib.stride_tricks.as_strided(
        x, (n, oh, ow, size, size, c), (s[0], s[1] * stride, s[2] * stride, s[1], s[2], s[3]), writeable=False)
    return view.reshape(n, oh, ow, size * size * c)


class Network:
    def __init__(self):
        self.parameters = []
        for _, shape in SHAPES:
            self.parameters += [np.zeros((shape[0], int(np.prod(shape[1:]))), np.float32), np.zeros(shape[0], np.float32)]

    def forward(self, x):
        """The scores of N x 24 x 24 inputs."""
        w1, b1, w2, b2, w3, b3, w4, b4 = self.parameters
        x = np.maximum(_patches(x[..., None], 5, 2) @ w1.T + b1, 0)
        x = np.maximum(_patches(x, 3, 2) @ w2.T + b2, 0)
        x = np.maximum(x.reshape(len(x), 384) @ w3.T + b3, 0)
        return x @ w4.T + b4

    def scores(self, x, batch=4096):
        return np.concatenate([self.forward(x[i:i + batch]) for i in range(0, len(x), batch)])

    def probabilities(self, x):
        return np.exp(log_softmax(self.scores(x).astype(np.float64)))

    def quantised(self):
        """The same network with its weights as the file holds them: int8 with one scale per output."""
        other = Network()
        for i in range(0, 8, 2):
            scale, whole = quantised_rows(self.parameters[i])
            other.parameters[i] = whole.astype(np.float32) * scale[:, None]
            other.parameters[i + 1] = self.parameters[i + 1].copy()
        return other

    def write(self, file):
        file.write(MAGIC)
        for i in range(0, 8, 2):
            scale, whole = quantised_rows(self.parameters[i])
            file.write(scale.astype("<f4").tobytes() + whole.astype(np.int8).tobytes())
            file.write(self.parameters[i + 1].astype("<f4").tobytes())

    @staticmethod
    def read(file):
        network = Network()
        if file.read(8) != MAGIC:
            raise ValueError("not the weights of this network")
        for k, (_, shape) in enumerate(SHAPES):
            inputs = int(np.prod(shape[1:]))
            scale = np.frombuffer(file.read(4 * shape[0]), "<f4")
            whole = np.frombuffer(file.read(shape[0] * inputs), np.int8).reshape(shape[0], inputs)
            network.parameters[2 * k] = whole.astype(np.float32) * scale[:, None]
            network.parameters[2 * k + 1] = np.frombuffer(file.read(4 * shape[0]), "<f4").copy()
        return network


def quantised_rows(weights):
    scale = np.maximum(np.abs(weights).max(1), 1e-8).astype(np.float32) / np.float32(127)
    return scale, np.clip(np.rint(weights / scale[:, None]), -127, 127)


def log_softmax(scores):
    scores = scores - scores.max(1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(1, keepdims=True))
