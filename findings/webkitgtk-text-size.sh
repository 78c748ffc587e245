#!/usr/bin/env bash
# Large text of the desktop makes the page of a view half as wide, and neither the page nor the program is told.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), the text size of the desktop (text-scaling-factor of
# GNOME, gtk-xft-dpi of GTK) changes the size of fonts in a page, or it is a change of devicePixelRatio or of the zoom
# level.
# Seen: it zooms the whole page. At twice the size the same window is 400 CSS pixels wide in place of 800, so that
# media queries for phones hold; a font of 16px is still 16px, devicePixelRatio is 1, matchMedia of a resolution sees
# nothing, and webkit_web_view_get_zoom_level is 1. A canvas or a picture chosen by devicePixelRatio (a preview of a
# camera, a QR symbol, a signature) is drawn with a quarter of the pixels of the screen and enlarged.
# webkit_web_view_set_zoom_level(2) does the same; devicePixelRatio doubles with it in other browsers.
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


view = WebKit.WebView()
window = Gtk.Window(child=view, default_width=800, default_height=600)
window.present()
load(view, "<div style='width: 100px; font-size: 16px'>x")


def state(what, width):
    assert until(lambda: evaluate(view, "innerWidth") == width), evaluate(view, "innerWidth")
    text = evaluate(view, """`width ${innerWidth}, font ${getComputedStyle(document.querySelector('div')).fontSize}, ` +
      `devicePixelRatio ${devicePixelRatio}, 2dppx ${matchMedia('(resolution: 2dppx)').matches}`""")
    print(f"{what}: {text}, zoom level {view.get_zoom_level()}")


settings = Gtk.Settings.get_default()
# 1024ths of a dot per inch.
settings.set_property("gtk-xft-dpi", 96 * 1024)
state("text of the usual size", "800")
settings.set_property("gtk-xft-dpi", 192 * 1024)
state("text twice as large", "400")
settings.set_property("gtk-xft-dpi", 96 * 1024)
view.set_zoom_level(2)
state("zoom level 2", "400")
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
text of the usual size: width 800, font 16px, devicePixelRatio 1, 2dppx false, zoom level 1.0
text twice as large: width 400, font 16px, devicePixelRatio 1, 2dppx false, zoom level 1.0
zoom level 2: width 400, font 16px, devicePixelRatio 1, 2dppx false, zoom level 2.0
END
