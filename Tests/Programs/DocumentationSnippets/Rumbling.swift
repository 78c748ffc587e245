import TesseraHaptics

/// Plays two pulses and waits for their end. Throws `HapticError` if there is no device.
func playTwoPulses(on player: RumblePlayer = RumblePlayer()) async throws {
  let pattern = try HapticPattern([
    HapticPulse(start: 0, length: 80, strong: 1, weak: 0.5),
    HapticPulse(start: 160, length: 40, strong: 0, weak: 1),
  ])
  try await player.play(pattern)
}

/// Plays a predefined effect, then a pattern from a JSON file.
func playFile(_ file: [UInt8], on player: RumblePlayer = RumblePlayer()) async throws {
  let pattern = try HapticPattern(json: file)
  player.start(HapticWord.notification(.success).pattern)  // returns at once
  try await player.play(pattern)  // returns at the end of the pattern
}
