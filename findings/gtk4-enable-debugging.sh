#!/usr/bin/env bash
# A handler of enable-debugging that returns TRUE does not keep GTK's inspector away.
#
# Guess: with libgtk-4-1 4.8.3+ds-2+deb12u1 (Debian 12), GtkWindow::enable-debugging, which returns "TRUE if the key
# binding was handled", is like close-request and the key signals: a handler that returns TRUE comes before the
# window's own, and no inspector opens for Control+Shift+I or Control+Shift+D.
# Seen: the signal has no accumulator, so the result of the handler is thrown away and the window's own handler runs
# after it: a dialog asks whether to use the inspector, and its window exists. Only g_signal_stop_emission_by_name in
# the handler keeps it away. The emission returns TRUE in each case. A kiosk that returned TRUE shows the dialog to
# its guest.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages are not installed or cannot be had.
set -euo pipefail
folder=$(mktemp -d)
screen=
trap '[ -z "$screen" ] || { kill "$screen" && wait "$screen"; } || true; rm -rf "$folder"' EXIT
cd "$folder"
for package in libgtk-4-1=4.8.3+ds-2+deb12u1 gir1.2-gtk-4.0=4.8.3+ds-2+deb12u1 xvfb=; do
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
# No bus and no settings.
export DISPLAY HOME=$folder XDG_RUNTIME_DIR=$folder/run DBUS_SESSION_BUS_ADDRESS=unix:path=$folder/none GTK_A11Y=none \
  GDK_BACKEND=x11 GSK_RENDERER=cairo GSETTINGS_BACKEND=memory \
  PYTHONPATH=$folder/unpacked/usr/lib/python3/dist-packages

cat > windows.py <<'END_OF_PROGRAM'
import time
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, GObject, Gtk

Gtk.init()


def until(condition, limit=60):
    end = time.monotonic() + limit
    while not condition() and time.monotonic() < end:
        if not GLib.MainContext.default().iteration(False):
            time.sleep(0.005)
    return condition()


def handle(window, _):
    if sys.argv[1] == "stops the emission":
        GObject.signal_stop_emission_by_name(window, "enable-debugging")
    return True


window = Gtk.Window()
if sys.argv[1] != "no handler":
    window.connect("enable-debugging", handle)
window.present()
until(window.is_visible)
result = window.emit("enable-debugging", False)
windows = Gtk.Window.get_toplevels()
until(lambda: windows.get_n_items() > 1, 2)
others = sorted({type(other).__name__ for other in windows} - {"Window"})
print(f"{sys.argv[1]}: the emission returns {result}; other windows: {', '.join(others) or 'none'}")
END_OF_PROGRAM
for handler in 'no handler' 'returns TRUE' 'stops the emission'; do
  timeout 200 /usr/bin/python3 windows.py "$handler" 2> log
done | tee seen
diff seen - <<'END'
no handler: the emission returns True; other windows: GtkInspectorWindow, MessageDialog
returns TRUE: the emission returns True; other windows: GtkInspectorWindow, MessageDialog
stops the emission: the emission returns True; other windows: none
END
