"""A logind with one session of this user, which `gdbus` locks: for the state of a screen, which this machine lacks.

Usage: scripted-logind.py STATE

STATE is unlocked, locked, hang (no answer about the session), other (the locked session is that of another user) or gone (the
session has ended since it was listed).

The method org.example.Lab.Lock of the session locks it.
"""
import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

STATE = sys.argv[1]
NAME = "org.freedesktop.login1"
PATH = "/org/freedesktop/login1"
SESSION = PATH + "/session/_31"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Fault(dbus.DBusException):
    include_traceback = False


class Manager(dbus.service.Object):
    @dbus.service.method(NAME + ".Manager", out_signature="a(susso)")
    def ListSessions(self):
        user = os.getuid() + (1 if STATE == "other" else 0)
        return [("1", dbus.UInt32(user), "person", "seat0", dbus.ObjectPath(SESSION))]


class Session(dbus.service.Object):
    locked = STATE in ("locked", "other")

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v", async_callbacks=("reply", "error"))
    def Get(self, interface, name, reply, error):
        if STATE == "gone":
            return error(Fault("scripted", name="org.freedesktop.DBus.Error.UnknownObject"))
        if STATE != "hang" and (interface, name) == (NAME + ".Session", "LockedHint"):
            reply(dbus.Boolean(self.locked))

    @dbus.service.method("org.example.Lab")
    def Lock(self):
        self.locked = True
        self.PropertiesChanged(
            NAME + ".Session", dbus.Dictionary({"LockedHint": dbus.Boolean(True)}, signature="sv"),
            dbus.Array([], signature="s"))

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
connection = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
name = dbus.service.BusName(NAME, connection)
Manager(connection, PATH)
Session(connection, SESSION)
print("ready", flush=True)
GLib.MainLoop().run()
