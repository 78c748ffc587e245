#!/usr/bin/env bash
# pkcs11-tool cannot read the public key of P-384 from a token; those of P-256 and P-521 it can.
#
# Guess: pkcs11-tool of opensc 0.23.0-0.3+deb12u2 (Debian 12) writes the public half of an elliptic curve key
# (`--read-object --type pubkey`) for every curve on which it made the pair; if it has a limit, it fails for the
# longest keys.
# Seen: with softhsm2 2.6.1-2.1, keys of 256, 320, 512 and 521 bits are written. For P-384 and brainpoolP384r1 it ends
# with "cannot create EVP_PKEY" and writes no file, although the token has the point and the tool shows it when it
# makes the pair. A country signer with P-384 has to take the key for its certificate from CKA_EC_POINT.
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

id=10
for curve in prime256v1 secp384r1 secp521r1 brainpoolP256r1 brainpoolP320r1 brainpoolP384r1 brainpoolP512r1; do
  id=$((id + 1))
  pkcs11-tool --module "$library" --login --pin 1234 --keypairgen --key-type "EC:$curve" --id "$id" > made 2>&1
  # The point without the header of its octet string: 04, and one or two octets of length.
  point=$(sed -n 's/^ *EC_POINT: *04\(81\)\?..//p' made)
  if pkcs11-tool --module "$library" --read-object --type pubkey --id "$id" -o "$curve.der" > log 2>&1; then
    read_point=$(tail -c $((${#point} / 2)) "$curve.der" | od -An -v -tx1 | tr -d ' \n')
    if [ "$read_point" = "$point" ]; then echo "$curve: written"; else echo "$curve: another point"; fi
  else
    echo "$curve: $(sed -n 's/^error: //p' log); a point of $((${#point} / 2)) bytes is shown"
    [ ! -e "$curve.der" ] || echo "$curve: there is a file"
  fi
done | tee seen
diff seen - <<'END'
prime256v1: written
secp384r1: cannot create EVP_PKEY; a point of 97 bytes is shown
secp521r1: written
brainpoolP256r1: written
brainpoolP320r1: written
brainpoolP384r1: cannot create EVP_PKEY; a point of 97 bytes is shown
brainpoolP512r1: written
END
