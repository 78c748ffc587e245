#!/usr/bin/env bash
# SoftHSM changes an object by emptying its file and writing it anew.
#
# Guess: with softhsm2 2.6.1-2.1 (Debian 12, file backend), C_SetAttributeValue of a label writes a second file and renames it over
# the first one, so that a process that is killed leaves the old object or the new one.
# Seen: the file of the object is opened for reading and writing, cut to 0 bytes, and written in one call; no file is renamed. A
# process that ends between these two calls leaves an empty file, and the object is gone: for a program that renames the public
# object of a key pair, the private key is left without its public half. A copy (C_CopyObject) under the new label, and then
# the deletion of the first object, has no such moment.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root softhsm2=2.6.1-2.1 libsofthsm2=2.6.1-2.1 softhsm2-common=2.6.1-2.1 \
  strace=6.1-0.1 libunwind8=1.6.2-3 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
mkdir tokens
printf 'directories.tokendir = %s/tokens\nobjectstore.backend = file\n' "$folder" > softhsm2.conf
export SOFTHSM2_CONF=$folder/softhsm2.conf
library=$(find "$folder/unpacked" -name libsofthsm2.so | head -n 1)
"$(find "$folder/unpacked" -name softhsm2-util)" --module "$library" --init-token --free --label t --pin 1234 --so-pin 5678 \
  > log

cat > label.py <<'END'
import ctypes, os, sys

library = ctypes.CDLL(sys.argv[1])
ulong = ctypes.c_ulong


class Attribute(ctypes.Structure):
    _fields_ = [("type", ulong), ("value", ctypes.c_void_p), ("length", ulong)]


def template(*pairs):
    kept = [ctypes.create_string_buffer(value, len(value)) for _, value in pairs]
    array = (Attribute * len(pairs))(
        *[Attribute(kind, ctypes.cast(buffer, ctypes.c_void_p), len(buffer)) for (kind, _), buffer in zip(pairs, kept)])
    array.kept = kept
    return array


def call(name, *arguments):
    value = getattr(library, name)(*arguments)
    assert value == 0, (name, hex(value))


CLASS, TOKEN, PRIVATE, LABEL, VALUE = 0x0, 0x1, 0x2, 0x3, 0x11
call("C_Initialize", None)
count, slots = ulong(8), (ulong * 8)()
call("C_GetSlotList", ctypes.c_ubyte(1), slots, ctypes.byref(count))
session, handle = ulong(), ulong()
call("C_OpenSession", slots[0], ulong(6), None, None, ctypes.byref(session))
call("C_Login", session, ulong(1), b"1234", ulong(4))
data = template((CLASS, (0).to_bytes(8, "little")), (TOKEN, b"\1"), (PRIVATE, b"\0"), (LABEL, b"first"), (VALUE, b"data"))
call("C_CreateObject", session, data, ulong(len(data)), ctypes.byref(handle))
os.write(1, b"rename\n")
call("C_SetAttributeValue", session, handle, template((LABEL, b"second")), ulong(1))
os.write(1, b"renamed\n")
END
LD_LIBRARY_PATH=$(dirname "$(find "$folder/unpacked" -name 'libunwind.so.8' | head -n 1)") "$folder/unpacked/usr/bin/strace" \
  -f -y -e trace=ftruncate,rename,renameat,renameat2,unlink,write -o trace /usr/bin/python3 label.py "$library" > log

# The calls between the two marks that concern files of objects, without their paths and sizes.
sed -n '/"rename\\n"/,/"renamed\\n"/p' trace | grep -v 'renamed\?\\n' | grep -F .object \
  | sed -E 's/^[0-9]+ +//; s/^([a-z0-9]+)\(.*, 0\) *=.*/\1 to 0/; s/^write\(.*/write/; s/^(rename[a-z0-9]*|unlink)\(.*/\1/' | tee seen
diff seen - <<'END'
ftruncate to 0
write
END
