#!/usr/bin/env bash
# A rumble of SDL2 does not end after its time, but with the next update of the joysticks.
#
# Guess: SDL_JoystickRumble and SDL_GameControllerRumble of SDL 2.30 (PyPI: pysdl2-dll 2.30.2) play for duration_ms, "the duration of
# the rumble effect, in milliseconds", like an effect of evdev, whose length the kernel watches. A duration of 0 plays nothing.
# Seen: SDL turns the motors on, and off again in the first SDL_JoystickUpdate or SDL_PumpEvents after this time. A program that plays
# 100 ms and then waits for a card, a finger or an answer lets the pad shake for as long; on an evdev device for up to 65 s, since SDL
# gives the kernel an effect of this length. SDL_Delay does not help. A duration of 0 has no end of its own, and
# SDL_JoystickClose does not turn it off either. The documentation of SDL 3 says that events have to be processed; that of SDL 2 does
# not. A program with SDL 2 needs a thread that updates the joysticks.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the package cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install pysdl2-dll==2.30.2 || exit 77
cat > rumble.py <<'END'
import ctypes
import glob
import sys
import time

library = ctypes.CDLL(glob.glob(sys.argv[1] + "/**/libSDL2-2.0*", recursive=True)[0])
Rumble = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint16, ctypes.c_uint16)


class Description(ctypes.Structure):
    """SDL_VirtualJoystickDesc: a joystick whose driver is this program."""

    _fields_ = (
        [(name, ctypes.c_uint16) for name in "version type axes buttons hats vendor product padding".split()]
        + [("button_mask", ctypes.c_uint32), ("axis_mask", ctypes.c_uint32), ("name", ctypes.c_char_p)]
        + [(name, ctypes.c_void_p) for name in ("data", "update", "set_player")]
        + [("rumble", Rumble)] + [(name, ctypes.c_void_p) for name in ("triggers", "led", "effect")])


changes = []
driver = Rumble(lambda data, low, high: changes.append((time.monotonic(), low)) or 0)
library.SDL_JoystickOpen.restype = ctypes.c_void_p
library.SDL_SetHint(b"SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", b"1")
assert library.SDL_Init(0x200) == 0  # SDL_INIT_JOYSTICK
description = Description(version=1, type=1, axes=2, buttons=1, name=b"pad", rumble=driver)
index = library.SDL_JoystickAttachVirtualEx(ctypes.byref(description))
assert index >= 0
joystick = ctypes.c_void_p(library.SDL_JoystickOpen(index))


def play(name, duration, seconds, update, then=None):
    """Plays, calls `update` for some seconds, and then `then`."""
    changes.clear()
    assert library.SDL_JoystickRumble(joystick, 0x8000, 0, ctypes.c_uint32(duration)) == 0
    start = time.monotonic()
    while time.monotonic() < start + seconds:
        update()
        time.sleep(0.01)
    state = "on" if changes[-1][1] else "off"
    if state == "off":
        state += " after its time" if changes[-1][0] - start < seconds / 2 else " late"
    print(f"{name}: {state}", end="")
    if then:
        then()
        print(f", then {'on' if changes[-1][1] else 'off'}", end="")
    print()


play("100 ms, updates", 100, 1.5, library.SDL_JoystickUpdate)
play("100 ms, events", 100, 1.5, library.SDL_PumpEvents)
play("100 ms, neither for 1.5 s", 100, 1.5, lambda: None, library.SDL_JoystickUpdate)
play("100 ms, SDL_Delay(1500)", 100, 1.5, lambda: library.SDL_Delay(1500), library.SDL_PumpEvents)
play(
    "0 ms, updates for 3 s, SDL_JoystickClose", 0, 3, library.SDL_JoystickUpdate, lambda: library.SDL_JoystickClose(joystick))
END
timeout 60 venv/bin/python rumble.py "$folder/venv" | tee seen
diff seen - <<'END'
100 ms, updates: off after its time
100 ms, events: off after its time
100 ms, neither for 1.5 s: on, then off
100 ms, SDL_Delay(1500): on, then off
0 ms, updates for 3 s, SDL_JoystickClose: on, then on
END
