"""The line reader: a network that reads a whole line of characters, each with its neighbours.

Training (PyTorch), the weights file, and the fixture that checks the Swift code."""
import json
import time

import numpy as np

from .network import CLASSES, quantised_rows

MAGIC = b"OCRBLIN1"
DILATIONS = (1, 2, 4, 8)
PLACES = 38


def module():
    import torch
    from torch import nn

    class LineNetwork(nn.Module):
        """N x 1 x 24 x 20 (places + 2) to N x 38 x places: see LineNetwork.swift."""

        def __init__(self):
            super().__init__()
            self.c1 = nn.Conv2d(1, 16, 5, 2, 2)
            self.c2 = nn.Conv2d(16, 24, 3, 2, 1)
            self.c3 = nn.Conv2d(24, 32, 3, (2, 1), 1)
            self.c4 = nn.Conv2d(32, 64, (3, 5), (1, 5))
            self.blocks = nn.ModuleList(nn.Conv1d(64, 64, 3, padding=d, dilation=d) for d in DILATIONS)
            self.out = nn.Conv1d(64, PLACES, 1)

        def forward(self, x):
            x = torch.relu(self.c1(x))
            x = torch.relu(self.c2(x))
            x = torch.relu(self.c3(x))
            x = torch.relu(self.c4(x)).squeeze(2)
            for block in self.blocks:
                x = x + torch.relu(block(x))
            return self.out(x)[:, :, 1:-1]

        def layers(self):
            return [self.c1, self.c2, self.c3, self.c4, *self.blocks, self.out]

    return LineNetwork()


def quantise(network):
    """Rounds the weights to what the file holds: int8 with one scale per output."""
    import torch
    for layer in network.layers():
        flat = layer.weight.detach().numpy().reshape(layer.weight.shape[0], -1)
        scale, whole = quantised_rows(flat)
        layer.weight.data = torch.from_numpy((whole * scale[:, None]).astype(np.float32).reshape(layer.weight.shape))


def record(network):
    """The bytes of the weights file: kernel row, kernel column, channel, channel fastest."""
    parts = [MAGIC]
    for layer in network.layers():
        weight = layer.weight.detach().numpy()
        weight = weight.transpose(0, *range(2, weight.ndim), 1).reshape(weight.shape[0], -1)
        scale, whole = quantised_rows(weight)
        parts += [scale.astype("<f4").tobytes(), whole.astype(np.int8).tobytes(), layer.bias.detach().numpy().astype("<f4").tobytes()]
    return b"".join(parts)


def scores(network, x, batch=64):
    """Log-likelihoods N x places x 38 of int8 inputs."""
    import torch
    with torch.no_grad():
        parts = [torch.log_softmax(network(torch.from_numpy(x[k:k + batch]).float().mul_(4 / 127).unsqueeze_(1)), 1).transpose(1, 2).numpy()
                 for k in range(0, len(x), batch)]
    return np.concatenate(parts)


def trained(x, y, epochs, rate, seed, log, start=None, evaluate=None, keep=None):
    """Trains with AdamW, one rise and a cosine fall of the rate."""
    import torch
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = start or module()
    adam = torch.optim.AdamW(network.parameters(), lr=rate, betas=(0.9, 0.99), weight_decay=1e-4)
    batch, step = 32, 0
    total = epochs * (len(x) // batch)
    average = {k: v.clone() for k, v in network.state_dict().items()}
    for epoch in range(epochs):
        index = rng.permutation(len(x))
        loss, started = 0.0, time.time()
        for k in range(len(x) // batch):
            rows = np.sort(index[k * batch:(k + 1) * batch])
            inputs = torch.from_numpy(x[rows]).float().mul_(4 / 127).unsqueeze_(1)
            step += 1
            adam.param_groups[0]["lr"] = rate * min(1, step / 500) * (0.5 + 0.5 * np.cos(np.pi * step / total)) + 1e-5
            value = torch.nn.functional.cross_entropy(network(inputs), torch.from_numpy(y[rows].astype(np.int64)))
            adam.zero_grad(set_to_none=True)
            value.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            adam.step()
            loss += value.item()
            if step % 10 == 0:
                decay = min(0.99, step / (step + 200))
                for name, part in network.state_dict().items():
                    average[name].mul_(decay).add_(part, alpha=1 - decay)
            if k % 500 == 499:
                log(f"  step {k + 1}: loss {loss / (k + 1):.4f}, {time.time() - started:.0f} s")
        log(f"epoch {epoch + 1}/{epochs}: loss {loss / (k + 1):.4f}, {time.time() - started:.0f} s")
        if evaluate:
            current = {k: v.clone() for k, v in network.state_dict().items()}
            network.load_state_dict(average)
            evaluate(network)
            if keep:
                torch.save(average, keep)
            network.load_state_dict(current)
    network.load_state_dict(average)
    return network


def judged(logs, y, log, name):
    """Accuracy, loss, how sure the network is where it errs, the most frequent errors."""
    logs, y = logs.reshape(-1, PLACES).astype(np.float64), y.reshape(-1).astype(int)
    line = np.arange(len(y))
    best = logs.argmax(1)
    right = best == y
    ratios = (logs[line, best] - logs[line, y])[~right]
    log(f"{name}: accuracy {right.mean():.5f}, loss {-logs[line, y].mean():.5f}")
    log("  nats of wrong over true class in errors: " + ", ".join(
        f"> {t}: {np.count_nonzero(ratios > t) / len(y):.2e}" for t in (0, 1, 2, 4, 6, 8, 10)) + " of all places")
    wrong = {}
    for a, b in zip(y[~right], best[~right]):
        wrong[(a, b)] = wrong.get((a, b), 0) + 1
    names = CLASSES + "."
    log("  most frequent errors (true read): " + ", ".join(
        f"{names[a]}{names[b]} {n}" for (a, b), n in sorted(wrong.items(), key=lambda i: -i[1])[:16]))


def temperature(logs, y):
    """The factor on the scores that makes the validation loss least."""
    logs, y = logs.reshape(-1, PLACES).astype(np.float64), y.reshape(-1).astype(int)
    factors = np.linspace(0.6, 1.3, 36)

    def loss(factor):
        scaled = logs * factor
        scaled -= np.log(np.exp(scaled).sum(1, keepdims=True))
        return -scaled[np.arange(len(y)), y].mean()

    return float(factors[int(np.argmin([loss(f) for f in factors]))])


def scaled(network, factor):
    network.out.weight.data *= factor
    network.out.bias.data *= factor


def fixture(networks, x, path):
    """Lines with the probabilities that PyTorch gets from the rounded weights; short ones, and one of 44 places."""
    import torch
    entries = []
    for strip, places in [(x[0], 26), (x[1], 26), (np.concatenate([x[2][:, :23 * 20], x[3][:, 20 * 3:]], 1)[:, :46 * 20], 44)]:
        values = np.round(strip.astype(np.float64) * 4 / 127, 4)
        inputs = torch.from_numpy(values.astype(np.float32))[None, None]
        with torch.no_grad():
            p = sum(torch.softmax(n(inputs), 1)[0].numpy() for n in networks) / len(networks)
        entries.append({"places": places, "strip": values.reshape(-1).tolist(), "probabilities": [[float(f"{v:.6g}") for v in column] for column in p.T]})
    with open(path, "w") as file:
        file.write('{"rows": 24, "lines": [\n' + ",\n".join(json.dumps(e, separators=(",", ":")) for e in entries) + "\n]}\n")
