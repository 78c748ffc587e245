"""A polkit authority that answers as told.

Usage: scripted-polkit.py CALLS QUESTION ANSWER

QUESTION is the answer to a check that may ask nobody: ask, yes, no, unknown, hang, die.
ANSWER is the answer to one that may: yes, no-agent, dismissed, no, error, wait (until it is cancelled), hang, die.

It writes one line for each call to the file CALLS, before it answers.
"""
import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

CALLS = open(sys.argv[1], "w", buffering=1)
QUESTION, ANSWER = sys.argv[2:4]
NAME = "org.freedesktop.PolicyKit1"
waiting = {}


class Fault(dbus.DBusException):
    include_traceback = False


def result(authorized, challenge, details={}):
    return dbus.Struct((authorized, challenge, dbus.Dictionary(details, signature="ss")), signature="bba{ss}")


ANSWERS = {
    "ask": (False, True), "yes": (True, False), "no": (False, False), "no-agent": (False, True),
    "dismissed": (False, True, {"polkit.dismissed": "true"}),
}


class Authority(dbus.service.Object):
    @dbus.service.method(
        NAME + ".Authority", in_signature="(sa{sv})sa{ss}us", out_signature="(bba{ss})",
        async_callbacks=("reply", "error"))
    def CheckAuthorization(self, subject, action, details, flags, cancellation, reply, error):
        print("check", subject[0], action, len(details), int(flags), file=CALLS)
        answer = ANSWER if flags & 1 else QUESTION
        if answer in ANSWERS:
            reply(result(*ANSWERS[answer]))
        elif answer == "unknown":
            error(Fault("scripted", name=NAME + ".Error.Failed"))
        elif answer == "error":
            error(Fault("scripted", name=NAME + ".Error.NotAuthorized"))
        elif answer == "die":
            os._exit(1)
        elif answer == "wait":
            waiting[str(cancellation)] = error

    @dbus.service.method(NAME + ".Authority", in_signature="s")
    def CancelCheckAuthorization(self, cancellation):
        print("cancel", file=CALLS)
        error = waiting.pop(str(cancellation), None)
        if error:
            error(Fault("scripted", name=NAME + ".Error.Cancelled"))


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
connection = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
name = dbus.service.BusName(NAME, connection)
Authority(connection, "/org/freedesktop/PolicyKit1/Authority")
GLib.MainLoop().run()
