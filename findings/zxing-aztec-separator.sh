#!/usr/bin/env bash
# libzxing leaves an octet 1D out of the content of an Aztec symbol.
#
# Guess: the bytes that ZXingReader of zxing-cpp-tools 1.4.0-3+b1 (Debian 12) and zxing-cpp 2.3.0 (PyPI) return for an
# Aztec symbol are those that were written, as for other symbols. FNC1, which marks content of GS1, is a code of its
# own in Aztec.
# Seen: both take an octet 1D of the data for FNC1 if it is the first octet, or the one after a first letter or two
# first digits, and leave it out. Elsewhere it stays. Thus one of 256 binary contents, for example of those that begin
# with a hash or are encrypted, is an octet short, and its signature seems wrong. zxing-cpp 3.1.1 returns all octets
# of the same symbols.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root zxing-cpp-tools=1.4.0-3+b1 libzxing2=1.4.0-3+b1 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
python3 -m venv venv
for packages in aztec_code_generator==0.12 zxing-cpp==2.3.0 zxing-cpp==3.1.1; do
  venv/bin/pip --quiet --disable-pip-version-check install --no-deps --target "${packages/==/-}" "$packages" || exit 77
done

cat > write.py <<'END'
import sys
from aztec_code_generator import AztecCode

MODULE, BORDER = 6, 4
matrix = AztecCode(bytes.fromhex(sys.argv[1])).matrix
size = (len(matrix) + 2 * BORDER) * MODULE
white = b"\xff" * (BORDER * MODULE)
rows = [white + b"".join((b"\0" if dark else b"\xff") * MODULE for dark in row) + white for row in matrix]
empty = [b"\xff" * size] * (BORDER * MODULE)
picture = b"".join(empty + [row for row in rows for _ in range(MODULE)] + empty)
with open("symbol.pgm", "wb") as file:
    file.write(b"P5\n%d %d\n255\n" % (size, size) + picture)
END
cat > read.py <<'END'
import zxingcpp

with open("symbol.pgm", "rb") as file:
    _, size, _ = (file.readline() for _ in range(3))
    width, height = map(int, size.split())
    picture = memoryview(file.read()).cast("B", (height, width))
print(zxingcpp.read_barcodes(picture)[0].bytes.hex())
END
for content in 1d550394 4d1d550394 37341d550394 dc031d550394; do
  PYTHONPATH=aztec_code_generator-0.12 venv/bin/python write.py "$content"
  old=$(LD_LIBRARY_PATH=$(dirname "$(find unpacked -name 'libZXing.so.2*' | head -n 1)") \
    unpacked/usr/bin/ZXingReader -format Aztec -bytes symbol.pgm | od -An -v -tx1 | tr -d ' \n')
  echo "$content: $old$(for version in 2.3.0 3.1.1; do
    echo -n ", $(PYTHONPATH=zxing-cpp-$version venv/bin/python read.py)"
  done)"
done | tee seen
diff seen - <<'END'
1d550394: 550394, 550394, 1d550394
4d1d550394: 4d550394, 4d550394, 4d1d550394
37341d550394: 3734550394, 3734550394, 37341d550394
dc031d550394: dc031d550394, dc031d550394, dc031d550394
END
