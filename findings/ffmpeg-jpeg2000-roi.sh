#!/usr/bin/env bash
# FFmpeg spoils the colours of a JPEG 2000 portrait whose region of interest is in the luminance only.
#
# Guess: FFmpeg decodes each codestream of JPEG 2000 Part 1 as OpenJPEG does, also the portrait of an EF.DG2 with a region of interest
# (marker RGN of a component, ISO/IEC 15444-1, A.6.3), or reports an error.
# Seen: since FFmpeg 7.1 (libavcodec 61.19 in PyAV 14.0.0, still so in 62.28 of PyAV 18.1.0) the shift of the first component is
# applied to components that have none. The result is a picture with false colours. The decoder reports no error; only FFmpeg's log
# has lines such as "bpno became invalid". FFmpeg 7.0 (libavcodec 61.3, PyAV 13.0.0) and OpenJPEG (in Pillow 13.0.0) are right. A
# region in a later component only does no harm. A program decodes portraits with OpenJPEG, or looks for the marker before it
# uses FFmpeg.
#
# Exit status: 0 as described here, 1 otherwise, 77 if a package cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download -qq -o APT::Sandbox::User=root libopenjp2-tools=2.5.0-2+deb12u3 libopenjp2-7=2.5.0-2+deb12u3 \
  libtiff6 liblcms2-2 libpng16-16 libwebp7 libdeflate0 libjbig0 liblerc4 libjpeg62-turbo || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
library=$(dirname "$(find "$folder/unpacked" -name libopenjp2.so.7)")
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install pillow==13.0.0 numpy==2.4.6 || exit 77
for version in 13.0.0 14.0.0 18.1.0; do
  venv/bin/pip --quiet --disable-pip-version-check install --no-deps --only-binary :all: --target av-$version av==$version || exit 77
done

cat > draw.py <<'END'
import numpy
from PIL import Image

rows, columns = numpy.mgrid[0:256, 0:192]
picture = numpy.stack([columns * 255 // 191, rows, (rows + columns) * 255 // 446], axis=-1)
picture += numpy.random.default_rng(1).integers(-12, 13, (256, 192, 1))
picture[80:160, 50:140] = (200, 160, 130)
Image.fromarray(picture.clip(0, 255).astype("uint8")).save("portrait.ppm")
END
cat > decode.py <<'END'
import sys

import av
import numpy
from PIL import Image

drawn = numpy.asarray(Image.open("portrait.ppm")).astype(int)
decoder = av.CodecContext.create("jpeg2000", "r")
with open(sys.argv[1], "rb") as file:
    packet = av.Packet(file.read())
frames = decoder.decode(packet) + decoder.decode(None)


def difference(picture):
    return "right" if abs(picture.astype(int) - drawn).mean() < 8 else "wrong"


version = ".".join(map(str, av.library_versions["libavcodec"][:2]))
print(f"{sys.argv[1]}: OpenJPEG {difference(numpy.asarray(Image.open(sys.argv[1])))}, "
      f"libavcodec {version} {difference(frames[0].to_ndarray(format='rgb24'))}")
END
venv/bin/python draw.py
compress() {
  LD_LIBRARY_PATH=$library unpacked/usr/bin/opj_compress -i portrait.ppm -r 10 "$@" > log 2>&1
}
compress -o none.j2k
compress -o first.j2k -ROI c=0,U=8
compress -o second.j2k -ROI c=1,U=8
for region in none first second; do
  for version in 13.0.0 14.0.0 18.1.0; do PYTHONPATH=av-$version venv/bin/python decode.py $region.j2k; done
done | tee seen
diff seen - <<'END'
none.j2k: OpenJPEG right, libavcodec 61.3 right
none.j2k: OpenJPEG right, libavcodec 61.19 right
none.j2k: OpenJPEG right, libavcodec 62.28 right
first.j2k: OpenJPEG right, libavcodec 61.3 right
first.j2k: OpenJPEG right, libavcodec 61.19 wrong
first.j2k: OpenJPEG right, libavcodec 62.28 wrong
second.j2k: OpenJPEG right, libavcodec 61.3 right
second.j2k: OpenJPEG right, libavcodec 61.19 right
second.j2k: OpenJPEG right, libavcodec 62.28 right
END
