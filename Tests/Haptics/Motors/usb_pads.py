"""The devices whose drivers want a real USB device."""

import struct

import descriptors
from pads import Motors
from usbip import USB, USBHID


class DragonRise(Motors, USBHID):
    """hid-dr: a cheap pad of many names."""

    title = "DragonRise pad (hid-dr, USB)"
    modules = ("usbhid", "hid-dr")
    name, vendor, product = "USB Gamepad", 0x0079, 0x0006
    descriptor = descriptors.DRAGONRISE

    def report(self, data, at):
        if data[0] == 0x51:
            self.motors(at, data[4] / 255, data[2] / 255)
        elif data[0] == 0xF3:
            self.motors(at, 0, 0)


class Pantherlord(Motors, USBHID):
    """hid-pl: an adapter or a pad. Its motors have 127 steps."""

    title = "Pantherlord or GreenAsia pad (hid-pl, USB)"
    modules = ("usbhid", "hid-pl")
    name, vendor, product = "GreenAsia Inc. USB Joystick", 0x0E8F, 0x0003
    descriptor = descriptors.PANTHERLORD

    def report(self, data, at):
        self.motors(at, data[2] / 127, data[3] / 127)


class Xbox360(Motors, USB):
    """xpad (drivers/input/joystick/xpad.c)."""

    title = "Xbox 360 pad (xpad, USB)"
    modules = ("xpad",)
    name, vendor, product = "Controller", 0x045E, 0x028E
    interface_class = 0xFF, 0x5D, 0x01
    has_output_endpoint = True

    def output(self, report, at):
        if report[:2] == b"\x00\x08":
            self.motors(at, report[3] / 255, report[4] / 255)


class Wheel(Motors, USBHID):
    """hid-pidff with hid-generic: the device itself plays waves with their envelopes. What it would do is computed here
    from what it was told, since the force is not in a report."""

    title = "A wheel (hid-pidff, USB)"
    modules = ("usbhid", "hid-generic")
    name, vendor, product = "Wheel", 0x1209, 0x0002
    descriptor = descriptors.WHEEL

    def __init__(self):
        self.effects, self.newest, self.directions = {}, 0, []
        super().__init__()

    def designed(self, word, pulses):
        """A force has one level: that of the kernel's own translation (compat_effect in drivers/input/ff-core.c)."""
        return [(at, length, *[(2 * strong + weak) / 3] * 2, attack) for at, length, strong, weak, attack in pulses]

    def feature(self, number):
        if number == 18:
            return struct.pack("<BBBH", 18, self.newest, 1, 1000)
        if number == 19:
            return struct.pack("<BHBB", 19, 1000, 16, 1)

    def report(self, data, at):
        number = data[0]
        if number == 17:
            self.newest = next(index for index in range(1, 41) if index not in self.effects)
            self.effects[self.newest] = dict(attack=0)
        elif number == 1:
            index, _, length = struct.unpack_from("<BBH", data, 1)
            self.effects.setdefault(index, dict(attack=0))["length"] = length
            self.directions.append(data[9])
        elif number == 2:
            index, _, _, attack, _ = struct.unpack_from("<BHHHH", data, 1)
            self.effects[index]["attack"] = attack
        elif number == 4:
            index, magnitude = struct.unpack_from("<Bh", data, 1)
            self.effects[index]["level"] = magnitude / 32767
        elif number == 10:
            self._play(self.effects.get(data[1], {}), data[2], at)
        elif number == 11:
            self.effects.pop(data[1], None)

    def _play(self, effect, operation, at):
        if operation == 3 or "level" not in effect:
            return
        for time in range(0, effect["attack"], 5):
            level = effect["level"] * time / effect["attack"]
            self.motors(at + time / 1000, level, level)
        self.motors(at + effect["attack"] / 1000, effect["level"], effect["level"])
        self.motors(at + effect["length"] / 1000, 0, 0)
