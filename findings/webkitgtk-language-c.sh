#!/usr/bin/env bash
# In a program without a locale, the language of a page is "C", which JavaScript refuses.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), navigator.language is a language tag (BCP 47) in every
# locale, en-US for C, POSIX and C.UTF-8. These are the locales of containers, of cron and of units that name none.
# Seen: it is "C" for these locales and if none is set. `new Intl.NumberFormat(navigator.language)` and the like throw
# a RangeError ("invalid language tag: C"); the HTTP field Accept-Language is "C" as well. A page that works on a desk
# fails in a kiosk. After webkit_web_context_set_preferred_languages("en-US") all are en-US.
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
import sys
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


def evaluate(view, script):
    values = []
    view.evaluate_javascript(
        script, -1, None, None, None, lambda _, result: values.append(view.evaluate_javascript_finish(result)))
    assert until(lambda: values)
    return values[0].to_string()


requests = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        requests.append(self.headers["Accept-Language"])
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<p>")

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
Thread(target=server.serve_forever, daemon=True).start()
if len(sys.argv) > 2:
    WebKit.WebContext.get_default().set_preferred_languages(sys.argv[2:])
view = WebKit.WebView(network_session=WebKit.NetworkSession.new_ephemeral())
ends = []
view.connect("load-changed", lambda _, event: event == WebKit.LoadEvent.FINISHED and ends.append(event))
view.load_uri(f"http://127.0.0.1:{server.server_port}/")
assert until(lambda: ends)
script = """
let text;
try { text = new Intl.NumberFormat(navigator.language).format(1234.5); } catch (error) { text = String(error); }
`${navigator.language}; ${text}`
"""
print(f"{sys.argv[1]}: {evaluate(view, script)}; Accept-Language: {requests[0]}")
END_OF_PROGRAM
page() { timeout 200 env -u LANG -u LC_ALL -u LC_MESSAGES -u LANGUAGE "$1" /usr/bin/python3 pages.py "${@:2}" 2> log; }
{
  page A=B 'no locale'
  for locale in C POSIX C.UTF-8; do page LANG=$locale LANG=$locale; done
  page LANG=C.UTF-8 'LANG=C.UTF-8, with a preferred language' en-US
} | tee seen
diff seen - <<'END'
no locale: C; RangeError: invalid language tag: C; Accept-Language: C
LANG=C: C; RangeError: invalid language tag: C; Accept-Language: C
LANG=POSIX: C; RangeError: invalid language tag: C; Accept-Language: C
LANG=C.UTF-8: C; RangeError: invalid language tag: C; Accept-Language: C
LANG=C.UTF-8, with a preferred language: en-US; 1,234.5; Accept-Language: en-US
END
