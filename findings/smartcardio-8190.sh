#!/usr/bin/env bash
# Java's javax.smartcardio loses each answer of more than 8190 octets, although the chip has sent it.
#
# Guess: CommandAPDU takes an expected length up to 65536 (its documentation), so that READ BINARY of a large EF.DG2 gets as many
# octets as chip and reader permit, as with pyscard.
# Seen: OpenJDK 17.0.19+10-1~deb12u2 has room for 8192 octets with the status word. From 8191 octets of data on, `transmit` fails
# with SCARD_E_INSUFFICIENT_BUFFER. The chip has executed the command by then. With secure messaging its send sequence counter is
# ahead of the program's, so that the session is lost, and sending the command again does not help. The connection itself stays
# usable. A program in Java asks for at most 8190 octets, less the data objects of secure messaging, whatever EF.ATR/INFO permits.
#
# Needs root, for namespaces. Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "Run it as root." >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download -qq -o APT::Sandbox::User=root openjdk-17-jre-headless=17.0.19+10-1~deb12u2 \
  pcscd=1.9.9-2 libpcsclite1=1.9.9-2 vsmartcard-vpcd=3.3+dfsg-2 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
# The settings of the package are links into /etc.
find unpacked/usr/lib/jvm -type l | while read -r link; do
  target=$(readlink "$link")
  case $target in /etc/*) ln -sfn "$folder/unpacked$target" "$link" ;; esac
done
mkdir readers
printf 'FRIENDLYNAME "Reader"\nDEVICENAME /dev/null:0x8c7b\nLIBPATH %s\nCHANNELID 0x8c7b\n' \
  "$(find "$folder/unpacked" -name libifdvpcd.so)" > readers/vpcd

cat > chip.py <<'END'
# A chip that answers READ BINARY with as many octets as the command asks for, and notes how many it sent.
import socket, sys, time

ATR = bytes.fromhex("3B80800101")

def answer(command):
    if command[1] != 0xB0:
        return b"\x6D\x00"
    expected = command[4] or 256
    if len(command) == 7:
        expected = int.from_bytes(command[5:], "big") or 65536
    with open(sys.argv[1], "a") as file:
        print(expected, file=file)
    return bytes(expected) + b"\x90\x00"

for _ in range(100):
    try:
        reader = socket.create_connection(("127.0.0.1", 35963))
        break
    except OSError:
        time.sleep(0.1)
stream = reader.makefile("rb")
while head := stream.read(2):
    message = stream.read(int.from_bytes(head, "big"))
    if message in (b"\0", b"\1", b"\2"):
        continue
    response = ATR if message == b"\4" else answer(message)
    reader.sendall(len(response).to_bytes(2, "big") + response)
END

cat > Read.java <<'END'
import javax.smartcardio.*;

public class Read {
  public static void main(String[] arguments) throws Exception {
    CardTerminal reader = TerminalFactory.getDefault().terminals().list().get(0);
    reader.waitForCardPresent(10000);
    CardChannel channel = reader.connect("T=1").getBasicChannel();
    for (int octets : new int[] {256, 4096, 8190, 8191, 65000, 256}) {
      try {
        ResponseAPDU response = channel.transmit(new CommandAPDU(0, 0xB0, 0, 0, octets));
        System.out.printf("%d: %d octets and %04X%n", octets, response.getData().length, response.getSW());
      } catch (CardException error) {
        System.out.printf("%d: %s%n", octets, error.getCause().getMessage());
      }
    }
  }
}
END

cat > inside.sh <<'END'
mount -t tmpfs tmpfs /run && mkdir /run/pcscd && ip link set lo up
library=$(find "$1/unpacked" -name libpcsclite.so.1)
export LD_LIBRARY_PATH=$(dirname "$library")
"$1/unpacked/usr/sbin/pcscd" --foreground -c "$1/readers" > "$1/log" 2>&1 &
python3 "$1/chip.py" "$1/sent" &
sleep 3
"$(find "$1/unpacked/usr/lib/jvm" -path '*/bin/java' -type f)" -Dsun.security.smartcardio.library="$library" "$1/Read.java"
kill %1 %2
END
unshare --mount --net --pid --fork --kill-child -- bash inside.sh "$folder" > seen
cat seen
echo "The chip sent: $(paste -sd ' ' sent)"

diff seen - <<'END'
256: 256 octets and 9000
4096: 4096 octets and 9000
8190: 8190 octets and 9000
8191: SCARD_E_INSUFFICIENT_BUFFER
65000: SCARD_E_INSUFFICIENT_BUFFER
256: 256 octets and 9000
END
[ "$(paste -sd ' ' sent)" = "256 4096 8190 8191 65000 256" ]
