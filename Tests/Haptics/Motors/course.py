"""The course of a device's motors, and how far it is from the designed one."""

# The words as Sources/Haptics/TesseraHaptics/Patterns/HapticPatterns.swift designs them, written by hand, independently of it:
# start and length in milliseconds, strong, weak, attack in milliseconds. Change both together.
WORDS = {
    "selection": [(0, 20, 0, 0.5, 0)],
    "impact light": [(0, 40, 0, 0.7, 0)],
    "impact medium": [(0, 60, 0.5, 0.5, 0)],
    "impact heavy": [(0, 110, 1, 0.6, 0)],
    "impact rigid": [(0, 30, 1, 1, 0)],
    "impact soft": [(0, 180, 0.4, 0.4, 60)],
    "notification success": [(0, 50, 0, 0.8, 0), (130, 90, 0.7, 0.4, 0)],
    "notification warning": [(0, 90, 0.8, 0, 0), (180, 90, 0.8, 0, 0)],
    "notification error": [(at, 80, 1, 0.9, 0) for at in (0, 130, 260)],
}

# The same for a motor that is on or off: start and length.
ON_OFF = {
    "selection": [(0, 20)],
    "impact light": [(0, 40)],
    "impact medium": [(0, 70)],
    "impact heavy": [(0, 120)],
    "impact rigid": [(0, 30), (80, 30)],
    "impact soft": [(0, 200)],
    "notification success": [(0, 50), (150, 150)],
    "notification warning": [(0, 150), (250, 150)],
    "notification error": [(0, 60), (160, 60), (320, 60)],
}


def designed(pulses, at):
    """Both levels at this millisecond."""
    for start, length, strong, weak, attack in pulses:
        if start <= at < start + length:
            share = min(1, (at - start) / attack) if attack else 1
            return strong * share, weak * share
    return 0, 0


def course(heard):
    """The changes in milliseconds from the first report on."""
    changes = []
    for at, strong, weak in heard:
        levels = round(strong, 3), round(weak, 3)
        if not changes or changes[-1][1:] != levels:
            changes.append((round((at - heard[0][0]) * 1000),) + levels)
    return changes


def level(changes, at):
    now = 0, 0
    for moment, strong, weak in changes:
        if moment > at:
            break
        now = strong, weak
    return now


def felt(changes):
    """The course without the silence at its beginning."""
    silence = next((at for at, strong, weak in changes if strong or weak), 0)
    return [(at - silence, strong, weak) for at, strong, weak in changes if at >= silence]


def deviation(changes, pulses, within=10, share=0.1):
    """For how many milliseconds a motor is more than `share` of full strength away from what is designed at any moment
    within `within` milliseconds; and the largest difference of these."""
    end = max([start + length for start, length, *_ in pulses] + [at for at, *_ in changes] + [0]) + 50
    count, largest = 0, 0
    design = [designed(pulses, at) for at in range(-within, end + within + 1)]
    for at in range(end):
        near = design[at:at + 2 * within + 1]
        now = level(changes, at)
        off = 0
        for motor in (0, 1):
            lowest, highest = min(pair[motor] for pair in near), max(pair[motor] for pair in near)
            off = max(off, lowest - now[motor], now[motor] - highest)
        if off > share:
            count += 1
            largest = max(largest, off)
    return count, round(largest, 2)


def pulses_felt(changes):
    """The number of times that a motor starts."""
    return sum(1 for one, next in zip([(0, 0, 0)] + changes, changes) if not any(one[1:]) and any(next[1:]))


def text(changes):
    return "; ".join(f"{at} ms {strong:.0%}/{weak:.0%}".replace("%", "") for at, strong, weak in changes) or "nothing"
