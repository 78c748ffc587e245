#!/usr/bin/env bash
# The setting media-playback-requires-user-gesture decides nothing.
#
# Guess: with libwebkitgtk-6.0-4 2.50.6-1~deb12u2 (Debian 12), WebKitSettings:media-playback-requires-user-gesture
# does what its documentation says: it is off by default, so that media can start on its own, and on it holds all
# media until the user acts.
# Seen: for each autoplay policy of WebKitWebsitePolicies, and if none is set, the results with and without the
# setting are the same. Off, a page's play() of a sound is refused with NotAllowedError; on, muted media start on
# their own, and with the policy ALLOW those with sound too. Only the policy decides, and its default is
# ALLOW_WITHOUT_SOUND. A kiosk that speaks needs ALLOW, one that must be silent DENY, given to the view when it is
# made.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages are not installed or cannot be had.
set -euo pipefail
folder=$(mktemp -d)
screen=
trap '[ -z "$screen" ] || { kill "$screen" && wait "$screen"; } || true; rm -rf "$folder"' EXIT
cd "$folder"
for package in libwebkitgtk-6.0-4=2.50.6-1~deb12u2 gir1.2-webkit-6.0=2.50.6-1~deb12u2 xvfb= gstreamer1.0-plugins-good=; do
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
import base64
import io
import wave

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


sound = io.BytesIO()
with wave.open(sound, "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(8000)
    file.writeframes(bytes((value * 37) % 64 for value in range(32000)))
address = "data:audio/wav;base64," + base64.b64encode(sound.getvalue()).decode()
PAGE = """<ELEMENT src="ADDRESS"></video><script>
const player = document.querySelector("video"), tell = text => webkit.messageHandlers.tell.postMessage("ELEMENT: " + text);
player.addEventListener("playing", () => tell("plays"));
player.addEventListener("canplay", () => {
  if (player.autoplay) setTimeout(tell, 3000, "waits");
  // By then it is known whether there is sound.
  else setTimeout(() => player.play().catch(error => tell(error.name)), 2000);
}, {once: true});
</script>""".replace("ADDRESS", address)
policies = (None,) + tuple(WebKit.AutoplayPolicy(number) for number in range(3))
for policy in policies:
    for needs_gesture in False, True:
        manager = WebKit.UserContentManager()
        messages = []
        manager.register_script_message_handler("tell", None)
        manager.connect("script-message-received::tell", lambda _, value: messages.append(value.to_string()))
        settings = WebKit.Settings(media_playback_requires_user_gesture=needs_gesture)
        more = {} if policy is None else {"website_policies": WebKit.WebsitePolicies(autoplay=policy)}
        view = WebKit.WebView(user_content_manager=manager, settings=settings, **more)
        window = Gtk.Window(child=view)
        window.present()
        results = []
        for element in "video autoplay", "video autoplay muted", "video", "video muted":
            load(view, PAGE.replace("ELEMENT", element))
            own = []
            assert until(lambda: own.extend(text for text in messages if text.startswith(element + ": ")) or own), element
            results.append(own[0].split(": ")[1])
        print(f"{'no policy' if policy is None else policy.value_nick}, {needs_gesture}: {', '.join(results)}")
        window.destroy()
END_OF_PROGRAM
timeout 400 /usr/bin/python3 pages.py 2> log | tee seen
diff seen - <<'END'
no policy, False: waits, plays, NotAllowedError, plays
no policy, True: waits, plays, NotAllowedError, plays
allow, False: plays, plays, plays, plays
allow, True: plays, plays, plays, plays
allow-without-sound, False: waits, plays, NotAllowedError, plays
allow-without-sound, True: waits, plays, NotAllowedError, plays
deny, False: waits, waits, NotAllowedError, NotAllowedError
deny, True: waits, waits, NotAllowedError, NotAllowedError
END
