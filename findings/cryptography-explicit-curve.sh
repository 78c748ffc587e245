#!/usr/bin/env bash
# python-cryptography refuses the explicit parameters of curves that it knows by name, among them those of brainpool.
#
# Guess: cryptography 50.0.2 reads explicit parameters of a curve (RFC 3279; Doc 9303-12 asks for them in the certificates of
# country signers) as the curve that has these parameters, if it supports this curve by its name.
# Seen: it does so for secp256r1, secp384r1 and secp521r1. Those of secp224r1 and of the three curves of brainpool are refused when
# `public_key` or `verify_directly_issued_by` is called (UnsupportedAlgorithm), while the same keys by name are read. To load the
# certificate succeeds, so that an import that only loads notices nothing. OpenSSL 3 reads all of them, and so does ecdsa 0.19.2.
# A program that judges German documents needs another library for the key, or puts the name in place of the parameters.
#
# Exit status: 0 as described here, 1 otherwise, 77 if a package cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install cryptography==50.0.2 ecdsa==0.19.2 || exit 77

cat > curves.py <<'END'
import hashlib
import subprocess
import sys

import ecdsa
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization

curve, form = sys.argv[1:]
with open("signer.pem", "rb") as file:
    certificate = x509.load_pem_x509_certificate(file.read())
try:
    certificate.verify_directly_issued_by(certificate)
    result = certificate.public_key().curve.name
    assert result == curve
    result = "read"
except UnsupportedAlgorithm:
    result = "refused"
key = ecdsa.VerifyingKey.from_pem(open("public.pem").read())
valid = key.verify(certificate.signature, certificate.tbs_certificate_bytes, hashlib.sha256, sigdecode=ecdsa.util.sigdecode_der)
print(f"{curve}, {form}: {result}; ecdsa: {'valid' if valid else 'invalid'}")
END
for curve in secp224r1 secp256r1 secp384r1 secp521r1 brainpoolP256r1 brainpoolP384r1 brainpoolP512r1; do
  # OpenSSL calls one curve by its older name.
  for form in named_curve explicit; do
    openssl ecparam -name "${curve/secp256r1/prime256v1}" -param_enc $form -genkey -noout -out key.pem
    openssl req -x509 -new -key key.pem -sha256 -days 3650 -subj "/C=UT/O=Specimen/CN=CSCA" \
      -addext keyUsage=critical,keyCertSign,cRLSign -out signer.pem
    openssl x509 -in signer.pem -noout -pubkey > public.pem
    venv/bin/python curves.py $curve $form
  done
done | tee seen
diff seen - <<'END'
secp224r1, named_curve: read; ecdsa: valid
secp224r1, explicit: refused; ecdsa: valid
secp256r1, named_curve: read; ecdsa: valid
secp256r1, explicit: read; ecdsa: valid
secp384r1, named_curve: read; ecdsa: valid
secp384r1, explicit: read; ecdsa: valid
secp521r1, named_curve: read; ecdsa: valid
secp521r1, explicit: read; ecdsa: valid
brainpoolP256r1, named_curve: read; ecdsa: valid
brainpoolP256r1, explicit: refused; ecdsa: valid
brainpoolP384r1, named_curve: read; ecdsa: valid
brainpoolP384r1, explicit: refused; ecdsa: valid
brainpoolP512r1, named_curve: read; ecdsa: valid
brainpoolP512r1, explicit: refused; ecdsa: valid
END
