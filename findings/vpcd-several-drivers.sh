#!/usr/bin/env bash
# Two vpcd drivers in one pcscd share their readers' slots.
#
# Guess: pcscd 1.9.9-2 with two entries for the driver of vsmartcard-vpcd 3.3+dfsg-2 (Debian 12), on two ports, has four
# readers, each with its own port: a chip that connects to the first port is in the first entry's reader.
# Seen: four readers are listed and both ports accept a chip, but the driver keeps its slots in one table for the whole
# process. Both entries use the sockets of the entry that was loaded last, so that a chip at its port is present in a reader
# of each entry, and a chip at the other port is in none. Tests with several chips need one pcscd for each pair of readers.
#
# Needs root, for namespaces. Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "Run it as root." >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root \
  pcscd=1.9.9-2 libpcsclite1=1.9.9-2 vsmartcard-vpcd=3.3+dfsg-2 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" root; done
driver=$(find "$folder/root" -name libifdvpcd.so)
mkdir readers
for port in 35963 35973; do
  printf 'FRIENDLYNAME "At %s"\nDEVICENAME /dev/null:0x%x\nLIBPATH %s\nCHANNELID 0x%x\n' $port $port "$driver" $port
done > readers/vpcd

cat > look.py <<'END'
import ctypes, socket, subprocess, sys, threading, time

folder = sys.argv[1]
library = ctypes.CDLL(subprocess.run(
    ["find", folder + "/root", "-name", "libpcsclite.so.1"], capture_output=True, text=True).stdout.split()[0])


class State(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("known", ctypes.c_ulong),
                ("now", ctypes.c_ulong), ("length", ctypes.c_ulong), ("atr", ctypes.c_ubyte * 33)]


def readers():
    """The names of the readers, and whether a card is in each."""
    context, length = ctypes.c_long(), ctypes.c_ulong()
    assert library.SCardEstablishContext(2, None, None, ctypes.byref(context)) == 0
    library.SCardListReaders(context, None, None, ctypes.byref(length))
    text = ctypes.create_string_buffer(length.value)
    library.SCardListReaders(context, None, text, ctypes.byref(length))
    names = [name for name in text.raw.split(b"\0") if name]
    states = (State * len(names))(*[State(name) for name in names])
    library.SCardGetStatusChange(context, 0, states, len(names))
    library.SCardReleaseContext(context)
    return sorted((s.name.decode(), bool(s.now & 0x20)) for s in states)


def chip(port):
    """A chip that only has an answer to reset."""
    connection = socket.create_connection(("127.0.0.1", port))

    def serve():
        try:
            while head := connection.recv(2):
                if connection.recv(int.from_bytes(head, "big")) == b"\4":
                    connection.sendall(b"\0\4\x3b\x80\x01\x81")
        except OSError:
            pass  # The chip was taken out.

    threading.Thread(target=serve, daemon=True).start()
    time.sleep(3)
    return connection


for _ in range(100):
    try:
        if len(readers()) == 4:
            break
    except AssertionError:
        pass
    time.sleep(0.1)
print("readers", len(readers()))
for port in (35963, 35973):
    inserted = chip(port)
    found = readers()
    print("chip at", port, ":", sum(card for _, card in found), "readers with a card,",
          sum(card for name, card in found if str(port) in name), "of this entry")
    inserted.close()
    time.sleep(3)
END

cat > inside.sh <<'END'
mount -t tmpfs tmpfs /run && mkdir /run/pcscd && ip link set lo up
LD_LIBRARY_PATH=$(dirname "$(find "$1/root" -name libpcsclite.so.1)") \
  "$1/root/usr/sbin/pcscd" --foreground -c "$1/readers" > "$1/log" 2>&1 &
python3 "$1/look.py" "$1"
kill $!
END
unshare --mount --net --pid --fork --kill-child -- bash inside.sh "$folder" > seen

diff seen - <<'END' || exit 1
readers 4
chip at 35963 : 0 readers with a card, 0 of this entry
chip at 35973 : 2 readers with a card, 1 of this entry
END
echo "vsmartcard-vpcd 3.3+dfsg-2 with pcscd 1.9.9-2 is as described."
