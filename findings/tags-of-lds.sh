#!/usr/bin/env bash
# Libraries for ASN.1 refuse EF.COM of a passport, or change its tags when they write it.
#
# Guess: the files of a passport are BER, so that libraries for ASN.1 read them and write the same bytes.
# Seen: the tags 5F01 (version of the LDS, in each EF.COM) and 5F0E to 5F1E (names, addresses and authorities in
# EF.DG11 and EF.DG12, Doc 9303-10) have numbers below 31 in two octets; X.690, 8.1.2.2 wants one octet for these.
# asn1crypto 1.5.1 refuses them ("Non-minimal tag encoding"). pyasn1 0.6.5 and asn1 3.3.0 read 5F01 as [APPLICATION 1]
# and write it as 41, so that the file changes, and its hash with it. 5F36 stays as it is. A program for these files
# compares and keeps tags as octets.
#
# Exit status: 0 as described here, 1 otherwise, 77 if a package cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install --no-deps \
  asn1crypto==1.5.1 pyasn1==0.6.5 asn1==3.3.0 || exit 77

"$folder/venv/bin/python" - > "$folder/seen" <<'END'
import asn1
from asn1crypto import parser
from pyasn1.codec.ber import decoder, encoder
from pyasn1.type import namedtype, tag, univ


def element(octets, value):
    return bytes.fromhex(octets) + bytes([len(value)]) + value


def with_asn1crypto(encoded, _):
    class_, method, number, _, content, _ = parser.parse(encoded)
    return parser.emit(class_, method, number, content)


def with_pyasn1(encoded, number):
    kind = univ.OctetString().subtype(implicitTag=tag.Tag(tag.tagClassApplication, tag.tagFormatSimple, number))
    value, rest = decoder.decode(encoded, asn1Spec=kind)
    assert not rest
    return encoder.encode(value)


def with_asn1(encoded, number):
    reader, writer = asn1.Decoder(), asn1.Encoder()
    reader.start(encoded)
    found, value = reader.read()
    assert found.nr == number
    writer.start()
    writer.write(value, found.nr, found.typ, found.cls)
    return writer.output()


for what, octets, value in (
    ("version of the LDS", "5f01", b"0107"), ("full name", "5f0e", b"SPECIMEN<<ANNA"),
    ("issuing authority", "5f19", b"UTOPIA"), ("version of Unicode", "5f36", b"040000"),
):
    encoded = element(octets, value)
    for name, copy in (("asn1crypto", with_asn1crypto), ("pyasn1", with_pyasn1), ("asn1", with_asn1)):
        try:
            written = copy(encoded, int(octets[2:], 16))
            result = "same" if written == encoded else "written as " + written[:-1 - len(value)].hex()
        except ValueError as error:
            result = str(error)
        print(f"{octets} ({what}), {name}: {result}")
END
diff "$folder/seen" - <<'END' || exit 1
5f01 (version of the LDS), asn1crypto: Non-minimal tag encoding
5f01 (version of the LDS), pyasn1: written as 41
5f01 (version of the LDS), asn1: written as 41
5f0e (full name), asn1crypto: Non-minimal tag encoding
5f0e (full name), pyasn1: written as 4e
5f0e (full name), asn1: written as 4e
5f19 (issuing authority), asn1crypto: Non-minimal tag encoding
5f19 (issuing authority), pyasn1: written as 59
5f19 (issuing authority), asn1: written as 59
5f36 (version of Unicode), asn1crypto: same
5f36 (version of Unicode), pyasn1: same
5f36 (version of Unicode), asn1: same
END
echo "asn1crypto 1.5.1, pyasn1 0.6.5 and asn1 3.3.0 are as described."
