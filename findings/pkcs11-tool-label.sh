#!/usr/bin/env bash
# pkcs11-tool signs with a key of another label than the one that it is given.
#
# Guess: `pkcs11-tool --sign --label NAME` of opensc 0.23.0-0.3+deb12u2 (Debian 12) signs with the private key of this
# label, as `--read-object --label NAME` reads the object of this label, and fails if there is none.
# Seen: with softhsm2 2.6.1-2.1 and one key pair, labelled "seal", it signs for the label "master-list" with the key
# "seal", says nothing, and exits with 0. `--read-object` finds no such object. Only `--id` selects a key for a
# signature; an id that no key has is an error. A script that names keys by their labels signs with the key that the
# token lists first.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root opensc=0.23.0-0.3+deb12u2 opensc-pkcs11=0.23.0-0.3+deb12u2 \
  softhsm2=2.6.1-2.1 libsofthsm2=2.6.1-2.1 softhsm2-common=2.6.1-2.1 libglib2.0-0 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH SOFTHSM2_CONF=$folder/softhsm2.conf
mkdir tokens
printf 'directories.tokendir = %s/tokens\nobjectstore.backend = file\n' "$folder" > softhsm2.conf
library=$(find "$folder/unpacked" -name libsofthsm2.so | head -n 1)
softhsm2-util --module "$library" --init-token --free --label t --pin 1234 --so-pin 5678 > log
tool() { pkcs11-tool --module "$library" --login --pin 1234 "$@" > log 2>&1; }

tool --keypairgen --key-type EC:prime256v1 --id 01 --label seal
tool --read-object --type pubkey --id 01 -o seal.der
openssl dgst -sha256 -binary seal.der > digest
for choice in "--label seal" "--label master-list" "--id 01" "--id 02"; do
  rm -f signature
  # shellcheck disable=SC2086
  if ! tool --sign --mechanism ECDSA $choice -i digest -o signature --signature-format openssl; then
    echo "sign $choice: refused"
  elif openssl pkeyutl -verify -pubin -keyform DER -inkey seal.der -in digest -sigfile signature > log; then
    echo "sign $choice: signed by seal"
  else
    echo "sign $choice: signed by another key"
  fi
done > seen
for name in seal master-list; do
  result="refused"
  ! tool --read-object --type pubkey --label "$name" -o read.der || result="read"
  echo "read $name: $result"
done >> seen
cat seen
diff seen - <<'END'
sign --label seal: signed by seal
sign --label master-list: signed by seal
sign --id 01: signed by seal
sign --id 02: refused
read seal: read
read master-list: refused
END
