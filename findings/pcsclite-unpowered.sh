#!/usr/bin/env bash
# In pcsc-lite, a successful SCardReconnect can leave the card without power, for every program.
#
# Guess: with pcscd 1.9.9-2 (Debian 12), a program that is told of a reset (SCARD_W_RESET_CARD) and reconnects with
# SCARD_LEAVE_CARD and gets SCARD_S_SUCCESS has a card with power, and others can connect too.
# Seen: if the reset was another program's SCardDisconnect with SCARD_UNPOWER_CARD (the default of pyscard), the reconnection
# succeeds and the card stays without power. SCardConnect of every program fails with SCARD_W_UNPOWERED_CARD while this one
# stays connected. SCardConnect with SCARD_SHARE_DIRECT succeeds, and SCardReconnect with SCARD_UNPOWER_CARD on it restores
# the power.
#
# Needs root, for namespaces. Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "Run it as root." >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root \
  pcscd=1.9.9-2 libpcsclite1=1.9.9-2 vsmartcard-vpcd=3.3+dfsg-2 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
mkdir readers
printf 'FRIENDLYNAME "Reader"\nDEVICENAME /dev/null:0x8c7b\nLIBPATH %s\nCHANNELID 0x8c7b\n' \
  "$(find "$folder/unpacked" -name libifdvpcd.so)" > readers/vpcd

cat > programs.py <<'END'
import ctypes, socket, subprocess, sys, threading, time

library = ctypes.CDLL(subprocess.run(
    ["find", sys.argv[1] + "/unpacked", "-name", "libpcsclite.so.1"], capture_output=True, text=True).stdout.split()[0])
LEAVE, UNPOWER = 0, 2
SHARED, DIRECT = 2, 3
EITHER = 3


controls = []

def serve(connection):
    """A chip that only has an answer to reset. Notes what the reader does to its power."""
    while head := connection.recv(2):
        message = connection.recv(int.from_bytes(head, "big"))
        if message in (b"\0", b"\1", b"\2"):
            controls.append(message[0])
        elif message == b"\4":
            connection.sendall(b"\0\4\x3b\x80\x01\x81")


class Program:
    def __init__(self):
        self.context, self.card, self.protocol = ctypes.c_long(), ctypes.c_long(), ctypes.c_ulong()
        assert library.SCardEstablishContext(2, None, None, ctypes.byref(self.context)) == 0

    def connect(self, mode=SHARED, protocols=EITHER):
        return self.status(library.SCardConnect(
            self.context, b"Reader 00 00", mode, protocols, ctypes.byref(self.card), ctypes.byref(self.protocol)))

    def reconnect(self, initialization):
        return self.status(library.SCardReconnect(
            self.card, SHARED, EITHER, initialization, ctypes.byref(self.protocol)))

    def disconnect(self, disposition):
        return self.status(library.SCardDisconnect(self.card, disposition))

    def state(self):
        size = ctypes.c_ulong
        return self.status(library.SCardStatus(self.card, None, size(), size(), size(), None, size()))

    @staticmethod
    def status(value):
        return "%08X" % (value & 0xFFFFFFFF)


for _ in range(100):
    try:
        connection = socket.create_connection(("127.0.0.1", 35963))
        break
    except OSError:
        time.sleep(0.1)
threading.Thread(target=serve, args=[connection], daemon=True).start()
time.sleep(3)
first, second, third = Program(), Program(), Program()


def show(*results):
    time.sleep(1)
    print(*results, "power", "on" if controls[-1] == 1 else "off")


show("connect", first.connect(), second.connect())
show("second: disconnect", second.disconnect(UNPOWER))
show("first: state", first.state(), "reconnect", first.reconnect(LEAVE))
show("third: connect", third.connect())
show("third: connect directly", third.connect(DIRECT, 0), "reconnect", third.reconnect(UNPOWER))
END

cat > inside.sh <<'END'
mount -t tmpfs tmpfs /run && mkdir /run/pcscd && ip link set lo up
LD_LIBRARY_PATH=$(dirname "$(find "$1/unpacked" -name libpcsclite.so.1)") \
  "$1/unpacked/usr/sbin/pcscd" --foreground -c "$1/readers" > "$1/log" 2>&1 &
python3 "$1/programs.py" "$1"
kill $!
END
unshare --mount --net --pid --fork --kill-child -- bash inside.sh "$folder" > seen

diff seen - <<'END' || exit 1
connect 00000000 00000000 power on
second: disconnect 00000000 power off
first: state 80100068 reconnect 00000000 power off
third: connect 80100067 power off
third: connect directly 00000000 reconnect 00000000 power on
END
echo "pcsc-lite 1.9.9-2 is as described."
