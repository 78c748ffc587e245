#!/usr/bin/env bash
# Two compilers for ASN.1 write no DER for the security infos of a passport.
#
# Guess: what the codec "der" of asn1tools 0.169.0 and `to_der` of pycrate 0.8.1 write is DER: a SET OF is sorted (X.690, 11.6), and a
# BIT STRING with named bits ends with a bit that is set (11.2.2). Thus the same values give the same octets, and the same hash.
# Seen: both write a SET OF in the order in which it was given: SecurityInfos (EF.CardAccess, EF.DG14), or the signed attributes of
# EF.SOD, over whose DER the signature is. Both keep zero bits at the end of KeyUsage. pyasn1 0.6.5 sorts the set and keeps the
# bits, asn1crypto 1.5.1 sorts and cuts. A program that compiles the modules of Doc 9303 has to sort before it encodes.
#
# Exit status: 0 as described here, 1 otherwise, 77 if a package cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install \
  asn1tools==0.169.0 pycrate==0.8.1 pyasn1==0.6.5 asn1crypto==1.5.1 || exit 77

cat > sets.py <<'END'
import asn1tools
from asn1crypto import core, x509
from pyasn1.codec.der import encoder
from pyasn1.type import namedtype, namedval, univ
from pycrate_asn1c.asnproc import PycrateGenerator, compile_text, generate_modules

MODULE = """M DEFINITIONS IMPLICIT TAGS ::= BEGIN
SecurityInfos ::= SET OF SecurityInfo
SecurityInfo ::= SEQUENCE { protocol OBJECT IDENTIFIER, version INTEGER, parameter INTEGER OPTIONAL }
KeyUsage ::= BIT STRING { keyCertSign (5), cRLSign (6) }
END"""
PACE, CHIP_AUTHENTICATION = "0.4.0.127.0.7.2.2.4.2.4", "0.4.0.127.0.7.2.2.3.2.4"
INFOS = [(PACE, 2, 13), (CHIP_AUTHENTICATION, 1, None)]
BITS = "00000110"  # keyCertSign and cRLSign, with the zero bit of a whole octet

schema = asn1tools.compile_string(MODULE, "der")
compile_text(MODULE)
generate_modules(PycrateGenerator, "compiled.py")
from compiled import M


def fields(info, number=lambda text: text):
    named = dict(zip(("protocol", "version", "parameter"), (number(info[0]), *info[1:])))
    return {name: value for name, value in named.items() if value is not None}


def numbers(text):
    return tuple(map(int, text.split(".")))


def with_pycrate(kind, value):
    kind.set_val(value)
    return kind.to_der()


class PyInfo(univ.Sequence):
    componentType = namedtype.NamedTypes(
        namedtype.NamedType("protocol", univ.ObjectIdentifier()), namedtype.NamedType("version", univ.Integer()),
        namedtype.OptionalNamedType("parameter", univ.Integer()))


class PyInfos(univ.SetOf):
    componentType = PyInfo()


class PyUsage(univ.BitString):
    namedValues = namedval.NamedValues(("keyCertSign", 5), ("cRLSign", 6))


def with_pyasn1(infos):
    value = PyInfos()
    for index, info in enumerate(infos):
        for name, field in fields(info).items():
            value[index][name] = field
    return encoder.encode(value)


class Info(core.Sequence):
    _fields = [("protocol", core.ObjectIdentifier), ("version", core.Integer), ("parameter", core.Integer, {"optional": True})]


class Infos(core.SetOf):
    _child_spec = Info


SETS = {
    "asn1tools": lambda infos: schema.encode("SecurityInfos", [fields(info) for info in infos]),
    "pycrate": lambda infos: with_pycrate(M.SecurityInfos, [fields(info, numbers) for info in infos]),
    "pyasn1": with_pyasn1,
    "asn1crypto": lambda infos: Infos([fields(info) for info in infos]).dump(),
}
USAGES = {
    "asn1tools": schema.encode("KeyUsage", (bytes([int(BITS, 2)]), 8)),
    "pycrate": with_pycrate(M.KeyUsage, (int(BITS, 2), 8)),
    "pyasn1": encoder.encode(PyUsage(f"'{BITS}'B")),
    "asn1crypto": x509.KeyUsage(tuple(map(int, BITS))).dump(),
}
for name, encode in SETS.items():
    there, back = encode(INFOS), encode(INFOS[::-1])
    # The shorter element has the lower length octet, and is thus the first one.
    print(f"SecurityInfos, {name}: {'sorted' if there == back and there[3] < there[3 + 2 + there[3]] else 'as given'}")
for name, encoded in USAGES.items():
    print(f"KeyUsage, {name}: {encoded.hex()}")
END
venv/bin/python sets.py | tee seen
diff seen - <<'END'
SecurityInfos, asn1tools: as given
SecurityInfos, pycrate: as given
SecurityInfos, pyasn1: sorted
SecurityInfos, asn1crypto: sorted
KeyUsage, asn1tools: 03020006
KeyUsage, pycrate: 03020006
KeyUsage, pyasn1: 03020006
KeyUsage, asn1crypto: 03020106
END
