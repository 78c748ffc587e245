#!/usr/bin/env bash
# A message of a page to its program is changed or lost, and postMessage says nothing.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), window.webkit.messageHandlers.NAME.postMessage(VALUE)
# treats a value as the postMessage of windows and workers does: bytes, maps and big integers arrive as such, and a
# value that cannot be sent, such as a function, is a DataCloneError.
# Seen: bytes of a Uint8Array arrive as an object with the members "0", "1", …; an ArrayBuffer and a Map are empty
# objects; a Blob is null; a member that is a BigInt is missing. Nothing is thrown for them. If the value has a
# function, a DOM node, a promise or a proxy anywhere (the reactive objects of Vue and MobX are proxies), the signal
# script-message-received is not emitted, and the promise of a handler with reply is not settled. A page has to send
# text that it made with JSON.stringify.
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


manager = WebKit.UserContentManager()
messages = []
manager.register_script_message_handler("tell", None)
manager.connect("script-message-received::tell", lambda _, value: messages.append(value.to_json(0)))
manager.register_script_message_handler_with_reply("ask", None)


def answer(_, value, reply):
    reply.return_value(value)
    return True


manager.connect("script-message-with-reply-received::ask", answer)
manager.register_script_message_handler("result", None)
results = []
manager.connect("script-message-received::result", lambda _, value: results.append(value.to_string()))
view = WebKit.WebView(user_content_manager=manager)
window = Gtk.Window(child=view)
window.present()
PAGE = """<p id=p></p><script>
const value = %s, {tell, ask, result} = webkit.messageHandlers;
let sent = "nothing thrown";
try { tell.postMessage(value); } catch (error) { sent = error.name; }
const late = new Promise(resolve => setTimeout(() => resolve("no reply"), 3000));
Promise.race([ask.postMessage(value).then(() => "replied", error => error.name), late])
  .then(reply => result.postMessage(`${sent}, ${reply}`));
</script>"""
for value in (
    "{a: 1, b: [true, null, 'text']}", "new Uint8Array([1, 2, 250])", "new Uint8Array([1, 2, 250]).buffer",
    "new Map([['a', 1]])", "new Blob(['x'])", "{a: 1, big: 10n}", "{a: 1, f() {}}", "[document.getElementById('p')]",
    "{a: 1, later: Promise.resolve(1)}", "new Proxy({a: 1}, {})",
):
    load(view, PAGE % value)
    assert until(lambda: results)
    print(f"{value}: {results.pop()}; arrived: {messages.pop() if messages else 'nothing'}")
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
{a: 1, b: [true, null, 'text']}: nothing thrown, replied; arrived: {"a":1,"b":[true,null,"text"]}
new Uint8Array([1, 2, 250]): nothing thrown, replied; arrived: {"0":1,"1":2,"2":250}
new Uint8Array([1, 2, 250]).buffer: nothing thrown, replied; arrived: {}
new Map([['a', 1]]): nothing thrown, replied; arrived: {}
new Blob(['x']): nothing thrown, replied; arrived: null
{a: 1, big: 10n}: nothing thrown, replied; arrived: {"a":1}
{a: 1, f() {}}: nothing thrown, no reply; arrived: nothing
[document.getElementById('p')]: nothing thrown, no reply; arrived: nothing
{a: 1, later: Promise.resolve(1)}: nothing thrown, no reply; arrived: nothing
new Proxy({a: 1}, {}): nothing thrown, no reply; arrived: nothing
END
