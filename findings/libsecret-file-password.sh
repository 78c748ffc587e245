#!/usr/bin/env bash
# The file backend of libsecret takes a wrong password for an empty keyring, and stores into it.
#
# Guess: the file backend of libsecret 0.20.5-3 (Debian 12), which programs in a sandbox use in place of a Secret Service, verifies the
# password of its file. With another one, for example if the portal made the program's secret anew, each call is an error, as with a
# KeePass database or an encrypted disk. (Here the password comes from the variable that the backend has for tests.)
# Seen: `secret-tool lookup`, `search` and `clear` do what they do for a secret that does not exist, without a message, and `store`
# succeeds. From then on the file has one item for each password under the same attributes, and each password sees its own. A program
# that makes a new key where it finds none makes one, and loses the identity that it has, without an error. It has to note
# outside of the file that it has stored a key.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root libsecret-tools=0.20.5-3 libsecret-1-0=0.20.5-3 libglib2.0-0 libgcrypt20 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH HOME=$folder
export SECRET_BACKEND=file SECRET_FILE_TEST_PATH=$folder/keyring
unset DBUS_SESSION_BUS_ADDRESS

# tool PASSWORD ARGUMENTS: what secret-tool finds, and its status.
tool() {
  local status=0
  SECRET_FILE_TEST_PASSWORD=$1 secret-tool "${@:2}" > out 2> err || status=$?
  if [ "$2" = search ]; then sed -n 's/^secret = //p' out > found; else cp out found; fi
  echo "$2 with the $1 password: $(if [ -s found ]; then cat found; else echo nothing; fi), status $status"
  # The attributes of what was found are on standard error, too.
  grep -v '^attribute\.' err || true
}
{
  printf first | tool right store --label=key desk lobby
  tool right lookup desk lobby
  tool wrong lookup desk lobby
  tool wrong search --all desk lobby
  tool wrong clear desk lobby
  printf second | tool wrong store --label=key desk lobby
  tool wrong lookup desk lobby
  tool right search --all desk lobby
  tool right lookup desk lobby
} | tee seen
diff seen - <<'END'
store with the right password: nothing, status 0
lookup with the right password: first, status 0
lookup with the wrong password: nothing, status 1
search with the wrong password: nothing, status 0
clear with the wrong password: nothing, status 1
store with the wrong password: nothing, status 0
lookup with the wrong password: second, status 0
search with the right password: first, status 0
lookup with the right password: first, status 0
END
