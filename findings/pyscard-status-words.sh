#!/usr/bin/env bash
# The checkers of pyscard find no error in status words that they do not know, and 6Cxx is one of these.
#
# Guess: with the error checking chain of pyscard's manual (ISO7816_9ErrorChecker, ISO7816_8ErrorChecker, ISO7816_4ErrorChecker)
# each status word of ISO/IEC 7816-4 that reports an error raises an exception; without one, the card has done what it was told.
# Seen: pyscard 2.3.1 and 2.0.5-1+b2 of Debian 12 look the words up in tables. A word that is in none raises nothing, as 9000 does.
# These are 6Cxx (wrong Le: the chip has returned no octet of the file), 6401, 6500, 6800, 6900, 6A00, 6F87 and 6285. If
# ISO7816_4ErrorChecker is alone, 6581 (memory failure) and 6883 and 6884 (a chain of commands, as in Terminal Authentication)
# raise nothing either. ISO7816_4_SW1ErrorChecker looks at the first octet only, and raises for all of them. A program tests for
# 9000 itself, or appends that checker to the chain.
#
# Exit status: 0 as described here, 1 otherwise, 77 if a package cannot be had or built.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download -qq -o APT::Sandbox::User=root python3-pyscard=2.0.5-1+b2 libpcsclite1=1.9.9-2 libpcsclite-dev=1.9.9-2 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
library=$(dirname "$(find "$folder/unpacked" -name libpcsclite.so.1)")
python3 -m venv venv
CFLAGS="-I$folder/unpacked/usr/include/PCSC" LDFLAGS="-L$library" \
  venv/bin/pip --quiet --disable-pip-version-check install pyscard==2.3.1 > build 2>&1 || { tail -n 5 build; exit 77; }

cat > words.py <<'END'
from smartcard.sw.ErrorCheckingChain import ErrorCheckingChain
from smartcard.sw.ISO7816_4ErrorChecker import ISO7816_4ErrorChecker
from smartcard.sw.ISO7816_4_SW1ErrorChecker import ISO7816_4_SW1ErrorChecker
from smartcard.sw.ISO7816_8ErrorChecker import ISO7816_8ErrorChecker
from smartcard.sw.ISO7816_9ErrorChecker import ISO7816_9ErrorChecker
from smartcard.sw.SWExceptions import SWException

chain = []
chain = [ErrorCheckingChain(chain, ISO7816_9ErrorChecker()), ErrorCheckingChain(chain, ISO7816_8ErrorChecker()),
         ErrorCheckingChain(chain, ISO7816_4ErrorChecker())]


def raises(checker, word):
    try:
        checker([], word >> 8, word & 0xFF)
        return "nothing"
    except SWException:
        return "raises"


for word in (0x9000, 0x6282, 0x63C2, 0x6700, 0x6982, 0x6988, 0x6A82,
             0x6581, 0x6883, 0x6884, 0x6285, 0x6401, 0x6500, 0x6800, 0x6900, 0x6A00, 0x6C10, 0x6F87):
    print(f"{word:04X}", raises(ISO7816_4ErrorChecker(), word), raises(chain[0], word),
          raises(ISO7816_4_SW1ErrorChecker(), word))
END
LD_LIBRARY_PATH=$library venv/bin/python words.py > new
LD_LIBRARY_PATH=$library PYTHONPATH=unpacked/usr/lib/python3/dist-packages /usr/bin/python3 words.py > old
echo "word: checker of part 4, chain of the manual, checker of SW1"
cat new
diff old new
diff new - <<'END'
9000 nothing nothing nothing
6282 raises raises raises
63C2 raises raises raises
6700 raises raises raises
6982 raises raises raises
6988 raises raises raises
6A82 raises raises raises
6581 nothing raises raises
6883 nothing raises raises
6884 nothing raises raises
6285 nothing nothing raises
6401 nothing nothing raises
6500 nothing nothing raises
6800 nothing nothing raises
6900 nothing nothing raises
6A00 nothing nothing raises
6C10 nothing nothing raises
6F87 nothing nothing raises
END
