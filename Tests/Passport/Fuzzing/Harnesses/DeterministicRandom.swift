import CTesseraOpenSSL

/// Replaces OpenSSL's random numbers by a sequence that is the same for every input, so that a finding is reproducible.
/// It applies to the whole process.
enum DeterministicRandom {
  // One input at a time is tested on one thread, and its card conversation runs on that thread too.
  nonisolated(unsafe) private static var state: UInt64 = 0
  nonisolated(unsafe) private static var method = RAND_METHOD(
    seed: nil, bytes: { buffer, count in DeterministicRandom.fill(buffer, count) }, cleanup: nil, add: nil,
    pseudorand: { buffer, count in DeterministicRandom.fill(buffer, count) }, status: { 1 })

  static func install() {
    withUnsafePointer(to: &method) { _ = RAND_set_rand_method($0) }
  }

  static func reset() { state = 0 }

  private static func fill(_ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int32) -> Int32 {
    for index in 0..<Int(count) {
      // SplitMix64.
      state &+= 0x9E37_79B9_7F4A_7C15
      var number = state
      number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
      number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
      buffer?[index] = UInt8(truncatingIfNeeded: number >> 24)
    }
    return 1
  }
}
