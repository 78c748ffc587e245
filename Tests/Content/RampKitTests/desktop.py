"""The parts of a desktop that RampKit calls, on the session bus of the environment. Prints each call as a line of JSON.

Arguments: what is there, of "portal" and "notifications".
"""
import json
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib


def say(name, *arguments):
    print(json.dumps([name, *arguments]), flush=True)


class Portal(dbus.service.Object):
    @dbus.service.method("org.freedesktop.portal.OpenURI", in_signature="ssa{sv}", out_signature="o")
    def OpenURI(self, parent, uri, options):
        say("OpenURI", str(parent), str(uri))
        return dbus.ObjectPath("/org/freedesktop/portal/desktop/request/1_1/t")


class Notifications(dbus.service.Object):
    @dbus.service.method("org.freedesktop.Notifications", in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, application, replaces, icon, title, body, actions, hints, timeout):
        say("Notify", str(application), str(title), str(body))
        return dbus.UInt32(1)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
names = []
if "portal" in sys.argv:
    names.append(dbus.service.BusName("org.freedesktop.portal.Desktop", bus))
    portal = Portal(bus, "/org/freedesktop/portal/desktop")
if "notifications" in sys.argv:
    names.append(dbus.service.BusName("org.freedesktop.Notifications", bus))
    notifications = Notifications(bus, "/org/freedesktop/Notifications")
say("ready")
GLib.MainLoop().run()
