#!/usr/bin/env bash
# An address with a restricted port loads about:blank, successfully.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), webkit_web_view_load_uri of a port that browsers refuse
# (the Fetch standard's list of bad ports: 6000, 10080, 5060, …) ends with load-failed and
# WEBKIT_POLICY_ERROR_CANNOT_USE_RESTRICTED_PORT, which the documentation has for it.
# Seen: load-failed is not emitted. load-changed tells started, committed and finished, as for a page that is there,
# and the address of the view is about:blank, although a server listens at the port. A port without a server fails as
# it should, and the view keeps its page. A kiosk whose server was given such a port shows a white page, and its log
# is clean; it has to compare webkit_web_view_get_uri with what it loaded.
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
import socket
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


listeners = []


def listen(port):
    """A server that answers each connection with a page."""
    listener = socket.create_server(("127.0.0.1", port))
    listeners.append(listener)

    def serve():
        while True:
            client = listener.accept()[0]
            with client:
                if client.recv(65536):
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n"
                                   b"Connection: close\r\n\r\n<p>")

    Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


view = WebKit.WebView(network_session=WebKit.NetworkSession.new_ephemeral())
events = []
view.connect("load-changed", lambda _, event: events.append(event.value_nick))
view.connect("load-failed", lambda _view, _event, _address, error: events.append("load-failed") or True)
free = listen(0)
closed = socket.create_server(("127.0.0.1", 0))
unused = closed.getsockname()[1]
closed.close()
restricted = listen(10080)
for what, port in ("any port", free), ("a port without a server", unused), ("a restricted port", restricted):
    del events[:]
    view.load_uri(f"http://127.0.0.1:{port}/")
    assert until(lambda: "finished" in events)
    address = view.get_uri().replace(str(free), "FREE")
    print(f"{what}: {', '.join(events)}; {address}")
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
any port: started, committed, finished; http://127.0.0.1:FREE/
a port without a server: started, load-failed, finished; http://127.0.0.1:FREE/
a restricted port: started, committed, finished; about:blank
END
