#!/usr/bin/env bash
# A computer without a camera is an OverconstrainedError for a page that constrains nothing.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), getUserMedia({video: true}) on a computer without a
# camera is rejected with NotFoundError, as the specification has it (Media Capture and Streams), and
# OverconstrainedError is for constraints that no device meets.
# Seen: it is OverconstrainedError ("Invalid constraint") with an empty member `constraint`, for video and for audio,
# with `true` and with {}. NotFoundError does not occur, the signal permission-request is not emitted, and
# enumerateDevices is an empty list. A page that tells "there is no camera" from "the camera cannot do this" by the
# name, or that tries again with fewer constraints, tells the user the wrong thing. It has to look at
# enumerateDevices.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages are not installed or cannot be had, or if there is a camera or
# a sound card.
set -euo pipefail
for device in /dev/video* /dev/snd/pcm*; do
  [ ! -e "$device" ] || { echo "There is $device." >&2; exit 77; }
done
folder=$(mktemp -d)
screen=
trap '[ -z "$screen" ] || { kill "$screen" && wait "$screen"; } || true; rm -rf "$folder"' EXIT
cd "$folder"
for package in libwebkitgtk-6.0-4=2.50.6-1~deb12u2 gir1.2-webkit-6.0=2.50.6-1~deb12u2 xvfb=; do
  [[ $(dpkg-query -W -f '${Package}=${Version}' "${package%=*}" 2> log) == "$package"* ]] ||
    { echo "Not installed: $package" >&2; exit 77; }
done
apt-get download -qq -o APT::Sandbox::User=root python3-gi=3.42.2-3+b1 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
Xvfb -displayfd 3 -screen 0 1280x1024x24 3> display > log 2>&1 &
screen=$!
for _ in $(seq 50); do [ -s display ] || sleep 0.1; done
DISPLAY=:$(cat display)
mkdir -m 700 run
# No bus, no settings and, as the pages are those below, no sandbox.
export DISPLAY HOME=$folder XDG_RUNTIME_DIR=$folder/run DBUS_SESSION_BUS_ADDRESS=unix:path=$folder/none GTK_A11Y=none \
  GDK_BACKEND=x11 GSK_RENDERER=cairo GSETTINGS_BACKEND=memory \
  PYTHONPATH=$folder/unpacked/usr/lib/python3/dist-packages \
  WEBKIT_DISABLE_DMABUF_RENDERER=1 WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1

cat > pages.py <<'END_OF_PROGRAM'
import time

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("WebKit", "6.0")
from gi.repository import GLib, Gtk, WebKit

Gtk.init()


def until(condition, limit=60):
    end = time.monotonic() + limit
    while not condition() and time.monotonic() < end:
        if not GLib.MainContext.default().iteration(False):
            time.sleep(0.005)
    return condition()


def load(view, page, address="http://127.0.0.1/"):
    ends = []
    handler = view.connect("load-changed", lambda _, event: event == WebKit.LoadEvent.FINISHED and ends.append(event))
    view.load_html(page, address)
    assert until(lambda: ends)
    view.disconnect(handler)


manager = WebKit.UserContentManager()
messages = []
manager.register_script_message_handler("tell", None)
manager.connect("script-message-received::tell", lambda _, value: messages.append(value.to_string()))
view = WebKit.WebView(user_content_manager=manager)
window = Gtk.Window(child=view)
window.present()
asked = []
view.connect("permission-request", lambda _, request: asked.append(request))
for wanted in "{video: true}", "{video: {}}", "{audio: true}", "{}":
    load(view, """<script>
      const tell = text => webkit.messageHandlers.tell.postMessage(text), devices = navigator.mediaDevices;
      devices.enumerateDevices().then(all => devices.getUserMedia(%s).then(() => tell("a stream"),
        error => tell(`${error.name}, constraint "${error.constraint}", ${all.length} devices`)));
    </script>""" % wanted)
    assert until(lambda: messages)
    print(f"{wanted}: {messages.pop()}, {len(asked)} permission requests")
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
{video: true}: OverconstrainedError, constraint "", 0 devices, 0 permission requests
{video: {}}: OverconstrainedError, constraint "", 0 devices, 0 permission requests
{audio: true}: OverconstrainedError, constraint "", 0 devices, 0 permission requests
{}: TypeError, constraint "undefined", 0 devices, 0 permission requests
END
