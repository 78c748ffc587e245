#!/usr/bin/env bash
# The Python package mrz 0.6.2 refuses zones that Doc 9303 permits.
#
# Guess: a checker of machine readable zones accepts the specimens of Doc 9303, a date of birth whose day is not known
# (Doc 9303-3, 4.8), every code of Doc 9303-3, 5, and a document that does not expire.
# Seen: a document number that continues in the optional data (Doc 9303-5, appendix B) fails its check digit; a date of birth
# with fillers and a date of expiry of fillers fail as dates; Interpol's code XPO is no country. Codes such as RKS, UNO and
# EUE are known.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the package cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install mrz==0.6.2 || exit 77

"$folder/venv/bin/python" - > "$folder/seen" <<'END'
from mrz.checker.td1 import TD1CodeChecker
from mrz.checker.td3 import TD3CodeChecker


def digit(text):
    value = lambda c: 0 if c == "<" else int(c) if c.isdigit() else ord(c) - 55
    return str(sum(value(c) * (7, 3, 1)[i % 3] for i, c in enumerate(text)) % 10)


def passport(state="UTO", birth="740812", expiry="350630"):
    line = "L898902C36" + state + birth + digit(birth) + "F" + expiry + digit(expiry) + "<" * 15
    line += digit(line[:10] + line[13:20] + line[21:43])
    return "P<" + state + "ERIKSSON<<ANNA<MARIA".ljust(39, "<") + "\n" + line


def show(name, checker):
    print(name, bool(checker), [field for field, _ in checker.report.falses])


show("specimen", TD3CodeChecker(passport()))
show("long number", TD1CodeChecker(
    "I<UTOD23145890<7349<<<<<<<<<<<\n3407127M9507122UTO<<<<<<<<<<<2\nSTEVENSON<<PETER<JOHN<<<<<<<<<"))
show("unknown day of birth", TD3CodeChecker(passport(birth="7408<<")))
show("no date of expiry", TD3CodeChecker(passport(expiry="<<<<<<")))
for state in ("RKS", "UNO", "EUE", "XPO"):
    show(state, TD3CodeChecker(passport(state)))
END

diff "$folder/seen" - <<'END' || exit 1
specimen True []
long number False ['document number hash']
unknown day of birth False ['birth date']
no date of expiry False ['expiry date']
RKS True []
UNO True []
EUE True []
XPO False ['valid country code', 'valid nationality code']
END
echo "mrz 0.6.2 is as described."
