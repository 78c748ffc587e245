#!/usr/bin/env bash
# certtool refuses documents of a country signer's new key whose link certificate leads to the trusted old key.
#
# Guess: with gnutls-bin 3.7.9-2+deb12u7 (Debian 12), certtool accepts what Doc 9303-12 prescribes for a change of
# keys: the link certificate has the country signer's name as subject and as issuer, holds the new key, and the old
# key signed it. Each certificate of a country signer states a path length of 0, against which certificates whose
# subject is their issuer do not count (RFC 5280, 4.2.1.9).
# Seen: `certtool --verify` accepts the link certificate itself. It refuses a document signer below it, because the
# chain "violates the signer's constraints", and accepts the same chain if no path length is stated. `openssl verify`
# accepts all of them. A program with GnuTLS needs the new self-signed certificate of the country signer as an anchor
# of its own.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root gnutls-bin=3.7.9-2+deb12u7 libgnutls30=3.7.9-2+deb12u7 \
  libgnutls-dane0=3.7.9-2+deb12u7 libtasn1-6 libopts25 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
lib=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu

serial=100
# make NAME SUBJECT KEY EXTENSIONS [ISSUER ISSUER_KEY]: a certificate, self-signed without an issuer.
make() {
  serial=$((serial + 1))
  [ -e "$3" ] || openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$3"
  openssl req -new -key "$3" -subj "/C=UT/O=Specimen/CN=$2" -out request
  printf 'subjectKeyIdentifier = hash\n%b' "$4" > extensions
  if [ $# = 4 ]; then
    openssl x509 -req -in request -signkey "$3" -days 3650 -extfile extensions -out "$1"
  else
    echo 'authorityKeyIdentifier = keyid' >> extensions
    openssl x509 -req -in request -CA "$5" -CAkey "$6" -set_serial "$serial" -days 1825 -extfile extensions \
      -out "$1"
  fi 2> log
}
signs='keyUsage = critical, keyCertSign, cRLSign\nbasicConstraints = critical, CA:TRUE'
document='keyUsage = critical, digitalSignature\n'
for length in ', pathlen:0' ''; do
  make old "Country signer" old.key "$signs$length\n"
  make new "Country signer" new.key "$signs$length\n"
  make link "Country signer" new.key "$signs$length\n" old old.key
  make by-old "Document signer" first.key "$document" old old.key
  make by-new "Document signer" second.key "$document" new new.key
  for case in "old by-old" "new by-new" "old link" "old by-new link"; do
    read -r anchor leaf between <<< "$case"
    cat "$leaf" ${between:+"$between"} > chain
    openssl=refused certtool=refused
    openssl verify -CAfile "$anchor" ${between:+-untrusted "$between"} "$leaf" > log 2>&1 && openssl=accepted
    LD_LIBRARY_PATH=$lib unpacked/usr/bin/certtool --verify --load-ca-certificate "$anchor" --infile chain > log 2>&1 &&
      certtool=accepted
    ! grep -q "Not verified.*violates the signer's constraints" log || certtool="$certtool (constraints)"
    echo "${length:+path length 0, }anchor $anchor, $leaf${between:+ with $between}: openssl $openssl," \
      "certtool $certtool"
  done
done | tee seen
diff seen - <<'END'
path length 0, anchor old, by-old: openssl accepted, certtool accepted
path length 0, anchor new, by-new: openssl accepted, certtool accepted
path length 0, anchor old, link: openssl accepted, certtool accepted
path length 0, anchor old, by-new with link: openssl accepted, certtool refused (constraints)
anchor old, by-old: openssl accepted, certtool accepted
anchor new, by-new: openssl accepted, certtool accepted
anchor old, link: openssl accepted, certtool accepted
anchor old, by-new with link: openssl accepted, certtool accepted
END
