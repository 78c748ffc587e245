#!/usr/bin/env bash
# One secret of two lines makes a whole keyring without a password unreadable for gnome-keyring.
#
# Guess: gnome-keyring 42.1-1+b2 (Debian 12) returns a secret as it was stored, any bytes of it, also after a restart, and whether or
# not the keyring has a password. A keyring without one is what a kiosk with automatic log-in has, since nobody types it there.
# Seen: with a password all secrets come back. Without one the keyring is a text file, into which a secret is written as it is, with its
# line ends. If a further line has no "=", as in a PEM file, the daemon refuses the file at its next start ("invalid or
# unrecognized format"): every secret of this keyring is gone for all programs, also those of other programs. If each further line has
# one, as in "pin=1234", the secret is cut behind its first line. CreateItem and SetSecret succeed, and until the restart all is well. A
# program stores one line, such as hexadecimal digits or base64 without line ends.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install jeepney==0.9.0 || exit 77
apt-get download -qq -o APT::Sandbox::User=root gnome-keyring=42.1-1+b2 libgck-1-0 libgcr-base-3-1 libsecret-tools=0.20.5-3 \
  libsecret-1-0=0.20.5-3 libcap-ng0 libglib2.0-0 dbus-daemon dbus-bin dbus-session-bus-common libdbus-1-3 libapparmor1 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
export PATH=$folder/unpacked/usr/bin:$PATH libraries=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export HOME=$folder/home XDG_RUNTIME_DIR=$folder/run XDG_DATA_HOME=$folder/home/data XDG_CONFIG_HOME=$folder/home/config \
  XDG_CACHE_HOME=$folder/home/cache
unset DBUS_SESSION_BUS_ADDRESS GNOME_KEYRING_CONTROL DISPLAY WAYLAND_DISPLAY
# A bus of its own, which starts no service.
cat > bus.conf <<END
<busconfig>
  <type>session</type>
  <listen>unix:path=$folder/run/bus</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
  </policy>
</busconfig>
END

# Makes a keyring with an empty password, as the dialog for a new keyring does if nothing is typed, and makes it the default one.
cat > create.py <<'END'
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection
from jeepney.wrappers import unwrap_msg

bus = open_dbus_connection()


def call(interface, method, signature, *values):
    address = DBusAddress("/org/freedesktop/secrets", "org.freedesktop.secrets", interface)
    return unwrap_msg(bus.send_and_get_reply(new_method_call(address, method, signature, values)))


_, session = call("org.freedesktop.Secret.Service", "OpenSession", "sv", "plain", ("s", ""))
keyring, = call(
    "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface", "CreateWithMasterPassword", "a{sv}(oayays)",
    {"org.freedesktop.Secret.Collection.Label": ("s", "kiosk")}, (session, b"", b"", "text/plain"))
call("org.freedesktop.Secret.Service", "SetAlias", "so", "default", keyring)
END
# session store|read none|some: one log-in, with a keyring that has no password, or some. It ends with the daemon.
cat > session <<'END'
set -euo pipefail
export LD_LIBRARY_PATH=$libraries
if [ "$2" = some ]; then
  printf 'password' | gnome-keyring-daemon --foreground --unlock --components=secrets > log 2>&1 &
else
  gnome-keyring-daemon --foreground --components=secrets > log 2>&1 &
fi
daemon=$!
trap 'kill "$daemon" && wait "$daemon" || true' EXIT
for _ in $(seq 50); do
  ! dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets org.freedesktop.DBus.Peer.Ping \
    > ping 2>&1 || break
  sleep 0.1
done
if [ "$1" = store ]; then
  [ "$2" = some ] || LD_LIBRARY_PATH='' venv/bin/python create.py
  printf other | secret-tool store --label=other program other
  secret-tool store --label=mine program mine < secret
fi
for program in other mine; do timeout 10 secret-tool lookup program "$program" > "$1.$program" 2> failure || : > "$1.$program"; done
END
state() {
  if ! [ -s "$1" ]; then echo gone; elif cmp -s "$1" "$2"; then echo whole; else echo "cut to \"$(cat "$1")\""; fi
}
try() { # NAME PASSWORD
  local what="$1, password: $2"
  rm -rf home run
  mkdir -m 700 home run
  timeout 60 dbus-run-session --config-file bus.conf -- bash session store "$2" > messages 2>&1
  local stored
  stored=$(state store.mine secret)
  timeout 60 dbus-run-session --config-file bus.conf -- bash session read "$2" > messages 2>&1
  printf other > other
  echo "$what: at first $stored; after a restart $(state read.mine secret), the other secret $(state read.other other)"
  if grep -q 'invalid or unrecognized format' log; then echo "$what: the daemon refuses the file"; fi
}

{
  printf '0123456789abcdef' > secret
  try 'one line' none
  printf 'pin=1234\npuk=5678' > secret
  try 'two lines with =' some
  try 'two lines with =' none
  # 60 bytes, so that no "=" fills up the end.
  openssl rand -base64 60 > secret
  try 'base64 in two lines' some
  try 'base64 in two lines' none
} | tee seen
diff seen - <<'END'
one line, password: none: at first whole; after a restart whole, the other secret whole
two lines with =, password: some: at first whole; after a restart whole, the other secret whole
two lines with =, password: none: at first whole; after a restart cut to "pin=1234", the other secret whole
base64 in two lines, password: some: at first whole; after a restart whole, the other secret whole
base64 in two lines, password: none: at first whole; after a restart gone, the other secret gone
base64 in two lines, password: none: the daemon refuses the file
END
