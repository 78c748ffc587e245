#!/usr/bin/env bash
# cage of Debian 12 ends with status 0, whatever becomes of the program that it shows.
#
# Guess: cage 0.1.4-4 (Debian 12), the compositor that shows one program on the whole screen, ends with the status of this program, as
# `sudo` and `xvfb-run` do. A unit of systemd with ExecStart=cage -- PROGRAM can then use Restart=on-failure, and
# RestartPreventExitStatus=2 for wrong settings that no restart mends.
# Seen: the status is 0 if the program ends with 0, with 2, by SIGKILL, and if it does not exist. With Restart=on-failure a kiosk whose
# program crashed stays dark; with Restart=always one with wrong settings starts for ever. The settings have to be checked in
# ExecStartPre, whose status systemd sees, and only Restart=always brings the program back.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root cage=0.1.4-4 libwlroots10=0.15.1-6 libinput10 libseat1 libevdev2 libmtdev1 libwacom9 \
  libgudev-1.0-0 libxkbcommon0 libpixman-1-0 libwayland-server0 libwayland-client0 libdrm2 libgbm1 libxcb-composite0 libxcb-icccm4 \
  libxcb-res0 libxcb-xinput0 libxcb-render-util0 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
export LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu XDG_RUNTIME_DIR=$folder/run
# Without a screen, a graphics card and input devices. No program of X is shown, so no Xwayland starts.
export WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 WLR_XWAYLAND=/bin/true
mkdir -m 700 run
as=()
# cage refuses to run as root.
if [ "$(id -u)" = 0 ]; then
  chown 65534:65534 run
  chmod 755 .
  as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
shows() { # what, program
  local status=0
  timeout 30 "${as[@]}" unpacked/usr/bin/cage -- "${@:2}" > log 2>&1 || status=$?
  echo "$1: cage ends with $status"
}
{
  shows 'ends with 0' /bin/sh -c 'exit 0'
  shows 'ends with 2' /bin/sh -c 'exit 2'
  shows 'killed' /bin/sh -c 'kill -KILL $$'
  shows 'does not exist' /nonexistent
} | tee seen
diff seen - <<'END'
ends with 0: cage ends with 0
ends with 2: cage ends with 0
killed: cage ends with 0
does not exist: cage ends with 0
END
