#!/usr/bin/env bash
# A function called in a page that is left does not answer, not even if it is cancelled.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), webkit_web_view_call_async_javascript_function calls
# its GAsyncReadyCallback in any case: with an error if the page goes away while it awaits a promise, and with
# G_IO_ERROR_CANCELLED once its GCancellable is cancelled, as GIO has it for all asynchronous operations.
# Seen: after another page of the same server is loaded, the callback is not called, since WebKit keeps the old page
# for Back and its promise with it; without the page cache it is called at some time later. To cancel changes nothing:
# a cancellation is looked at only when a result arrives, so that also on a page that stays the callback comes no
# sooner than the promise is settled. If the process of the page ends, it comes with "Unsupported result type". What
# the callback holds is held as long. A program has to end its own wait at load-changed or after a time.
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
from gi.repository import Gio, GLib, Gtk, WebKit

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
        self.wfile.write(b"<p>")

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/"


def visit(view, action):
    ends = []
    handler = view.connect("load-changed", lambda _, event: event == WebKit.LoadEvent.FINISHED and ends.append(event))
    action()
    assert until(lambda: ends)
    view.disconnect(handler)


def attempt(what, action):
    view = WebKit.WebView(network_session=WebKit.NetworkSession.new_ephemeral())
    visit(view, lambda: view.load_uri(address))
    answers = []

    def finish(_, result):
        try:
            answers.append(view.call_async_javascript_function_finish(result).to_string())
        except GLib.Error as error:
            answers.append(error.message)

    def seen():
        until(lambda: answers, 5)
        return answers[0] if answers else "no answer"

    cancellable = Gio.Cancellable()
    body = "return new Promise(resolve => { setTimeout(resolve, 15000, 'a value'); window.settle = resolve; })"
    view.call_async_javascript_function(body, -1, None, None, None, cancellable, finish)
    until(lambda: answers, 1)
    action(view)
    seen_before = seen()
    cancellable.cancel()
    print(f"{what}: {seen_before}; after cancel: {seen()}", end="")
    until(lambda: answers, 20)
    print(f"; at last: {answers[0] if answers else 'no answer'}")


def settle(view):
    view.evaluate_javascript("settle('settled')", -1, None, None, None, None)


attempt("the promise is settled", settle)
attempt("the page stays", lambda view: None)
attempt("another page", lambda view: visit(view, lambda: view.load_uri(address + "other")))
attempt("the process ends", lambda view: view.terminate_web_process())
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
the promise is settled: settled; after cancel: settled; at last: settled
the page stays: no answer; after cancel: no answer; at last: Operation was cancelled
another page: no answer; after cancel: no answer; at last: no answer
the process ends: Unsupported result type; after cancel: Unsupported result type; at last: Unsupported result type
END
