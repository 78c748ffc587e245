#!/usr/bin/env bash
# SoftHSM keeps CKA_START_DATE of a private key, and cannot return it.
#
# Guess: with softhsm2 2.6.1-2.1 (Debian 12), C_GenerateKeyPair takes CKA_START_DATE (PKCS#11 v2.40, 4.8) in both templates, and
# C_GetAttributeValue returns it for both objects.
# Seen: the generation succeeds, the public object returns the date, and for the private one C_GetAttributeValue answers
# CKR_GENERAL_ERROR. A program that takes this for a broken object, or that reads the date in a list of keys, cannot use the
# token.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root softhsm2=2.6.1-2.1 libsofthsm2=2.6.1-2.1 softhsm2-common=2.6.1-2.1 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
mkdir tokens
printf 'directories.tokendir = %s/tokens\nobjectstore.backend = file\n' "$folder" > softhsm2.conf
export SOFTHSM2_CONF=$folder/softhsm2.conf
library=$(find "$folder/unpacked" -name libsofthsm2.so | head -n 1)
"$(find "$folder/unpacked" -name softhsm2-util)" --module "$library" --init-token --free --label t --pin 1234 --so-pin 5678 \
  > log

cat > dates.py <<'END'
import ctypes, struct, sys

library = ctypes.CDLL(sys.argv[1])
ulong = ctypes.c_ulong


class Attribute(ctypes.Structure):
    _fields_ = [("type", ulong), ("value", ctypes.c_void_p), ("length", ulong)]


class Mechanism(ctypes.Structure):
    _fields_ = [("mechanism", ulong), ("parameter", ctypes.c_void_p), ("length", ulong)]


def template(*pairs):
    kept = [ctypes.create_string_buffer(value, len(value)) for _, value in pairs]
    array = (Attribute * len(pairs))(
        *[Attribute(kind, ctypes.cast(buffer, ctypes.c_void_p), len(buffer)) for (kind, _), buffer in zip(pairs, kept)])
    array.kept = kept
    return array


def call(name, *arguments):
    value = getattr(library, name)(*arguments)
    assert value == 0, (name, hex(value))


TOKEN, PRIVATE, START_DATE, EC_PARAMS = 0x1, 0x2, 0x110, 0x180
YES, NO = b"\1", b"\0"
P256 = bytes.fromhex("06082a8648ce3d030107")
call("C_Initialize", None)
count = ulong(1)
slots = (ulong * 8)()
count.value = 8
call("C_GetSlotList", ctypes.c_ubyte(1), slots, ctypes.byref(count))
session = ulong()
call("C_OpenSession", slots[0], ulong(6), None, None, ctypes.byref(session))
call("C_Login", session, ulong(1), b"1234", ulong(4))
public = template((TOKEN, YES), (PRIVATE, NO), (START_DATE, b"20260101"), (EC_PARAMS, P256))
private = template((TOKEN, YES), (PRIVATE, YES), (START_DATE, b"20260101"))
handles = ulong(), ulong()
call("C_GenerateKeyPair", session, ctypes.byref(Mechanism(0x1040, None, 0)), public, ulong(len(public)), private,
     ulong(len(private)), ctypes.byref(handles[0]), ctypes.byref(handles[1]))
for handle in handles:
    date = template((START_DATE, b" " * 8))
    value = library.C_GetAttributeValue(session, handle, date, ulong(1))
    print(hex(value), date.kept[0].raw.decode().strip())
END
/usr/bin/python3 dates.py "$library" | tee seen
diff seen - <<'END'
0x0 20260101
0x5 
END
