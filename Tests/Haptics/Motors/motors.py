#!/usr/bin/env python3
"""Runs in the virtual machine of Tests/Haptics/Motors/run: makes each device, plays each word, prints what the motors got."""

import argparse
import json
import os
import subprocess
import time

import course
import devices
import situations

LOADED = set()


def load(modules):
    for module in modules:
        if module not in LOADED:
            subprocess.run(["modprobe", "--dirname", os.environ["TESSERA_KERNEL"], "--quiet", module], check=False)
            LOADED.add(module)


def force_feedback():
    """The event nodes with force feedback: name and node."""
    found = []
    for event in sorted(os.listdir("/sys/class/input")):
        if event.startswith("event"):
            with open(f"/sys/class/input/{event}/device/capabilities/ff") as file:
                if file.read().strip() not in ("", "0"):
                    with open(f"/sys/class/input/{event}/device/name") as name:
                        found.append((name.read().strip(), f"/dev/input/{event}"))
    return found


def wait(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def play(tessera, device, word):
    """The course of the motors, the exit status and what the command printed."""
    # A driver may still send the end of what was before.
    quiet = len(device.heard)
    time.sleep(0.2)
    while len(device.heard) != quiet:
        quiet = len(device.heard)
        time.sleep(0.2)
    before = len(device.heard)
    run = subprocess.run([tessera, "haptic", *word.split()], capture_output=True, text=True)
    time.sleep(0.4)
    wait(lambda: time.monotonic() - (device.heard[-1][0] if device.heard else 0) > 0.25, 2)
    return course.course(device.heard[before:]), run.returncode, (run.stdout + run.stderr).strip()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--tessera", required=True)
    options.add_argument("--json")
    options.add_argument("--tries", type=int, default=3)
    options.add_argument("devices", nargs="*")
    options = options.parse_args()
    load(["uhid", "evdev", "ff-memless", "vhci-hcd"])
    wait(lambda: os.path.exists("/dev/uhid"), 5)
    kernel = os.uname().release
    print(f"kernel {kernel}, {options.tessera}", flush=True)
    # The first start reads the program from the disk.
    subprocess.run([options.tessera, "haptic", "devices"], capture_output=True)
    results, failed, count = [], 0, 0
    for name, make in devices.ALL.items():
        if options.devices and name not in options.devices:
            continue
        load(make.modules)
        device = make()
        if not wait(force_feedback, 15):
            print(f"{name}: the driver made no force-feedback device", flush=True)
            failed, count = failed + 1, count + 1
            device.close()
            continue
        device.ready()
        time.sleep(0.5)
        lines = subprocess.run([options.tessera, "haptic", "devices"], capture_output=True, text=True).stdout.strip()
        lateness = device.lateness.get(".".join(kernel.split(".")[:2]), 0)
        print(f"\n{name}: {lines}", flush=True)
        for word, pulses in course.WORDS.items():
            expected = device.designed(word, pulses)
            # The first time, parts of the program come from the disk in the middle of a word.
            for _ in range(options.tries):
                changes, status, note = play(options.tessera, device, word)
                late, off = course.deviation(changes, expected)
                if lateness:
                    late, off = course.deviation(course.felt(changes), expected, 10 + lateness)
                good = status == 0 and late == 0 and course.pulses_felt(changes) == len(expected)
                if good:
                    break
            count, failed = count + 1, failed + (not good)
            remarks = [f"[{late} ms off by up to {off:.0%}]"] if late else []
            remarks += [f"({status}: {note})"] if status or note else []
            print(f"  {'ok  ' if good else 'FAIL'} {word}: {course.text(changes)}", *remarks, flush=True)
            results.append(dict(kernel=kernel, device=name, driver=device.modules, word=word, course=changes, off=late,
                                largest=off, status=status, note=note))
        if getattr(device, "directions", None):
            # 0x4000 of 0x10000 is along the axis X: 63 of 255.
            wrong = set(device.directions) != {63}
            count, failed = count + 1, failed + wrong
            print(f"  {'FAIL' if wrong else 'ok  '} directions {sorted(set(device.directions))}", flush=True)
        device.close()
        wait(lambda: not force_feedback(), 5)
    for name, situation in situations.ALL.items():
        if options.devices and name not in options.devices:
            continue
        load(["uinput", "hid-playstation"])
        wrong = situation(options.tessera)
        count, failed = count + 1, failed + (len(wrong) > 0)
        print(f"\n{'FAIL' if wrong else 'ok  '} {name}: {situation.__doc__}", *wrong, sep="\n  ", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            for result in results:
                file.write(json.dumps(result) + "\n")
    print(f"{count - failed} passed, {failed} failed", flush=True)
    return failed > 0


raise SystemExit(main())
