"""Situations other than a word on one device. Each function makes its devices, and returns what went wrong."""

import fcntl
import os
import struct
import subprocess
import tempfile
import time

import pads

EV_KEY, EV_FF, BTN_SOUTH, FF_GAIN = 0x01, 0x15, 0x130, 0x60
# What a clone by libevdev copies of a pad: rumble, periodic, square, triangle, sine, gain.
FEATURES = 0x50, 0x51, 0x58, 0x59, 0x5A, FF_GAIN


class Clone:
    """A gamepad of uinput whose program does not answer uploads: the kernel waits for 30 s for each."""

    def __init__(self):
        self.file = os.open("/dev/uinput", os.O_RDWR | os.O_NONBLOCK)

        def set_bit(number, value):
            fcntl.ioctl(self.file, 1 << 30 | 4 << 16 | ord("U") << 8 | number, value)

        set_bit(100, EV_KEY), set_bit(101, BTN_SOUTH), set_bit(100, EV_FF)
        for feature in FEATURES:
            set_bit(107, feature)
        setup = struct.pack("HHHH80sI", 3, 0x1209, 0x0003, 1, b"Clone", 10)
        fcntl.ioctl(self.file, 1 << 30 | len(setup) << 16 | ord("U") << 8 | 3, setup)
        fcntl.ioctl(self.file, ord("U") << 8 | 1)

    def close(self):
        os.close(self.file)


class Program:
    """The program with a data folder of its own, so that no device was used before."""

    def __init__(self, path):
        self.path = path
        self.environment = {**os.environ, "XDG_DATA_HOME": tempfile.mkdtemp(dir="/dev/shm")}

    def start(self, *arguments):
        return subprocess.Popen(
            [self.path, "haptic", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=self.environment)

    def run(self, *arguments):
        """Exit status, output, seconds."""
        began = time.monotonic()
        program = self.start(*arguments)
        output = program.communicate()[0]
        return program.returncode, output.strip(), time.monotonic() - began


def node(name):
    for event in os.listdir("/sys/class/input"):
        if event.startswith("event"):
            with open(f"/sys/class/input/{event}/device/name") as file, \
                    open(f"/sys/class/input/{event}/device/capabilities/ff") as forces:
                if name in file.read() and forces.read().strip() not in ("", "0"):
                    return f"/dev/input/{event}"


def wait_for(name):
    end = time.monotonic() + 10
    while not node(name) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.3)
    return node(name)


def felt(pad):
    return any(strong or weak for _, strong, weak in pad.heard)


def clone_before_pad(tessera):
    """A clone that nobody serves costs one try, the pad beside it plays, and `devices` says why."""
    program, wrong = Program(tessera), []
    clone = Clone()
    wait_for("Clone")
    first = program.run("impact", "light", "--require")
    if not (25 < first[2] < 45 and first[0] == 3 and "did not answer" in first[1]):
        wrong.append(f"alone: {first}")
    # The next one does not try again.
    second = program.run("impact", "light", "--require")
    if not (second[2] < 10 and second[0] == 3 and "did not answer" in second[1]):
        wrong.append(f"alone again: {second}")
    listed = program.run("devices")
    if "did not answer" not in listed[1] or "default" in listed[1]:
        wrong.append(f"devices: {listed}")
    pad = pads.DualSense()
    wait_for("DualSense")
    third = program.run("notification", "error", "--require")
    if not (third[0] == 0 and third[2] < 10 and felt(pad)):
        wrong.append(f"beside a pad: {third}")
    # Connected again, it is tried again: the pad is then the device used last, so another user.
    clone.close()
    clone = Clone()
    wait_for("Clone")
    pad.heard.clear()
    other = Program(tessera)
    fourth = other.run("impact", "heavy", "--require", "--device", node("Clone"))
    if not (25 < fourth[2] < 45 and fourth[0] == 3):
        wrong.append(f"connected again: {fourth}")
    clone.close()
    pad.close()
    return wrong


def gain_of_another_program(tessera):
    """Another program has set the gain to 0, and the pattern is played in full."""
    program, wrong = Program(tessera), []
    pad = pads.DualSense()
    path = wait_for("DualSense")
    other = os.open(path, os.O_WRONLY)
    os.write(other, struct.pack("qqHHi", 0, 0, EV_FF, FF_GAIN, 0))
    os.close(other)
    played = program.run("impact", "heavy", "--require")
    time.sleep(0.3)
    if played[0] != 0 or not any(strong > 0.98 for _, strong, _ in pad.heard):
        wrong.append(f"{played}, {pad.heard}")
    pad.close()
    return wrong


def unplugged_in_the_middle(tessera):
    """A pad that is unplugged in the middle did not play the pattern, which `--require` reports."""
    wrong = []
    for arguments, status in ((["--require"], 3), ([], 0)):
        program = Program(tessera)
        pad = pads.DualSense()
        wait_for("DualSense")
        pattern = os.path.join(program.environment["XDG_DATA_HOME"], "pattern.json")
        with open(pattern, "w") as file:
            file.write('[{"atMs": 0, "durationMs": 3000, "strong": 1, "weak": 1}]')
        run = program.start("play", pattern, *arguments)
        end = time.monotonic() + 10
        while not felt(pad) and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.4)
        pad.close()
        output = run.communicate()[0]
        if run.returncode != status or "unplugged" not in output:
            wrong.append(f"{arguments}: {run.returncode}, {output}")
    return wrong


ALL = {
    "clone": clone_before_pad,
    "gain": gain_of_another_program,
    "unplugged": unplugged_in_the_middle,
}
