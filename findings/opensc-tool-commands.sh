#!/usr/bin/env bash
# opensc-tool sends a passport 46 commands of its own before the first that it is told, and never one of extended length.
#
# Guess: `opensc-tool --send-apdu` sends the octets that it is given, and nothing before them, so that it shows what a chip does with
# them: the selection of the eMRTD application, or READ BINARY with an extended Le.
# Seen: opensc-tool 0.23.0-0.3+deb12u2 first asks the chip for the applications of all the cards that it knows. A command of
# extended length is not sent at all ("Invalid arguments"): the driver for an unknown card does not announce it, whatever the
# reader can do. `--card-driver default` keeps the own commands away, but does not permit extended length. scriptor of
# pcsc-tools 1.6.2-1, or a program with libpcsclite, sends what it is given.
#
# Needs root, for namespaces. Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "Run it as root." >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download -qq -o APT::Sandbox::User=root opensc=0.23.0-0.3+deb12u2 opensc-pkcs11=0.23.0-0.3+deb12u2 \
  pcsc-tools=1.6.2-1 libpcsc-perl=1.4.14-5+b3 pcscd=1.9.9-2 libpcsclite1=1.9.9-2 vsmartcard-vpcd=3.3+dfsg-2 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
mkdir readers
printf 'FRIENDLYNAME "Reader"\nDEVICENAME /dev/null:0x8c7b\nLIBPATH %s\nCHANNELID 0x8c7b\n' \
  "$(find "$folder/unpacked" -name libifdvpcd.so)" > readers/vpcd

cat > chip.py <<'END'
# A chip with the eMRTD application only, which notes each command.
import socket, sys, time

ATR = bytes.fromhex("3B80800101")

def answer(command):
    with open(sys.argv[1], "a") as file:
        print(command.hex(), file=file)
    if command[1] == 0xA4:
        return b"\x90\x00" if b"\xA0\x00\x00\x02\x47\x10\x01" in command else b"\x6A\x82"
    if command[:4] == b"\x00\xB0\x9E\x00":
        return b"\x90\x00"
    return b"\x6D\x00"

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

cat > inside.sh <<'END'
mount -t tmpfs tmpfs /run && mkdir /run/pcscd && ip link set lo up
export LD_LIBRARY_PATH=$(dirname "$(find "$1/unpacked" -name libpcsclite.so.1)")
export PERL5LIB=$(dirname "$(find "$1/unpacked" -name Chipcard -path '*/perl5/*' -type d | head -n 1)")
export OPENSC_CONF=$1/unpacked/etc/opensc/opensc.conf
"$1/unpacked/usr/sbin/pcscd" --foreground -c "$1/readers" > "$1/log" 2>&1 &
python3 "$1/chip.py" "$1/commands" &
sleep 3
select=00A4040C07A0000002471001

show() {
  sed 's/^00b09e00000400$/extended/; s/^00a4040c07a0000002471001$/selection/; /^[0-9a-f]*$/s/.*/own/' "$1/commands" |
    uniq -c | sed 's/^ *//' | paste -sd ',' | sed "s/^/$2: /; s/,/, /g"
  : > "$1/commands"
}

: > "$1/commands"
for options in "" "--card-driver default"; do
  # shellcheck disable=SC2086
  "$1/unpacked/usr/bin/opensc-tool" $options --send-apdu $select --send-apdu 00B09E00000400 2>&1 | grep -i -e failed
  show "$1" "opensc-tool${options:+ $options}"
done
printf '%s\n' $select 00B09E00000400 > "$1/script"
"$1/unpacked/usr/bin/scriptor" "$1/script" > "$1/log" 2>&1
show "$1" scriptor
kill %1 %2
END
unshare --mount --net --pid --fork --kill-child -- bash inside.sh "$folder" | tee seen

diff seen - <<'END'
APDU transmit failed: Invalid arguments
opensc-tool: 46 own, 1 selection
APDU transmit failed: Invalid arguments
opensc-tool --card-driver default: 1 selection
scriptor: 1 selection, 1 extended
END
