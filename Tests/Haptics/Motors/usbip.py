"""A USB device in user space: the kernel's virtual host controller (vhci-hcd) with the protocol of USB/IP over a socket
(Linux, Documentation/usb/usbip_protocol.rst)."""

import os
import socket
import struct
import threading
import time

CONTROLLER = "/sys/devices/platform/vhci_hcd.0"
FULL_SPEED = 2


class USB:
    """A full-speed device with one interface. A device below overrides the first methods."""

    name, vendor, product, version = "A device", 0, 0, 0x100
    interface_class = 3, 0, 0
    class_descriptor = b""
    has_output_endpoint = False

    def request(self, kind, number, value, data):
        """A request of a class or the vendor: the answer, or None to refuse it."""

    def output(self, report, at):
        """Data for the output endpoint at this moment (time.monotonic())."""

    def __init__(self):
        self.input_requests = []
        ours, kernels = socket.socketpair()
        self.socket = ours
        self.number = self._free_port()
        with open(CONTROLLER + "/attach", "w") as attach:
            attach.write(f"{self.number} {kernels.fileno()} {0x10000 + self.number + 1} {FULL_SPEED}")
        kernels.close()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        with open(CONTROLLER + "/detach", "w") as detach:
            detach.write(str(self.number))
        self.socket.close()

    @staticmethod
    def _free_port():
        with open(CONTROLLER + "/status") as status:
            for line in status:
                fields = line.split()
                if fields[0] == "hs" and fields[2] == "004":
                    return int(fields[1])
        raise RuntimeError("no free port")

    def _serve(self):
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
            while True:
                self._handle(self._read(48))
        except OSError:
            pass  # The device was unplugged.

    def _read(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise OSError
            data += part
        return data

    def _handle(self, head):
        command, sequence, _, is_in, endpoint = struct.unpack_from(">5I", head)
        if command == 2:
            # The host takes a request back, which was for input.
            victim, = struct.unpack_from(">I", head, 20)
            was = victim in self.input_requests
            if was:
                self.input_requests.remove(victim)
            self.socket.sendall(struct.pack(">6I24x", 4, sequence, 0, 0, 0, -104 & 0xFFFFFFFF if was else 0))
            return
        length, = struct.unpack_from(">I", head, 24)
        data = b"" if is_in else self._read(length)
        at = time.monotonic()
        if endpoint == 0:
            kind, number, value, _, size = struct.unpack_from("<BBHHH", head, 40)
            answer = self._standard(number, value) if kind & 0x60 == 0 else self.request(kind, number, value, data)
            if answer is None and kind & 0x60 == 0 and number == 6:
                self._complete(sequence, -32 & 0xFFFFFFFF, 0)
            elif answer is None:
                self._complete(sequence, -32 & 0xFFFFFFFF, 0)
            elif is_in:
                self._complete(sequence, 0, len(answer[:size]), answer[:size])
            else:
                self._complete(sequence, 0, length)
        elif is_in:
            # No button is ever pressed.
            self.input_requests.append(sequence)
        else:
            self._complete(sequence, 0, length)
            self.output(data, at)

    def _complete(self, sequence, status, length, data=b""):
        self.socket.sendall(struct.pack(">10I8x", 3, sequence, 0, 0, 0, status, length, 0, 0, 0) + data)

    def _standard(self, number, value):
        if number == 6:
            return self._descriptor(value >> 8, value & 0xFF)
        return {0: b"\0\0", 8: b"\1"}.get(number, b"")

    def _descriptor(self, kind, index):
        if kind == 1:
            return struct.pack(
                "<BBHBBBBHHHBBBB", 18, 1, 0x200, 0, 0, 0, 64, self.vendor, self.product, self.version, 1, 2, 0, 1)
        if kind == 2:
            endpoints = struct.pack("<BBBBHB", 7, 5, 0x81, 3, 64, 4)
            if self.has_output_endpoint:
                endpoints += struct.pack("<BBBBHB", 7, 5, 0x02, 3, 64, 4)
            interface = struct.pack("<BBBBBBBBB", 9, 4, 0, 0, len(endpoints) // 7, *self.interface_class, 0)
            body = interface + self.class_descriptor + endpoints
            return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), 1, 1, 0, 0x80, 250) + body
        if kind == 3:
            text = b"\x09\x04" if index == 0 else ("Lab" if index == 1 else self.name).encode("utf-16-le")
            return bytes((2 + len(text), 3)) + text
        if kind == 0x22:
            return self.descriptor
        return None


class USBHID(USB):
    """A HID device without an output endpoint: reports come in control requests."""

    descriptor = b""

    def feature(self, number):
        """The feature report that the driver asks for; None if there is none."""

    def report(self, data, at):
        """A report of the driver, with its number first if there are several."""

    @property
    def class_descriptor(self):
        return struct.pack("<BBHBBBH", 9, 0x21, 0x111, 0, 1, 0x22, len(self.descriptor))

    def request(self, kind, number, value, data):
        if kind == 0x21 and number == 9:
            self.report(data, time.monotonic())
            return b""
        if kind == 0xA1 and number == 1:
            return self.feature(value & 0xFF)
        return b""
