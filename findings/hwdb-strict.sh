#!/usr/bin/env bash
# systemd-hwdb update --strict ends with 0, whatever is wrong in the files.
#
# Guess: `systemd-hwdb update --strict` of udev 252.39-1~deb12u2 (Debian 12) returns "non-zero exit value on any parsing error", as its
# manual says, so that the build of a package or an image that has entries for its readers and gamepads stops at a mistake.
# Seen: it prints each error and ends with 0, for a record without an empty line before it, a tab for the space of a property, a
# property without a value, and a record without properties, in the middle and at the end of a file. What follows a mistake
# is left out: a forgotten empty line costs the second record, properties and all. The devices then have no properties, although the
# update succeeded. A build has to look for output on standard error, or to ask for each entry with `systemd-hwdb query`.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
version=252.39-1~deb12u2
apt-get download -qq -o APT::Sandbox::User=root "udev=$version" "systemd=$version" "libsystemd-shared=$version" || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
libraries=$(dirname "$(find "$folder/unpacked" -name 'libsystemd-shared-*.so' | head -n 1)")
hwdb() { LD_LIBRARY_PATH=$libraries "$(find unpacked -name systemd-hwdb -type f | head -n 1)" --root="$folder/root" "$@"; }
mkdir -p root/etc/udev/hwdb.d

try() { # NAME, and on standard input the file with the device usb:v04E6
  local status=0
  cat > root/etc/udev/hwdb.d/70-readers.hwdb
  hwdb --strict update 2> errors || status=$?
  echo "$1: status $status, $(grep -c . errors) errors, properties of the device:$(hwdb query usb:v04E6p5591 | sed 's/^/ /' | tr -d '\n')"
}
{
  printf 'usb:v072F*\n READER=a\n\nusb:v04E6*\n READER=b\n' | try 'no mistake'
  printf 'usb:v072F*\n READER=a\nusb:v04E6*\n READER=b\n' | try 'no empty line between two records'
  printf 'usb:v04E6*\n\tREADER=b\n' | try 'a tab before the property'
  printf 'usb:v04E6*\n READER\n SLOTS=1\n' | try 'a property without a value'
  printf 'usb:v04E6*\n READER=b\n SLOTS\n' | try 'the same at the end'
  printf 'usb:v04E6*\n\n READER=b\n' | try 'an empty line in the record'
  printf 'usb:v04E6*\n' | try 'a record without properties'
} | tee seen
diff seen - <<'END'
no mistake: status 0, 0 errors, properties of the device: READER=b
no empty line between two records: status 0, 2 errors, properties of the device:
a tab before the property: status 0, 1 errors, properties of the device:
a property without a value: status 0, 1 errors, properties of the device: SLOTS=1
the same at the end: status 0, 1 errors, properties of the device: READER=b
an empty line in the record: status 0, 2 errors, properties of the device:
a record without properties: status 0, 1 errors, properties of the device:
END
