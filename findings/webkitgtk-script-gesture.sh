#!/usr/bin/env bash
# Each script that a program evaluates counts as a touch of the user.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), a script of webkit_web_view_evaluate_javascript runs as
# the page's own: it is no activation by the user, unless one says so, as with the userGesture of Chromium's
# Runtime.evaluate and of Electron's executeJavaScript, which is false by default.
# Seen: navigator.userActivation.isActive is true in the script and in timers some seconds after it, for
# call_async_javascript_function and in other worlds too, and hasBeenActive stays true. So the script `0` is enough
# for a page with beforeunload to stop the program's own webkit_web_view_try_close with a dialog, which it does not if
# nobody touched it. The reply to a script message handler with reply is no activation: a program that only delivers
# data does it there.
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
messages = []
manager.register_script_message_handler("tell", None)
manager.connect("script-message-received::tell", lambda _, value: messages.append(value.to_string()))
manager.register_script_message_handler_with_reply("ask", None)


def answer(_, value, reply):
    reply.return_value(value)
    return True


manager.connect("script-message-with-reply-received::ask", answer)
PAGE = """<p><script>
const {userActivation} = navigator;
const state = when => webkit.messageHandlers.tell.postMessage(
  `${when}: isActive ${userActivation.isActive}, hasBeenActive ${userActivation.hasBeenActive}`);
addEventListener("beforeunload", event => event.preventDefault());
state("as the page loads");
</script>"""


def show():
    view = WebKit.WebView(user_content_manager=manager)
    Gtk.Window(child=view).present()
    load(view, PAGE)
    return view


def told():
    assert until(lambda: messages)
    return messages.pop(0)


def close(view):
    events = []
    view.connect("close", lambda _: events.append("closes"))

    def confirm(_, dialog):
        events.append("asks the user")
        dialog.confirm_set_confirmed(True)
        return True

    view.connect("script-dialog", confirm)
    view.try_close()
    assert until(lambda: "closes" in events)
    return ", ".join(events)


view = show()
print(told())
# The script is an element of the page's own making; the program only answers.
load(view, PAGE + "<script>webkit.messageHandlers.ask.postMessage(0).then(() => state('after a reply'))</script>")
told()
print(told())
print("try_close:", close(view))
view = show()
told()
evaluate(view, """state('in a script of the program'); setTimeout(state, 1000, 'a second later');
  setTimeout(state, 7000, 'seven seconds later')""")
for _ in range(3):
    print(told())
view = show()
told()
done = []
view.call_async_javascript_function(
    "state('in a function of the program')", -1, None, None, None, None, lambda _, result: done.append(0))
print(told())
view = show()
told()
evaluate(view, "0")
print("try_close after the script 0:", close(view))
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
as the page loads: isActive false, hasBeenActive false
after a reply: isActive false, hasBeenActive false
try_close: closes
in a script of the program: isActive true, hasBeenActive true
a second later: isActive true, hasBeenActive true
seven seconds later: isActive false, hasBeenActive true
in a function of the program: isActive true, hasBeenActive true
try_close after the script 0: asks the user, closes
END
