#!/usr/bin/env bash
# OpenSSL has no use for the revocation list of a country signer's new key, and certtool for the anchor in second place.
#
# Guess: after a change of keys a country signs its one revocation list (CRL) with the present key, also for the certificates of the
# old one; the name of the issuer is the same, and each key is found by its identifier (RFC 5280, 5.2.1). With both self-signed
# certificates as anchors, `openssl verify -crl_check` looks up a document signer of the old key in this list, and
# `certtool --verify-crl` verifies the lists of both keys.
# Seen: openssl 3.0.22-1~deb12u2 (Debian 12) answers "unable to get certificate CRL", with -extended_crl too. It takes the list only with
# -extended_crl and the link certificate in -untrusted; then it also finds what is revoked. The new certificate itself in
# -untrusted does not do. certtool of gnutls-bin 3.7.9-2+deb12u7 tries the list with the first anchor of this name only: the signature
# "is invalid" if the other one comes first in the file.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root gnutls-bin=3.7.9-2+deb12u7 libgnutls30=3.7.9-2+deb12u7 \
  libgnutls-dane0=3.7.9-2+deb12u7 libtasn1-6 libopts25 openssl=3.0.22-1~deb12u2 libssl3=3.0.22-1~deb12u2 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH

# make NAME SUBJECT KEY SERIAL EXTENSIONS [ISSUER]: a certificate, self-signed without an issuer.
make() {
  [ -e "$3.key" ] || openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$3.key"
  openssl req -new -key "$3.key" -subj "/C=UT/O=Specimen/CN=$2" -out request
  printf 'subjectKeyIdentifier = hash\n%b\n' "$5" > extensions
  if [ $# = 5 ]; then
    openssl x509 -req -in request -signkey "$3.key" -set_serial "$4" -days 3650 -extfile extensions -out "$1"
  else
    echo 'authorityKeyIdentifier = keyid' >> extensions
    openssl x509 -req -in request -CA "$6" -CAkey "$6.key" -set_serial "$4" -days 1825 -extfile extensions -out "$1"
  fi 2> log
}
signs='keyUsage = critical, keyCertSign, cRLSign\nbasicConstraints = critical, CA:TRUE, pathlen:0'
document='keyUsage = critical, digitalSignature'
make old "Country signer" old 1 "$signs"
make new "Country signer" new 2 "$signs"
make link "Country signer" new 3 "$signs" old
make signer "Document signer" first 4 "$document" old
make revoked "Document signer" second 5 "$document" old
cat old new > anchors
cat new old > others

# Both lists have one entry, the certificate 5.
printf 'R\t%s\t%s\t05\tunknown\t/C=UT/O=Specimen/CN=Document signer\n' "$(date -u -d '4 years' +%y%m%d%H%M%SZ)" \
  "$(date -u -d yesterday +%y%m%d%H%M%SZ)" > index
: > index.attr
echo 01 > number
printf '%s\n' '[ca]' 'default_ca = d' '[d]' 'database = index' 'default_md = sha256' 'crlnumber = number' 'default_crl_days = 90' \
  'crl_extensions = e' '[e]' 'authorityKeyIdentifier = keyid' > settings
for key in old new; do
  openssl ca -config settings -gencrl -cert "$key" -keyfile "$key.key" -out "list-$key" 2> log
done

for case in "old" "new" "new -extended_crl" "new -untrusted link" "new -extended_crl -untrusted new" \
  "new -extended_crl -untrusted link"; do
  read -r key options <<< "$case"
  for certificate in signer revoked; do
    # shellcheck disable=SC2086
    result=$(openssl verify -CAfile anchors -crl_check -CRLfile "list-$key" $options "$certificate" 2>&1) || true
    echo "list of the $key key${options:+, $options}: $certificate," \
      "$(sed -n -e 's/.*depth lookup: //p' -e 's/.*: OK/accepted/p' <<< "$result" | head -n 1)"
  done
done > seen
for key in old new; do
  for file in anchors others; do
    result=$(certtool --verify-crl --load-ca-certificate "$file" --infile "list-$key" 2>&1) || true
    [ "$file" = anchors ] && order='old, new' || order='new, old'
    echo "certtool, list of the $key key, anchors $order:" \
      "$(sed -n -e 's/.*The certificate is trusted.*/verified/p' -e 's/.*The signature .* is invalid.*/invalid signature/p' <<< "$result")"
  done
done >> seen
cat seen
diff seen - <<'END'
list of the old key: signer, accepted
list of the old key: revoked, certificate revoked
list of the new key: signer, unable to get certificate CRL
list of the new key: revoked, unable to get certificate CRL
list of the new key, -extended_crl: signer, unable to get certificate CRL
list of the new key, -extended_crl: revoked, unable to get certificate CRL
list of the new key, -untrusted link: signer, unable to get certificate CRL
list of the new key, -untrusted link: revoked, unable to get certificate CRL
list of the new key, -extended_crl -untrusted new: signer, self-signed certificate
list of the new key, -extended_crl -untrusted new: revoked, self-signed certificate
list of the new key, -extended_crl -untrusted link: signer, accepted
list of the new key, -extended_crl -untrusted link: revoked, certificate revoked
certtool, list of the old key, anchors old, new: verified
certtool, list of the old key, anchors new, old: invalid signature
certtool, list of the new key, anchors old, new: invalid signature
certtool, list of the new key, anchors new, old: verified
END
