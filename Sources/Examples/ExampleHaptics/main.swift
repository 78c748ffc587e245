// Plays two pulses on a gamepad or another force-feedback device.
//
//   swift run ExampleHaptics [DEVICE]    for example /dev/input/event5; otherwise the one that was used last, or any
import Foundation
import TesseraHaptics

do {
  // Milliseconds, and strengths from 0 to 1.
  let pattern = try HapticPattern([
    HapticPulse(start: 0, length: 80, strong: 1, weak: 0.5),
    HapticPulse(start: 160, length: 40, strong: 0, weak: 1),
  ])
  print("\(pattern.pulses.count) pulses in \(pattern.length) ms.")

  let path = CommandLine.arguments.dropFirst().first
  let player = RumblePlayer(device: path.map { .path($0) } ?? .automatic)
  let report = try await player.play(pattern)
  print("Played on \(report.device?.name ?? "a device that is gone").")
} catch {
  // Without a device, or without the right to use it, the remedy says what to do.
  let failure = Failure(error)
  print(failure.cause, failure.remedy ?? "")
  exit(1)
}
