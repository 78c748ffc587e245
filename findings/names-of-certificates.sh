#!/usr/bin/env bash
# Two Python libraries do not agree on whether two names of a certificate are one.
#
# Guess: libraries compare distinguished names as RFC 5280, 7.1 says: whatever the string types, in any case, and with
# runs of spaces as one. Country signers and the documents that they sign spell one name differently in each of these ways.
# Seen: cryptography 44.0.0 ignores the string type, and finds another case or another number of spaces to be another name;
# asn1crypto 1.5.1 finds all of them equal. A chain that one of them builds is thus none for the other.
#
# Exit status: 0 as described here, 1 otherwise, 77 if a package cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install cryptography==44.0.0 asn1crypto==1.5.1 || exit 77

"$folder/venv/bin/python" - > "$folder/seen" <<'END'
from asn1crypto.x509 import Name as Asn1Name
from cryptography.x509 import Name, NameAttribute
from cryptography.x509.name import _ASN1Type as Type
from cryptography.x509.oid import NameOID


def name(kind, text):
    return Name([NameAttribute(NameOID.COUNTRY_NAME, "UT"), NameAttribute(NameOID.ORGANIZATION_NAME, text, _type=kind)])


for what, one, other in (
    ("string type", name(Type.UTF8String, "Specimen"), name(Type.PrintableString, "Specimen")),
    ("string of two octets", name(Type.UTF8String, "Specimen"), name(Type.BMPString, "Specimen")),
    ("case", name(Type.UTF8String, "Specimen"), name(Type.UTF8String, "SPECIMEN")),
    ("spaces", name(Type.UTF8String, "Passport  office"), name(Type.UTF8String, "Passport office")),
):
    print(what, one == other, Asn1Name.load(one.public_bytes()) == Asn1Name.load(other.public_bytes()))
END

diff "$folder/seen" - <<'END' || exit 1
string type True True
string of two octets True True
case False True
spaces False True
END
echo "cryptography 44.0.0 and asn1crypto 1.5.1 are as described."
