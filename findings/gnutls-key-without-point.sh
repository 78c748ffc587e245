#!/usr/bin/env bash
# GnuTLS refuses a private key on P-256 whose file leaves out the public point.
#
# Guess: certtool of gnutls-bin 3.7.9-2+deb12u7 (Debian 12) reads each key on P-256 in PKCS#8 (RFC 5958) or SEC 1. The public key in it is
# OPTIONAL (RFC 5915, 3), and can be computed from the private one. Java, for one, leaves it out of the PKCS#8 that it writes.
# Seen: without it certtool and p11tool fail with "Error in DER parsing" (SEC 1) or "Element was not found" (PKCS#8), which read like a
# damaged file, and with "Error in parsing" if the point is there and compressed (RFC 5480, 2.2). openssl 3.0.22-1~deb12u2, NSS 3.87
# (pk12util) and cryptography 44.0.0 take all of them. So certtool cannot use the key of a signer in Java, and p11tool cannot write it
# into a token, until `openssl ec -in FILE` has added the point. `openssl pkey -in FILE` adds nothing.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download -qq -o APT::Sandbox::User=root gnutls-bin=3.7.9-2+deb12u7 libgnutls30=3.7.9-2+deb12u7 \
  libgnutls-dane0=3.7.9-2+deb12u7 libtasn1-6 libopts25 openssl=3.0.22-1~deb12u2 libssl3=3.0.22-1~deb12u2 \
  libnss3-tools=2:3.87.1-1+deb12u4 libnss3=2:3.87.1-1+deb12u4 libnspr4 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install cryptography==44.0.0 || exit 77
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH

{
  openssl ecparam -name prime256v1 -genkey -noout -out whole-sec1.pem
  openssl pkcs8 -topk8 -nocrypt -in whole-sec1.pem -out whole-pkcs8.pem
  openssl ec -in whole-sec1.pem -no_public -out without-sec1.pem
  openssl pkcs8 -topk8 -nocrypt -in without-sec1.pem -out without-pkcs8.pem
  openssl pkey -in whole-sec1.pem -ec_conv_form compressed -out compressed-pkcs8.pem
  openssl pkey -in without-pkcs8.pem -out without-pkey.pem
  openssl ec -in without-pkcs8.pem -out without-mended.pem
  openssl ec -in compressed-pkcs8.pem -conv_form uncompressed -out compressed-mended.pem
  openssl pkey -in whole-sec1.pem -pubout -out public.pem
  openssl req -x509 -new -key whole-sec1.pem -subj '/C=UT/CN=Signer' -out certificate.pem
} 2> log
cat > public.py <<'END'
import sys
from cryptography.hazmat.primitives import serialization

key = serialization.load_pem_private_key(open(sys.argv[1], "rb").read(), None).public_key()
sys.stdout.buffer.write(key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
END
# judge TOOL: whether the public key that the tool states is that of the private key.
judge() { if cmp -s - public.pem; then printf ', %s yes' "$1"; else printf ', %s no' "$1"; fi; }
for name in whole-sec1 whole-pkcs8 without-sec1 without-pkcs8 compressed-pkcs8 without-pkey without-mended compressed-mended; do
  file=$name.pem
  printf '%s' "$name"
  openssl pkey -in "$file" -pubout -ec_conv_form uncompressed 2> log | judge openssl
  venv/bin/python public.py "$file" 2> log | judge cryptography
  openssl pkcs12 -export -inkey "$file" -in certificate.pem -name key -passout pass:word -out "$name.p12"
  mkdir "$name"
  certutil -N -d "$name" --empty-password
  pk12util -i "$name.p12" -d "$name" -W word > log
  pk12util -o "$name.out" -n key -d "$name" -W word > log
  openssl pkcs12 -in "$name.out" -passin pass:word -nocerts -nodes 2> log | openssl pkey -pubout 2> log | judge NSS
  { certtool --load-privkey "$file" --pubkey-info 2> error || true; } | sed -n '/^-----BEGIN/,/^-----END/p' | judge certtool
  sed -n 's/.*: \(.*[Ee]rror in.*\|Element was.*\)$/: \1/p' error | tr -d '\n'
  echo
done | tee seen
diff seen - <<'END'
whole-sec1, openssl yes, cryptography yes, NSS yes, certtool yes
whole-pkcs8, openssl yes, cryptography yes, NSS yes, certtool yes
without-sec1, openssl yes, cryptography yes, NSS yes, certtool no: Error in DER parsing.
without-pkcs8, openssl yes, cryptography yes, NSS yes, certtool no: Element was not found.
compressed-pkcs8, openssl yes, cryptography yes, NSS yes, certtool no: Error in parsing.
without-pkey, openssl yes, cryptography yes, NSS yes, certtool no: Element was not found.
without-mended, openssl yes, cryptography yes, NSS yes, certtool yes
compressed-mended, openssl yes, cryptography yes, NSS yes, certtool yes
END
