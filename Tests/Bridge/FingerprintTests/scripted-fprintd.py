"""A fprintd that misbehaves as told: for the table of faults, which the real one cannot show.

Usage: scripted-fprintd.py CALLS METHOD FAULT [SIGNALS]

It answers each call as fprintd 1.94 does, but METHOD (for example Claim) with FAULT:
  none        as always
  hang        no answer
  die         ends without an answer
  malformed   an answer of another type
  NAME        the D-Bus error NAME

METHOD VerifyStatus means the time after VerifyStart. METHOD Removal means that the reader was unplugged: the service
removes it 300 ms after Release, and sends InterfacesRemoved if FAULT is "signal". METHOD VerifyFingerSelected with FAULT
"hang" means that the service does not say which finger it selected; without it, the reader can identify.

SIGNALS are the results that follow VerifyStart, separated by commas, each with "!" if it ends the try; the list goes on
with the next VerifyStart after one that ends the try.

It writes one line for each call to the file CALLS, before it answers, and "vanished" when the caller leaves the bus
while the reader is claimed. It prints "ready" when the bus knows it.
"""
import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

CALLS = open(sys.argv[1], "w", buffering=1)
METHOD, FAULT = sys.argv[2:4]
SIGNALS = [word for word in (sys.argv[4] if len(sys.argv) > 4 else "verify-match!").split(",") if word]
NAME = "net.reactivated.Fprint"


def say(text):
    print(text, file=CALLS)


class Fault(dbus.DBusException):
    include_traceback = False


class Scripted(dbus.service.Object):
    def answer(self, method, reply, error, value):
        say(method)
        if method != METHOD or FAULT == "none":
            return reply(*value)
        if FAULT == "hang":
            return None
        if FAULT == "die":
            os._exit(1)
        if FAULT == "malformed":
            # The signature of the method is part of its declaration.
            message = dbus.lowlevel.MethodReturnMessage(self.message)
            message.append(dbus.Struct([dbus.Int32(1)]))
            return self.connection.send_message(message)
        return error(Fault("scripted", name=FAULT))


class Manager(Scripted):
    readers = ["/net/reactivated/Fprint/Device/0"]

    @dbus.service.method(NAME + ".Manager", out_signature="ao", async_callbacks=("reply", "error"), message_keyword="message")
    def GetDevices(self, reply, error, message):
        self.message = message
        self.answer("GetDevices", reply, error, [dbus.Array(self.readers, signature="o")])


class Objects(dbus.service.Object):
    @dbus.service.signal("org.freedesktop.DBus.ObjectManager", signature="oas")
    def InterfacesRemoved(self, path, interfaces):
        pass

    def remove(self):
        path = Manager.readers.pop()
        say("removed")
        if FAULT == "signal":
            self.InterfacesRemoved(path, [NAME + ".Device"])


class Device(Scripted):
    claimed_by = None
    watch = None

    @dbus.service.method(
        NAME + ".Device", in_signature="s", out_signature="as", async_callbacks=("reply", "error"), message_keyword="message")
    def ListEnrolledFingers(self, username, reply, error, message):
        self.message = message
        self.answer("ListEnrolledFingers", reply, error, [["right-index-finger"]])

    @dbus.service.method(
        NAME + ".Device", in_signature="s", async_callbacks=("reply", "error"), sender_keyword="sender", message_keyword="message")
    def Claim(self, username, reply, error, sender, message):
        self.message = message
        self.claimed_by = sender
        self.watch = self.connection.watch_name_owner(sender, self.changed)
        self.answer("Claim", reply, error, [])

    def changed(self, owner):
        if owner == "" and self.claimed_by:
            self.claimed_by = None
            say("vanished")

    @dbus.service.method(NAME + ".Device", async_callbacks=("reply", "error"), message_keyword="message")
    def Release(self, reply, error, message):
        self.message = message
        if METHOD != "Release" or FAULT == "none":
            self.claimed_by = None
        self.answer("Release", reply, error, [])
        if METHOD == "Removal":
            GLib.timeout_add(300, objects.remove)

    @dbus.service.method(
        NAME + ".Device", in_signature="s", async_callbacks=("reply", "error"), message_keyword="message")
    def VerifyStart(self, finger, reply, error, message):
        self.message = message
        self.answer("VerifyStart", reply, error, [])
        if not (METHOD == "VerifyStart" and FAULT != "none" or METHOD == "VerifyFingerSelected"):
            self.VerifyFingerSelected(finger)
        if METHOD == "VerifyStatus":
            if FAULT == "die":
                GLib.timeout_add(50, lambda: os._exit(1))
            return
        if METHOD == "VerifyStart" and FAULT != "none":
            return
        while SIGNALS:
            word = SIGNALS.pop(0)
            GLib.idle_add(self.VerifyStatus, word.rstrip("!"), word.endswith("!"))
            if word.endswith("!"):
                break

    @dbus.service.method(NAME + ".Device", async_callbacks=("reply", "error"), message_keyword="message")
    def VerifyStop(self, reply, error, message):
        self.message = message
        self.answer("VerifyStop", reply, error, [])

    @dbus.service.signal(NAME + ".Device", signature="s")
    def VerifyFingerSelected(self, finger):
        pass

    @dbus.service.signal(NAME + ".Device", signature="sb")
    def VerifyStatus(self, result, done):
        pass


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
connection = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
name = dbus.service.BusName(NAME, connection)
objects = Objects(connection, "/net/reactivated/Fprint")
Manager(connection, "/net/reactivated/Fprint/Manager")
Device(connection, "/net/reactivated/Fprint/Device/0")
print("ready", flush=True)
GLib.MainLoop().run()
