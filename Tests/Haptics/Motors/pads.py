"""The devices that are made with /dev/uhid. The layouts of the reports are those of the drivers in Linux 6.1 and 6.12
(drivers/hid), which each class names."""

import os
import struct
import threading
import time

import course
import descriptors
from uhid import HID


class Motors:
    """What the motors of a device were told. `heard`: moment, strong motor and weak motor, from 0 to 1."""

    modules = ()
    # A driver may send late and keep its distances: how much later than designed a change may come, in milliseconds,
    # counted from the first that the motors felt.
    lateness = {}

    def __init__(self):
        self.heard = []
        super().__init__()

    def ready(self):
        """The driver has made its event node."""

    def designed(self, word, pulses):
        """What the device shall do for this word: the design, unless the device cannot."""
        return pulses

    def motors(self, at, strong, weak):
        self.heard.append((at, strong, weak))


class Pad(Motors, HID):
    """A device of /dev/uhid with motors."""


def calibration(number, length):
    """Feature reports of the motion sensors: pairs of opposite values, since the driver divides by their difference."""
    values = [0, 0, 0] + [8000, -8000] * 3 + [540, 540] + [8192, -8192] * 3
    return (bytes((number,)) + struct.pack("<17h", *values)).ljust(length, b"\0")


class DualSense(Pad):
    """hid-playstation."""

    title = "DualSense (hid-playstation, USB)"
    modules = ("hid-playstation",)
    name, vendor, product = "Sony Interactive Entertainment DualSense Wireless Controller", 0x054C, 0x0CE6
    descriptor = descriptors.DUALSENSE

    def feature(self, number):
        if number == 0x05:
            return calibration(5, 41)
        if number == 0x09:
            return b"\x09" + bytes((1, 2, 3, 4, 5, 6)).ljust(19, b"\0")
        if number == 0x20:
            return b"\x20" + bytes(43) + struct.pack("<H", 0x0224) + bytes(18)

    def output(self, report, at):
        # Bits 0 and 1 of byte 1, or bit 2 of byte 39: the motors are meant.
        if report[0] == 2 and (report[1] & 3 or report[39] & 4):
            self.motors(at, report[4] / 255, report[3] / 255)


class DualShock4(Pad):
    """hid-sony in 6.1, hid-playstation in 6.12."""

    title = "DualShock 4 (hid-sony in 6.1, hid-playstation in 6.12, USB)"
    modules = ("hid-sony", "hid-playstation")
    name, vendor, product = "Sony Computer Entertainment Wireless Controller", 0x054C, 0x05C4
    descriptor = descriptors.DUALSHOCK_4

    def feature(self, number):
        if number == 0x02:
            return calibration(2, 37)
        if number == 0x12:
            return b"\x12" + bytes((1, 2, 3, 4, 5, 7)).ljust(15, b"\0")
        if number == 0x81:
            return b"\x81" + bytes((1, 2, 3, 4, 5, 7))
        if number == 0xA3:
            return b"\xa3" + bytes(48)

    def output(self, report, at):
        if report[0] == 5 and report[1] & 1:
            self.motors(at, report[5] / 255, report[4] / 255)


class DualShock3(Pad):
    """hid-sony. The weak motor is on or off."""

    title = "DualShock 3 (hid-sony, USB)"
    modules = ("hid-sony",)
    name, vendor, product = "Sony PLAYSTATION(R)3 Controller", 0x054C, 0x0268
    descriptor = descriptors.DUALSHOCK_3

    def feature(self, number):
        if number == 0xF2:
            return b"\xf2\xff\xff\0" + bytes((1, 2, 3, 4, 5, 8)) + bytes(7)
        if number == 0xF5:
            return b"\xf5" + bytes(7)

    def designed(self, word, pulses):
        def on(strong, weak):
            return float(weak >= 0.5 or weak > 0 and strong == 0)
        return [(at, length, strong, on(strong, weak), attack) for at, length, strong, weak, attack in pulses]

    def ready(self):
        # The driver sends nothing before the first input report.
        self.input(b"\x01" + bytes(48))

    def output(self, report, at):
        if report[0] == 1 and len(report) > 5:
            self.motors(at, report[5] / 255, float(report[3]))


