"""What happens to a picture between the paper and the reader: light, lens, sensor, camera software, JPEG.

Every function takes and gives float32 luminance, 0...255. Lengths are in pixels of that picture.
"""
import cv2
import numpy as np


def smooth_field(rng, height, width, cells):
    """A smooth random field of about `cells` hills across, values about -1...1."""
    small = rng.standard_normal((cells + 2, cells + 2)).astype(np.float32)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)


def lit(picture, rng, gradient, shadow, glare):
    """Uneven light: a gradient over the picture, a shadow with an edge, spots of glare. Each amount is 0...1."""
    height, width = picture.shape
    # The light is smooth: a quarter of the resolution is enough, except for the shadow's edge.
    factor = 4 if min(height, width) >= 64 else 1
    h, w = max(height // factor, 2), max(width // factor, 2)
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    light = np.ones((h, w), np.float32)
    if gradient > 0:
        angle = rng.uniform(0, 2 * np.pi)
        ramp = (np.cos(angle) * (xs / w - 0.5) + np.sin(angle) * (ys / h - 0.5))
        light *= 1 - gradient * (ramp + 0.5) * 0.8
    if shadow > 0:
        angle = rng.uniform(0, 2 * np.pi)
        edge = np.cos(angle) * (xs - w * rng.uniform(0.1, 0.9)) + np.sin(angle) * (ys - h * rng.uniform(0.1, 0.9))
        softness = rng.uniform(0.3, 12)
        light *= 1 - shadow / (1 + np.exp(np.clip(-edge / softness, -30, 30)))
    light = cv2.resize(light, (width, height), interpolation=cv2.INTER_LINEAR)
    picture = picture * light
    if glare > 0:
        for _ in range(rng.integers(1, 4)):
            cx, cy = rng.uniform(0, w), rng.uniform(0, h)
            rx, ry = rng.uniform(0.03, 0.3) * w, rng.uniform(0.03, 0.5) * h
            spot = np.exp(-(((xs - cx) / rx) ** 2 + ((ys - cy) / ry) ** 2) ** rng.uniform(0.7, 2.5))
            spot = cv2.resize(spot * np.float32(glare), (width, height), interpolation=cv2.INTER_LINEAR)
            # Glare veils: it adds light and takes contrast with it.
            picture = picture + (255 - picture * 0.7) * spot
    return picture


def defocused(picture, rng, sigma):
    """A lens out of focus: a disc for large amounts, a Gaussian for small ones."""
    if sigma < 0.25:
        return picture
    if sigma > 1.2 and rng.random() < 0.5:
        radius = sigma * 1.9
        size = int(np.ceil(radius)) * 2 + 1
        ys, xs = np.mgrid[0:size, 0:size].astype(np.float32) - size // 2
        disc = np.clip(radius + 0.5 - np.hypot(xs, ys), 0, 1)
        return cv2.filter2D(picture, -1, disc / disc.sum(), borderType=cv2.BORDER_REFLECT)
    return cv2.GaussianBlur(picture, (0, 0), sigma, borderType=cv2.BORDER_REFLECT)


def moved(picture, rng, length):
    """Motion during the exposure: a straight or slightly bent path of `length` pixels in a random direction."""
    if length < 0.6:
        return picture
    angle, bend = rng.uniform(0, 2 * np.pi), rng.uniform(-0.6, 0.6)
    size = int(np.ceil(length)) + 3
    size += 1 - size % 2
    kernel = np.zeros((size, size), np.float32)
    for t in np.linspace(-0.5, 0.5, int(length * 4) + 2):
        x = np.cos(angle + bend * t) * t * length + size // 2
        y = np.sin(angle + bend * t) * t * length + size // 2
        i, j = int(y), int(x)
        fy, fx = y - i, x - j
        kernel[i, j] += (1 - fy) * (1 - fx)
        kernel[i, j + 1] += (1 - fy) * fx
        kernel[i + 1, j] += fy * (1 - fx)
        kernel[i + 1, j + 1] += fy * fx
    return cv2.filter2D(picture, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REFLECT)


_noise = {}


def noisy(picture, rng, sigma):
    """Sensor noise: part constant, part growing with the light; a part of it is coarse, as after a camera's denoiser."""
    if sigma <= 0:
        return picture
    if "pool" not in _noise:
        pool = np.random.default_rng(7).standard_normal((1500, 2400)).astype(np.float32)
        coarse = cv2.GaussianBlur(pool, (0, 0), 0.8)
        _noise["pool"] = pool, coarse / coarse.std()
    fine = _noise["pool"][int(rng.random() < 0.4)]
    height, width = picture.shape
    y, x = rng.integers(0, fine.shape[0] - height), rng.integers(0, fine.shape[1] - width)
    field = fine[y:y + height, x:x + width]
    if rng.random() < 0.5:
        field = field[:, ::-1]
    share = rng.uniform(0.3, 1)
    return picture + field * (sigma * share + (sigma * (1 - share) / 12) * np.sqrt(np.maximum(picture, 0)))


def sharpened(picture, amount, sigma):
    """The halo that a camera's sharpening leaves."""
    if amount <= 0:
        return picture
    return picture + amount * (picture - cv2.GaussianBlur(picture, (0, 0), sigma))


def exposed(picture, gamma, gain):
    """The camera's tone curve."""
    return 255 * np.power(np.clip(picture * (gain / 255), 0, 1), gamma)


def jpeg(picture, quality):
    """JPEG there and back; gives uint8."""
    data = np.clip(picture + 0.5, 0, 255).astype(np.uint8)
    if quality is None:
        return data
    _, coded = cv2.imencode(".jpg", data, [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    return cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE)
