#!/usr/bin/env bash
# A cookie with Secure is lost at a loopback address, although the page is a secure context.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), http://127.0.0.1 may set cookies with Secure, as in
# Chromium and Firefox: the page is a secure context (isSecureContext). What cannot be stored is an error where an API
# has errors.
# Seen: nothing stores such a cookie, and nothing says so. Set-Cookie and document.cookie with Secure have no effect;
# the promise of cookieStore.set, whose cookies always have Secure, is fulfilled; webkit_cookie_manager_add_cookie of
# a cookie with Secure for 127.0.0.1 finishes with TRUE. It is so for localhost as well. The log-in of a local server
# works in the developer's browser and goes round in circles in the program's window. The server has to leave Secure
# and the prefixes __Host- and __Secure- out at loopback.
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
gi.require_version("Soup", "3.0")
gi.require_version("WebKit", "6.0")
from gi.repository import GLib, Gtk, Soup, WebKit

Gtk.init()


def until(condition, limit=60):
    end = time.monotonic() + limit
    while not condition() and time.monotonic() < end:
        if not GLib.MainContext.default().iteration(False):
            time.sleep(0.005)
    return condition()


received = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        received.append(self.headers["Cookie"])
        self.send_response(200)
        for cookie in "plain=1; Path=/", "http=1; Secure; Path=/":
            self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<p>")

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
Thread(target=server.serve_forever, daemon=True).start()
session = WebKit.NetworkSession.new_ephemeral()
manager = session.get_cookie_manager()
view = WebKit.WebView(network_session=session)


def call(script):
    values = []
    view.call_async_javascript_function(
        script, -1, None, None, None, None,
        lambda _, result: values.append(view.call_async_javascript_function_finish(result)))
    assert until(lambda: values)
    return values[0].to_string()


def visit(address):
    ends = []
    handler = view.connect("load-changed", lambda _, event: event == WebKit.LoadEvent.FINISHED and ends.append(event))
    view.load_uri(address)
    assert until(lambda: ends)
    view.disconnect(handler)


for host in "127.0.0.1", "localhost":
    address = f"http://{host}:{server.server_port}/"
    visit(address)
    is_secure, cookies = call("return isSecureContext"), call("return document.cookie")
    print(f"{host}: secure context {is_secure}, cookies after Set-Cookie: {cookies}")
    print("document.cookie:", call("document.cookie = 'script=1; Secure'; return document.cookie"))
    print("cookieStore:", call(
        "const end = await cookieStore.set('store', '1').then(() => 'fulfilled', error => error.name);"
        "return `${end}; ${document.cookie}`"))
    cookie = Soup.Cookie.new("program", "1", host, "/", 3600)
    cookie.set_secure(True)
    added = []
    manager.add_cookie(cookie, None, lambda _, result: added.append(manager.add_cookie_finish(result)))
    assert until(lambda: added)
    visit(address)
    print(f"add_cookie: {added[0]}; sent with the next request: {received[-1]}")
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
127.0.0.1: secure context true, cookies after Set-Cookie: plain=1
document.cookie: plain=1
cookieStore: fulfilled; plain=1
add_cookie: True; sent with the next request: plain=1
localhost: secure context true, cookies after Set-Cookie: plain=1
document.cookie: plain=1
cookieStore: fulfilled; plain=1
add_cookie: True; sent with the next request: plain=1
END
