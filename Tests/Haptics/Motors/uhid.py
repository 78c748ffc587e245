"""A HID device in user space: /dev/uhid (Linux, include/uapi/linux/uhid.h)."""

import os
import struct
import threading
import time

CREATE2, DESTROY, INPUT2, OUTPUT = 11, 1, 12, 6
GET_REPORT, GET_REPORT_REPLY, SET_REPORT, SET_REPORT_REPLY = 9, 10, 13, 14
# The largest event, CREATE2, after the number of the event.
LARGEST = 128 + 64 + 64 + 2 + 2 + 4 * 4 + 4096


class HID:
    """Makes the device and answers its driver on a thread. A device below overrides the first methods."""

    name, bus, vendor, product, version, unique = "A device", 3, 0, 0, 0x100, ""
    descriptor = b""

    def feature(self, number):
        """The feature report that the driver asks for, with its number first; None if there is none."""

    def output(self, report, at):
        """A report from the driver at this moment (time.monotonic())."""

    def started(self):
        """The kernel knows the device; the driver may be waiting for input."""

    def __init__(self):
        self.descriptor_of_file = os.open("/dev/uhid", os.O_RDWR | os.O_CLOEXEC)
        self.writing = threading.Lock()
        self._write(
            CREATE2,
            struct.pack(
                "<128s64s64sHHIIII", self.name.encode(), b"lab", self.unique.encode(), len(self.descriptor), self.bus,
                self.vendor, self.product, self.version, 0)
            + self.descriptor)
        threading.Thread(target=self._serve, daemon=True).start()
        self.started()

    def input(self, report):
        self._write(INPUT2, struct.pack("<H", len(report)) + report)

    def close(self):
        self._write(DESTROY, b"")
        os.close(self.descriptor_of_file)

    def _write(self, kind, data):
        # The kernel takes shorter events, too, but some versions read the whole.
        with self.writing:
            os.write(self.descriptor_of_file, struct.pack("<I", kind) + data.ljust(LARGEST, b"\0"))

    def _serve(self):
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
            while True:
                event = os.read(self.descriptor_of_file, 4 + LARGEST)
                self._handle(struct.unpack_from("<I", event)[0], event[4:], time.monotonic())
        except OSError:
            pass  # The device was closed.

    def _handle(self, kind, event, at):
        if kind == OUTPUT:
            size, = struct.unpack_from("<H", event, 4096)
            self.output(event[:size], at)
        elif kind == SET_REPORT:
            request, size = struct.unpack_from("<I2xH", event)
            self.output(event[8:8 + size], at)
            self._write(SET_REPORT_REPLY, struct.pack("<IH", request, 0))
        elif kind == GET_REPORT:
            request, number = struct.unpack_from("<IB", event)
            report = self.feature(number)
            self._write(
                GET_REPORT_REPLY,
                struct.pack("<IHH", request, 5 if report is None else 0, len(report or b"")) + (report or b""))
