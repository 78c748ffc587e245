#!/usr/bin/env bash
# To load an address that differs from the last one only behind "#" emits no load-changed.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), every webkit_web_view_load_uri ends with load-changed
# and WEBKIT_LOAD_FINISHED, if need be after load-failed: "you can monitor the load operation" with this signal.
# Seen: if the address differs from that of the page in the fragment alone, load-changed and load-failed are not
# emitted at all; the property uri changes, and is-loading becomes TRUE and FALSE again. The same call once more, with
# the address that is shown by now, loads the page anew with all events. A program that waits for the end of each
# load, for example a kiosk that shows "…/#step2", waits for ever on the first call and not on the second. It has to
# wait for is-loading, or to compare the addresses before.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages are not installed or cannot be had.
set -euo pipefail
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
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

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


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<p id=one>1<p id=two>2")

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
Thread(target=server.serve_forever, daemon=True).start()
view = WebKit.WebView(network_session=WebKit.NetworkSession.new_ephemeral())
events = []
view.connect("load-changed", lambda _, event: events.append(event.value_nick))
view.connect("load-failed", lambda *_: events.append("load-failed"))
view.connect("notify::is-loading", lambda *_: events.append("loads" if view.is_loading() else "rests"))
for rest in "", "#one", "#two", "#two", "?query#two":
    del events[:]
    address = f"http://127.0.0.1:{server.server_port}/{rest}"
    view.load_uri(address)
    until(lambda: "rests" in events)
    until(lambda: "finished" in events, 3)
    print(f"/{rest}: {', '.join(events)}; shown: {view.get_uri() == address}")
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
/: loads, started, committed, rests, finished; shown: True
/#one: loads, rests; shown: True
/#two: loads, rests; shown: True
/#two: loads, started, committed, rests, finished; shown: True
/?query#two: loads, started, committed, rests, finished; shown: True
END
