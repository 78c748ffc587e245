#!/usr/bin/env bash
# To begin the enrolment of a finger deletes its print in fprintd; who cancels has none.
#
# Guess: with fprintd 1.94.2-2 (Debian 12), EnrollStart for a finger that is enrolled is an error, as its
# documentation says ("if the finger has been already enrolled by the user"), or the old print stays until the new one
# is complete.
# Seen: it succeeds, and EnrollStop before the last scan leaves the finger without a print: ListEnrolledFingers does
# not have it any more, its file is gone from the disk, and VerifyStart says that there is no such print. With one
# finger only, the user cannot log in with it from then on. No scan is needed for it: the print is gone once
# EnrollStart has returned. A program has to say so before it begins, and to suggest a finger that is not enrolled.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
pids=()
trap '[ ${#pids[@]} = 0 ] || { kill "${pids[@]}" && wait "${pids[@]}"; } 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root fprintd=1.94.2-2 libfprint-2-2=1:1.94.5-1 libgusb2 libpixman-1-0 \
  libnss3 libnspr4 libgudev-1.0-0 libusb-1.0-0 libpolkit-gobject-1-0 libglib2.0-0 dbus-daemon libdbus-1-3 \
  libapparmor1 libexpat1 libcap-ng0 python3-gi gir1.2-glib-2.0 libgirepository-1.0-1 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
libraries=$(echo "$folder"/unpacked/usr/lib/*-linux-gnu)
export PATH=$folder/unpacked/usr/bin:$PATH LD_LIBRARY_PATH=$libraries:$(echo "$folder"/unpacked/lib/*-linux-gnu)
export PYTHONPATH=$folder/unpacked/usr/lib/python3/dist-packages GI_TYPELIB_PATH=$libraries/girepository-1.0
# A bus of its own, and a reader of libfprint whose scans come over a socket.
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$folder/bus FP_VIRTUAL_DEVICE=$folder/reader FP_DRIVERS_WHITELIST=virtual_device \
  STATE_DIRECTORY=$folder/state
mkdir state
cat > bus.conf <<END
<busconfig>
  <type>system</type>
  <listen>unix:path=$folder/bus</listen>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
END

# fprintd asks polkit, which allows all here.
cat > polkit.py <<'END'
from gi.repository import Gio, GLib

INTERFACE = """<node><interface name="org.freedesktop.PolicyKit1.Authority"><method name="CheckAuthorization">
<arg type="(sa{sv})" direction="in"/><arg type="s" direction="in"/><arg type="a{ss}" direction="in"/>
<arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="(bba{ss})" direction="out"/></method>
<property name="BackendVersion" type="s" access="read"/></interface></node>"""


def offer(bus, _):
    bus.register_object(
        "/org/freedesktop/PolicyKit1/Authority", Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0],
        lambda *call: call[-1].return_value(GLib.Variant("((bba{ss}))", ((True, False, {}),))),
        lambda *_: GLib.Variant("s", "1"), None)


Gio.bus_own_name(Gio.BusType.SYSTEM, "org.freedesktop.PolicyKit1", 0, offer, lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
END
cat > enrol.py <<'END'
import os
import pwd
import socket
import time

from gi.repository import Gio, GLib

SERVICE, READER = "net.reactivated.Fprint", "/net/reactivated/Fprint/Device/0"
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
user = pwd.getpwuid(os.getuid()).pw_name
told = []
bus.signal_subscribe(SERVICE, SERVICE + ".Device", None, READER, None, 0, lambda *signal: told.append(signal[5].unpack()[0]))


def call(method, *arguments):
    arguments = GLib.Variant("(s)", arguments) if arguments else None
    try:
        return bus.call_sync(SERVICE, READER, SERVICE + ".Device", method, arguments, None, 0, 30000, None).unpack()
    except GLib.Error as error:
        return (Gio.DBusError.get_remote_error(error) or error.message).rsplit(".", 1)[-1]


def until(condition, limit=60):
    end = time.monotonic() + limit
    while not condition() and time.monotonic() < end:
        if not GLib.MainContext.default().iteration(False):
            time.sleep(0.01)
    return condition()


def scan(finger):
    """One touch of the reader."""
    del told[:]

    def is_sent():
        with socket.socket(socket.AF_UNIX) as reader:
            try:
                reader.connect(os.environ["FP_VIRTUAL_DEVICE"])
            except OSError:
                return False
            reader.sendall(b"SCAN " + finger)
            return True

    # What comes before the reader waits for a finger is lost.
    for _ in range(12):
        assert until(is_sent)
        if until(lambda: told, 5):
            return told[-1]
    raise AssertionError("The reader does not answer.")


def report(what):
    files = sum(len(names) for _, _, names in os.walk(os.environ["STATE_DIRECTORY"]))
    fingers = call("ListEnrolledFingers", user)
    print(f"{what}: {fingers if isinstance(fingers, str) else ', '.join(fingers[0])}; files: {files}")


# The service has started, and has found its reader.
assert until(lambda: call("ListEnrolledFingers", user) == "NoEnrolledPrints")
call("Claim", user)
for finger in "right-index-finger", "left-thumb":
    call("EnrollStart", finger)
    while scan(finger.encode()) != "enroll-completed":
        pass
    call("EnrollStop")
report("two fingers enrolled")
started = call("EnrollStart", "left-thumb")
print("EnrollStart of an enrolled finger:", started or "succeeds")
print("first scan:", scan(b"left-thumb"))
call("EnrollStop")
report("stopped")
print("VerifyStart:", call("VerifyStart", "left-thumb"))
print("EnrollStart of the other one:", call("EnrollStart", "right-index-finger") or "succeeds")
call("EnrollStop")
report("stopped without a scan")
END
dbus-daemon --config-file=bus.conf --nofork --nopidfile 2> bus.log &
pids+=($!)
for _ in $(seq 50); do [ -S bus ] || sleep 0.1; done
/usr/bin/python3 polkit.py > ready 2> polkit.log &
pids+=($!)
for _ in $(seq 50); do [ -s ready ] || sleep 0.1; done
"$(find unpacked -path '*/libexec/fprintd')" -t 2> fprintd.log &
pids+=($!)
timeout 300 /usr/bin/python3 enrol.py | tee seen
diff seen - <<'END'
two fingers enrolled: left-thumb, right-index-finger; files: 2
EnrollStart of an enrolled finger: succeeds
first scan: enroll-stage-passed
stopped: right-index-finger; files: 1
VerifyStart: NoEnrolledPrints
EnrollStart of the other one: succeeds
stopped without a scan: NoEnrolledPrints; files: 0
END
