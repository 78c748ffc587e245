"""An authentication agent of polkit for one process.

Usage: polkit-agent.py PID ANSWER

ANSWER is yes (the user entered the password), dismiss (the user closed the dialog) or wait.

It runs as root, as the helper of real agents does once it has checked the password. It prints one line for each request.
"""
import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PROCESS, ANSWER = int(sys.argv[1]), sys.argv[2]
NAME = "org.freedesktop.PolicyKit1"
AGENT = NAME + ".AuthenticationAgent"

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
connection = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
authority = dbus.Interface(
    connection.get_object(NAME, "/org/freedesktop/PolicyKit1/Authority"), NAME + ".Authority")


class Dismissed(dbus.DBusException):
    include_traceback = False
    _dbus_error_name = NAME + ".Error.Cancelled"


class Agent(dbus.service.Object):
    @dbus.service.method(AGENT, in_signature="sssa{ss}sa(sa{sv})", async_callbacks=("reply", "error"))
    def BeginAuthentication(self, action, message, icon, details, cookie, identities, reply, error):
        # The user of auth_self.
        print("asked", action, int(identities[0][1]["uid"]), flush=True)
        if ANSWER == "dismiss":
            error(Dismissed("closed"))
        elif ANSWER == "yes":
            authority.AuthenticationAgentResponse2(
                dbus.UInt32(0), cookie, identities[0], reply_handler=reply, error_handler=error)

    @dbus.service.method(AGENT, in_signature="s")
    def CancelAuthentication(self, cookie):
        print("cancelled", flush=True)


Agent(connection, "/agent")
with open(f"/proc/{PROCESS}/stat") as file:
    start = int(file.read().rsplit(")", 1)[1].split()[19])
subject = {
    "pid": dbus.UInt32(PROCESS, variant_level=1), "start-time": dbus.UInt64(start, variant_level=1),
    "uid": dbus.Int32(os.stat(f"/proc/{PROCESS}").st_uid, variant_level=1),
}
authority.RegisterAuthenticationAgent(("unix-process", subject), "C", "/agent")
print("ready", flush=True)
GLib.MainLoop().run()
