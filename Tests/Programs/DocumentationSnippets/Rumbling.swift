import TesseraHaptics

/// Plays a predefined effect and waits for its end. Throws `HapticError` if there is no device.
func playSuccess(on player: RumblePlayer = RumblePlayer()) async throws {
  try await player.play(.notification(.success))
}

/// The devices that are connected; `RumblePlayer(device: .path(…))` plays on the one with this path.
func rumbleDevices() throws -> [String] {
  try RumbleDevice.all().map { "\($0.name): \($0.path)" }
}

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
  player.start(.notification(.success))  // returns at once
  try await player.play(pattern)  // returns at the end of the pattern
}
