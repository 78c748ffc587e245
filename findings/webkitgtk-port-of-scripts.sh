#!/usr/bin/env bash
# A user script whose allow list names a port is put into no page.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), a WebKitUserScript with the allow list
# "http://127.0.0.1:8080/*" is put into the pages of the server at this port, and "http://127.0.0.1/*" into those of
# port 80, as the patterns of browser extensions mean it.
# Seen: the pattern with the port of the page matches nothing, nor does "http://127.0.0.1:*/*"; there is no error and
# no warning. The pattern without a port matches the pages of every port. A block list with a port blocks nothing in
# the same way. A program with a loopback server has to leave the port out, and its script has to compare
# location.origin itself.
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


def evaluate(view, script):
    values = []
    view.evaluate_javascript(
        script, -1, None, None, None, lambda _, result: values.append(view.evaluate_javascript_finish(result)))
    assert until(lambda: values)
    return values[0].to_string()


manager = WebKit.UserContentManager()
view = WebKit.WebView(user_content_manager=manager, network_session=WebKit.NetworkSession.new_ephemeral())
window = Gtk.Window(child=view)
window.present()
FRAMES, START = WebKit.UserContentInjectedFrames.ALL_FRAMES, WebKit.UserScriptInjectionTime.START
for allowed, blocked in (
    (None, None), (["http://127.0.0.1/*"], None), (["http://127.0.0.1:8080/*"], None), (["http://127.0.0.1:*/*"], None),
    (None, ["http://127.0.0.1/*"]), (None, ["http://127.0.0.1:8080/*"]),
):
    manager.remove_all_scripts()
    manager.add_script(WebKit.UserScript.new("window.isHere = true", FRAMES, START, allowed, blocked))
    seen = []
    for port in 80, 8080:
        load(view, "<p>", f"http://127.0.0.1:{port}/")
        seen.append(f"port {port} " + ("yes" if evaluate(view, "String(window.isHere)") == "true" else "no"))
    print(f"allowed {allowed}, blocked {blocked}: {', '.join(seen)}")
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
allowed None, blocked None: port 80 yes, port 8080 yes
allowed ['http://127.0.0.1/*'], blocked None: port 80 yes, port 8080 yes
allowed ['http://127.0.0.1:8080/*'], blocked None: port 80 no, port 8080 no
allowed ['http://127.0.0.1:*/*'], blocked None: port 80 no, port 8080 no
allowed None, blocked ['http://127.0.0.1/*']: port 80 no, port 8080 no
allowed None, blocked ['http://127.0.0.1:8080/*']: port 80 yes, port 8080 yes
END
