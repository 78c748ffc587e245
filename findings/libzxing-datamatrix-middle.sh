#!/usr/bin/env bash
# libzxing of Debian 12 finds a DataMatrix symbol only where the middle row of the picture crosses it.
#
# Guess: ZXingReader of zxing-cpp-tools 1.4.0-3+b1 (Debian 12), which tries hard by default, reads a clean upright DataMatrix symbol
# wherever it is in a picture, as it does a QR symbol.
# Seen: the same symbol of 16 x 16 modules at 8 pixels a module is read in the middle of a white picture of 1280 x 960, and to the left
# of it. Above it, and in the middle of each quarter, it is not found. A QR symbol is read at all places. A program that looks for
# the seal of a travel document therefore has to search in parts of the picture, too.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root zxing-cpp-tools=1.4.0-3+b1 libzxing2=1.4.0-3+b1 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
LD_LIBRARY_PATH=$(dirname "$(find "$folder/unpacked" -name 'libZXing.so.2*' | head -n 1)")
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH

cat > pictures.py <<'END'
import re, sys

# A symbol at several places of a white picture, by its modules, which ZXingWriter draws as squares of one unit.
name, WIDTH, HEIGHT, MODULE = sys.argv[1], 1280, 960, 8
squares = [(int(x), int(y)) for x, y in re.findall(r"M?(\d+),(\d+)h1v1h-1z", open(name + ".svg").read())]
left, top = min(x for x, _ in squares), min(y for _, y in squares)
size = max(max(x for x, _ in squares) - left, max(y for _, y in squares) - top) + 1
for place, (x, y) in {
    "middle": (640, 480), "row": (200, 480), "column": (640, 200), "quarter1": (320, 240), "quarter2": (960, 240),
    "quarter3": (320, 720), "quarter4": (960, 720)}.items():
    picture = bytearray(b"\xff" * (WIDTH * HEIGHT))
    for column, row in squares:
        for line in range(MODULE):
            start = (y - size * MODULE // 2 + (row - top) * MODULE + line) * WIDTH
            start += x - size * MODULE // 2 + (column - left) * MODULE
            picture[start:start + MODULE] = bytes(MODULE)
    with open(f"{name}-{place}.pgm", "wb") as file:
        file.write(b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + picture)
END
for format in DataMatrix QRCode; do
  ZXingWriter -size 20x20 -margin 0 "$format" "A signed barcode" "$format.svg"
  python3 pictures.py "$format"
  for place in middle row column quarter1 quarter2 quarter3 quarter4; do
    if ZXingReader -format "$format" "$format-$place.pgm" 2> /dev/null | grep -q 'A signed barcode'; then
      echo "$format $place read"
    else
      echo "$format $place not found"
    fi
  done
done | tee seen
diff seen - <<'END'
DataMatrix middle read
DataMatrix row read
DataMatrix column not found
DataMatrix quarter1 not found
DataMatrix quarter2 not found
DataMatrix quarter3 not found
DataMatrix quarter4 not found
QRCode middle read
QRCode row read
QRCode column read
QRCode quarter1 read
QRCode quarter2 read
QRCode quarter3 read
QRCode quarter4 read
END
