#!/usr/bin/env bash
# A page over HTTPS does not reach a server of its own computer.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), a page of https://… may talk to a server at
# http://127.0.0.1 that permits its origin (CORS), as in Chromium and Firefox: loopback addresses are potentially
# trustworthy, so this is no mixed content (Mixed Content, 4.1; Secure Contexts, 3.1). The view itself calls a page of
# http://127.0.0.1 a secure context.
# Seen: fetch, WebSocket and EventSource to 127.0.0.1 and to localhost are blocked before anything is sent; a picture
# is loaded. From a page of http:// or of a scheme of the program everything arrives. A website that asks an agent on
# the computer for a card or a signature works in the desktop's browser and not in the program's window; it needs a
# message handler or a scheme of the program instead.
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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


def load(view, page, address="http://127.0.0.1/"):
    ends = []
    handler = view.connect("load-changed", lambda _, event: event == WebKit.LoadEvent.FINISHED and ends.append(event))
    view.load_html(page, address)
    assert until(lambda: ends)
    view.disconnect(handler)


requests = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        requests.append(self.path)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
Thread(target=server.serve_forever, daemon=True).start()
manager = WebKit.UserContentManager()
messages = []
manager.register_script_message_handler("tell", None)
manager.connect("script-message-received::tell", lambda _, value: messages.append(value.to_string()))
view = WebKit.WebView(user_content_manager=manager, network_session=WebKit.NetworkSession.new_ephemeral())
PAGE = """<script type=module>
const host = "HOST:PORT", ends = [];
ends.push(fetch(`http://${host}/fetch`).catch(() => 0));
for (const start of [
  () => new WebSocket(`ws://${host}/WebSocket`), () => new EventSource(`http://${host}/EventSource`),
  () => Object.assign(new Image(), {src: `http://${host}/picture`}),
]) ends.push(new Promise(resolve => {
  try { const object = start(); object.onload = object.onopen = object.onerror = resolve; } catch { resolve(); }
}));
await Promise.all(ends);
webkit.messageHandlers.tell.postMessage("end");
</script>"""
for origin in "https://example.test", "http://example.test", "program://page":
    for host in "127.0.0.1", "localhost":
        load(view, PAGE.replace("HOST", host).replace("PORT", str(server.server_port)), origin + "/")
        assert until(lambda: messages)
        del messages[:]
        print(f"from {origin}, {host} gets: {', '.join(sorted({path[1:] for path in requests}))}")
        del requests[:]
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
from https://example.test, 127.0.0.1 gets: picture
from https://example.test, localhost gets: picture
from http://example.test, 127.0.0.1 gets: EventSource, WebSocket, fetch, picture
from http://example.test, localhost gets: EventSource, WebSocket, fetch, picture
from program://page, 127.0.0.1 gets: EventSource, WebSocket, fetch, picture
from program://page, localhost gets: EventSource, WebSocket, fetch, picture
END
