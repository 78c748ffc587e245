#!/usr/bin/env bash
# gnome-keyring overwrites the secret of another item if the new one has fewer attributes.
#
# Guess: CreateItem of the Secret Service with `replace`, as secret-tool and libsecret call it, replaces the item "with the same
# attributes" (Secret Service API 0.2). An item with these and further attributes is another one, and stays.
# Seen: with gnome-keyring 42.1-1+b2 and libsecret-tools 0.20.5-3 (Debian 12), `secret-tool store service passports` puts its secret,
# its label and its attributes in the place of an item that a search for them finds. The secret of one reader is gone, not always that
# of the same one; nothing is asked or reported. The other way round, an item with more attributes is a new one. A program has to
# search, compare all attributes, and then change the item that it found, or create one without `replace`.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root gnome-keyring=42.1-1+b2 libgck-1-0 libgcr-base-3-1 libsecret-tools=0.20.5-3 \
  libsecret-1-0=0.20.5-3 libcap-ng0 libglib2.0-0 dbus-daemon dbus-bin dbus-session-bus-common libdbus-1-3 libapparmor1 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
# A home, a keyring and a bus of its own.
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH HOME=$folder/home XDG_RUNTIME_DIR=$folder/run \
  XDG_DATA_HOME=$folder/home/data XDG_CONFIG_HOME=$folder/home/config XDG_CACHE_HOME=$folder/home/cache
unset DBUS_SESSION_BUS_ADDRESS GNOME_KEYRING_CONTROL DISPLAY WAYLAND_DISPLAY
mkdir -m 700 home run
cat > bus.conf <<END
<busconfig>
  <type>session</type>
  <listen>unix:path=$folder/run/bus</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
  </policy>
</busconfig>
END

cat > session <<'END'
set -euo pipefail
# An empty password, so that no prompt appears. In the foreground, so that it ends with the session.
printf '\n' | gnome-keyring-daemon --foreground --unlock --components=secrets > log 2>&1 &
daemon=$!
trap 'kill "$daemon" && wait "$daemon" || true' EXIT
for _ in $(seq 50); do
  ! printf first | secret-tool store --label=left service passports reader left 2> log || break
  sleep 0.2
done
printf second | secret-tool store --label=right service passports reader right
show() {
  local found=0 reader
  for reader in left right; do ! secret-tool lookup service passports reader "$reader" > log || found=$((found + 1)); done
  echo "$1: secrets of $found of 2 readers, $(secret-tool search --all service passports 2> log | grep -c '^label') items"
}
show 'two readers'
printf third | secret-tool store --label=all service passports
show 'and one item without a reader'
for reader in left right; do printf again | secret-tool store --label="$reader" service passports reader "$reader"; done
show 'and both readers again'
END
timeout 60 dbus-run-session --config-file bus.conf -- bash session | tee seen
diff seen - <<'END'
two readers: secrets of 2 of 2 readers, 2 items
and one item without a reader: secrets of 1 of 2 readers, 2 items
and both readers again: secrets of 2 of 2 readers, 3 items
END