class Nintendo(Pad):
    """hid-nintendo over Bluetooth. A report has both motors; the driver waits for an input report before it sends."""

    modules = ("hid-nintendo",)
    bus, vendor = 5, 0x057E
    descriptor = descriptors.NINTENDO
    kind = 3
    # The driver first sends the level before, and the next ones 25 ms (6.1) or 60 ms (6.12) apart, after an input
    # report each (joycon_enforce_subcmd_rate). The reports of the lab come every 12 ms.
    lateness = {"6.1": 45, "6.12": 80}

    # The amplitude of the upper band as the driver encodes it, by its table (joycon_rumble_amplitudes): 100 steps from
    # 0 to 0xC8, and the amplitude of each in thousandths.
    amplitudes = (
        0, 10, 12, 14, 17, 20, 24, 28, 33, 40, 47, 56, 67, 80, 95, 112, 117, 123, 128, 134, 140, 146, 152, 159,
        166, 173, 181, 189, 198, 206, 215, 225, 230, 235, 240, 245, 251, 256, 262, 268, 273, 279, 286, 292, 298,
        305, 311, 318, 325, 332, 340, 347, 355, 362, 370, 378, 387, 395, 404, 413, 422, 431, 440, 450, 460, 470,
        480, 491, 501, 512, 524, 535, 547, 559, 571, 584, 596, 609, 623, 636, 650, 665, 679, 694, 709, 725, 741,
        757, 773, 790, 808, 825, 843, 862, 881, 900, 920, 940, 960, 981, 1003)

    def started(self):
        self.open = True
        threading.Thread(target=self._report, daemon=True).start()

    def close(self):
        self.open = False
        super().close()

    def _head(self, number):
        # Battery full, no buttons, both sticks in the middle, the motors ready.
        return bytes((number, 0, 0x80, 0, 0, 0, 0x00, 0x08, 0x80, 0x00, 0x08, 0x80, 0x70))

    def _report(self):
        # Evenly: the driver of 6.12 sends only after three reports in a row that are 8 to 17 ms apart.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5))
        due = time.monotonic()
        while self.open:
            try:
                self.input(self._head(0x30).ljust(49, b"\0"))
            except OSError:
                return
            due = max(due + 0.012, time.monotonic() + 0.008)
            time.sleep(due - time.monotonic())

    def output(self, report, at):
        if report[0] in (0x01, 0x10):
            self.motors(at, self._amplitude(report[2:6]), self._amplitude(report[6:10]))
        if report[0] != 0x01:
            return
        command, data = report[10], b""
        if command == 0x02:
            data = bytes((4, 0x21, self.kind, 2, 1, 2, 3, 4, 5, 9, 1, 1))
        elif command == 0x10:
            # The flash: no calibration of the user, and for the rest values that divide.
            address, length = struct.unpack_from("<IB", report, 11)
            data = report[11:16] + (b"\x10\x20" * 16)[:length]
        self.input((self._head(0x21) + bytes((0x80, command)) + data).ljust(49, b"\0"))

    def _amplitude(self, data):
        step = min((data[1] & 0xFE) // 2, len(self.amplitudes) - 1)
        return self.amplitudes[step] / self.amplitudes[-1]


class SwitchPro(Nintendo):
    title = "Switch Pro Controller (hid-nintendo, Bluetooth)"
    name, product, unique = "Pro Controller", 0x2009, "01:02:03:04:05:09"


def one_motor(pulses):
    """The higher level of both motors, of which the weak one counts for 60 %."""
    return [(at, length, max(strong, 0.6 * weak), attack) for at, length, strong, weak, attack in pulses]


class JoyConLeft(Nintendo):
    """Has the left motor only."""

    title = "Left Joy-Con (hid-nintendo, Bluetooth)"
    name, product, unique, kind = "Joy-Con (L)", 0x2006, "01:02:03:04:05:0a", 1

    def designed(self, word, pulses):
        return [(at, length, level, 0.0, attack) for at, length, level, attack in one_motor(pulses)]

    def motors(self, at, strong, weak):
        super().motors(at, strong, 0)


class JoyConRight(Nintendo):
    """Has the right motor only."""

    title = "Right Joy-Con (hid-nintendo, Bluetooth)"
    name, product, unique, kind = "Joy-Con (R)", 0x2007, "01:02:03:04:05:0b", 2

    def designed(self, word, pulses):
        return [(at, length, 0.0, level, attack) for at, length, level, attack in one_motor(pulses)]

    def motors(self, at, strong, weak):
        super().motors(at, 0, weak)


class XboxBluetooth(Pad):
    """hid-microsoft. Its motors have a hundred steps."""

    title = "Xbox Wireless Controller (hid-microsoft, Bluetooth)"
    modules = ("hid-microsoft",)
    name, bus, vendor, product, version = "Xbox Wireless Controller", 5, 0x045E, 0x0B20, 0x0509
    descriptor = descriptors.XBOX_BLUETOOTH

    def output(self, report, at):
        # The two motors of the triggers are before those of the handles.
        if report[0] == 3:
            self.motors(at, report[4] / 100, report[5] / 100)


class WiiRemote(Pad):
    """hid-wiimote. It has one motor, which is on or off: bit 0 of every report to it."""

    title = "Wii remote (hid-wiimote, Bluetooth)"
    modules = ("hid-wiimote",)
    name, bus, vendor, product = "Nintendo RVL-CNT-01", 5, 0x057E, 0x0306
    descriptor = descriptors.WII

    def designed(self, word, pulses):
        return [(at, length, 1.0, 1.0, 0) for at, length in course.ON_OFF[word]]

    def output(self, report, at):
        on = float(report[1] & 1)
        if not self.heard or self.heard[-1][1] != on:
            self.motors(at, on, on)
        if report[0] == 0x15:
            self.input(bytes((0x20, 0, 0, 0, 0, 0, 0xC0)))
        elif report[0] == 0x17:
            # Reading the memory: nothing there.
            self.input(bytes((0x21, 0, 0, 0xF8)) + report[4:6] + bytes(16))
        elif report[0] == 0x16:
            self.input(bytes((0x22, 0, 0, 0x16, 0)))
