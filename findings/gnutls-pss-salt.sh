#!/usr/bin/env bash
# GnuTLS refuses signatures with RSASSA-PSS by the length of their salt, but only if the key is called rsaEncryption.
#
# Guess: certtool of gnutls-bin 3.7.9-2+deb12u7 (Debian 12) verifies a certificate with RSASSA-PSS and SHA-256 by the parameters that are
# written in it (RFC 4055, 3.1), such as the default salt of 20 octets. Doc 9303-12 names RFC 4055 for country signers and document signers.
# Seen: if the issuer's key is of the type rsaEncryption, which `openssl genrsa` makes, the salt must be as long as the hash. With any
# other salt "the signature in the certificate is invalid". With a key of the type RSASSA-PSS and the same parameters of the signature
# it is verified. openssl 3.0.22-1~deb12u2 and cryptography 44.0.0 accept all of them. A program with GnuTLS thus takes a genuine document
# signer for a forged one; whether it does depends on the type that the country wrote into the country signer's key.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download -qq -o APT::Sandbox::User=root gnutls-bin=3.7.9-2+deb12u7 libgnutls30=3.7.9-2+deb12u7 \
  libgnutls-dane0=3.7.9-2+deb12u7 libtasn1-6 libopts25 openssl=3.0.22-1~deb12u2 libssl3=3.0.22-1~deb12u2 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install cryptography==44.0.0 || exit 77
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH
cat > judge.py <<'END'
from cryptography.x509 import load_pem_x509_certificate

issuer, signer = (load_pem_x509_certificate(open(name, "rb").read()) for name in ("issuer", "signer"))
signer.verify_directly_issued_by(issuer)
END

openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out signer.key 2> log
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out rsaEncryption 2> log
openssl genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:3072 -out RSASSA-PSS 2> log
openssl req -new -key signer.key -subj '/C=UT/O=Specimen/CN=Document signer' -out request
# The hash, and the length of the salt. MGF1 uses the same hash.
for case in "sha256 32" "sha256 20" "sha256 64" "sha512 64" "sha512 20"; do
  read -r hash salt <<< "$case"
  options=("-$hash" -sigopt rsa_padding_mode:pss -sigopt "rsa_mgf1_md:$hash" -sigopt "rsa_pss_saltlen:$salt")
  for key in rsaEncryption RSASSA-PSS; do
    openssl req -x509 -new -key "$key" -subj '/C=UT/O=Specimen/CN=Country signer' -days 3650 "${options[@]}" \
      -addext 'keyUsage = critical, keyCertSign, cRLSign' -out issuer
    openssl x509 -req -in request -CA issuer -CAkey "$key" -set_serial 5 -days 1825 "${options[@]}" -out signer 2> log
    openssl=refused certtool=refused cryptography=refused
    openssl verify -CAfile issuer signer > log 2>&1 && openssl=accepted
    venv/bin/python judge.py 2> log && cryptography=accepted
    certtool --verify --load-ca-certificate issuer --infile signer > log 2>&1 && certtool=accepted
    ! grep -q 'Chain verification.*signature in the certificate is invalid' log || certtool='invalid signature'
    echo "$hash, salt $salt, $key: openssl $openssl, cryptography $cryptography, certtool $certtool"
  done
done | tee seen
diff seen - <<'END'
sha256, salt 32, rsaEncryption: openssl accepted, cryptography accepted, certtool accepted
sha256, salt 32, RSASSA-PSS: openssl accepted, cryptography accepted, certtool accepted
sha256, salt 20, rsaEncryption: openssl accepted, cryptography accepted, certtool invalid signature
sha256, salt 20, RSASSA-PSS: openssl accepted, cryptography accepted, certtool accepted
sha256, salt 64, rsaEncryption: openssl accepted, cryptography accepted, certtool invalid signature
sha256, salt 64, RSASSA-PSS: openssl accepted, cryptography accepted, certtool accepted
sha512, salt 64, rsaEncryption: openssl accepted, cryptography accepted, certtool accepted
sha512, salt 64, RSASSA-PSS: openssl accepted, cryptography accepted, certtool accepted
sha512, salt 20, rsaEncryption: openssl accepted, cryptography accepted, certtool invalid signature
sha512, salt 20, RSASSA-PSS: openssl accepted, cryptography accepted, certtool accepted
END
